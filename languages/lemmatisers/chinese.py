"""Chinese words by jieba's dictionary and hidden Markov model."""

import logging

import jieba

jieba.setLogLevel(logging.ERROR)


def spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open character range of every word, punctuation included."""
    return [(start, end) for _, start, end in jieba.tokenize(text)]
