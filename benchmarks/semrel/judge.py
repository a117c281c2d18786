"""What is a response worth? A predicted relatedness, to be ranked against the gold one."""

import re

from benchmarks.responses import Response, TextResponse, ValueResponse

VERSION = "1"

NUMBER = re.compile(
    r"""(?<![\w.,])            # not inside another number or a word
        (?:(?<!\d\s)[-−])?     # a sign, unless it is the dash of a range
        (?:\d+(?:[.,]\d+)?|[.]\d+)
        (?:[eE][-+]?\d+)?
        (?!\d|[.,]\d)""",
    re.VERBOSE,
)


def overlap(text_a: str, text_b: str) -> float | None:
    """Return Dice's coefficient of two sentences' sets of words.

    Words are what white space parts; case and punctuation are kept.

    Returns:
        In [0, 1]; None where neither sentence has a word.

    Source: Ousidhoum et al. 2024 (arXiv:2402.08638), section 5, lexical overlap; the released code.
    """
    words_a, words_b = set(text_a.split()), set(text_b.split())
    if not words_a and not words_b:
        return None
    return 2 * len(words_a & words_b) / (len(words_a) + len(words_b))


def parse_rating(text: str) -> float | None:
    """Return the first number in [0, 1] of an answer; a comma may stand for the decimal point."""
    for met in NUMBER.finditer(text):
        number = float(met.group().replace(",", ".").replace("−", "-"))
        if 0 <= number <= 1:
            return number
    return None


def predicted(response: Response) -> float | None:
    """Return the relatedness that a response predicts; None where an answer holds no number."""
    match response:
        case ValueResponse(value=value):
            return value
        case TextResponse(text=text):
            return parse_rating(text)
        case _:
            raise TypeError(f"a {type(response).__name__} says nothing about relatedness")
