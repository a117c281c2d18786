import random

import numpy as np
import pytest

from languages.alignment_awesome import align_awesome, words_of_tokens
from languages.alignment_ibm1 import MAX_WORDS, align_ibm1
from languages.tokenisation import words

HOUSE = [
    (["the", "house"], ["das", "haus"]),
    (["the", "book"], ["das", "buch"]),
    (["a", "book"], ["ein", "buch"]),
]


def test_the_textbook_corpus_is_aligned():
    assert align_ibm1(HOUSE, n_iterations=10) == [[(0, 0), (1, 1)]] * 3


def test_one_round_of_expectation_worked_by_hand():
    # From uniform p, "the" meets das, haus, das, buch with 1/3 each (two words and none):
    # p(das|the) = 2/3 : 4/3 = 1/2, p(haus|the) = 1/4. "house" meets das and haus: 1/2 each, so
    # haus is likelier from house (1/2) than from the (1/4); of das the first place is nearest.
    assert align_ibm1(HOUSE[:2], n_iterations=1)[0] == [(0, 0), (1, 1)]


def test_word_order_is_followed():
    pairs = [
        (["red", "car"], ["voiture", "rouge"]),
        (["red", "dress"], ["robe", "rouge"]),
        (["blue", "car"], ["voiture", "bleue"]),
        (["blue", "dress"], ["robe", "bleue"]),
    ]

    assert align_ibm1(pairs, n_iterations=10)[0] == [(0, 1), (1, 0)]


def test_repeated_words_are_linked_along_the_diagonal():
    pairs = [(["ha", "ha", "ha"], ["he", "he", "he"]), (["ha"], ["he"])]

    assert align_ibm1(pairs)[0] == [(0, 0), (1, 1), (2, 2)]


def test_empty_and_overlong_sentences_have_no_links():
    long = ["x"] * (MAX_WORDS + 1)

    assert align_ibm1([([], ["a"]), (["a"], []), (long, long), (["a"], ["b"])])[:3] == [[], [], []]
    assert align_ibm1([]) == []
    assert align_ibm1([([], [])]) == [[]]


def toy_corpus(n_pairs, seed):
    generator = random.Random(seed)
    corpus, gold = [], []
    for _ in range(n_pairs):
        numbers = [int(generator.paretovariate(0.6)) % 400 for _ in range(generator.randint(3, 10))]
        order = list(range(len(numbers)))
        for at in range(len(order) - 1):
            if generator.random() < 0.3:
                order[at], order[at + 1] = order[at + 1], order[at]
        corpus.append(
            ([f"s{n}" for n in numbers], [f"t{numbers[place]}" for place in order]),
        )
        gold.append({(place, at) for at, place in enumerate(order)})
    return corpus, gold


def test_a_toy_corpus_has_a_low_alignment_error_rate():
    corpus, gold = toy_corpus(2_000, 1)

    links = align_ibm1(corpus)

    n_right = sum(len(set(found) & right) for found, right in zip(links, gold, strict=True))
    n_links, n_gold = sum(map(len, links)), sum(map(len, gold))
    error_rate = 1 - 2 * n_right / (n_links + n_gold)
    word_of = {(f"s{n}", f"t{n}") for n in range(400)}
    wrong = [
        (pair[0][i], pair[1][j])
        for pair, found in zip(corpus, links, strict=True)
        for i, j in found
        if (pair[0][i], pair[1][j]) not in word_of
    ]
    assert error_rate < 0.15  # words repeated in a sentence may swap places
    assert len(wrong) / n_links < 0.02


def test_a_corpus_cut_in_chunks_is_aligned_alike(monkeypatch):
    corpus, _ = toy_corpus(200, 2)
    whole = align_ibm1(corpus)

    monkeypatch.setattr("languages.alignment_ibm1.MAX_CELLS", 50)

    assert align_ibm1(corpus) == whole


def unit(*rows):
    return np.array(rows, dtype=np.float32) * 10


def test_sub_words_that_like_each_other_link_their_words():
    source = unit([0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1])
    target = unit([0, 0, 1], [0, 1, 0], [1, 0, 0])

    links = align_awesome(source, target, [None, 0, 1, None], [None, 0, 1])

    assert links == [(0, 1), (1, 0)]


def test_a_word_pair_needs_only_one_pair_of_sub_words():
    source = unit([1, 0], [0, 1])
    target = unit([1, 0], [0, 1])

    assert align_awesome(source, target, [0, 0], [0, 1]) == [(0, 0), (0, 1)]


def test_both_directions_must_exceed_the_threshold():
    # Row softmax of [[0, 0]] is 1/2 each; column softmax over one row is 1.
    states = np.zeros((1, 2)), np.zeros((2, 2))

    assert align_awesome(*states, [0], [0, 1], threshold=0.4) == [(0, 0), (0, 1)]
    assert align_awesome(*states, [0], [0, 1], threshold=0.5) == []


def test_special_tokens_alone_have_no_links_and_lengths_must_agree():
    assert align_awesome(unit([1, 0]), unit([1, 0]), [None], [0]) == []
    with pytest.raises(ValueError, match="1 and 1 rows for 2 and 1 tokens"):
        align_awesome(unit([1, 0]), unit([1, 0]), [0, 1], [0])


def test_tokens_find_their_words_by_character_ranges():
    text = "Sy weet nie."

    offsets = [(0, 0), (0, 2), (3, 5), (5, 7), (8, 11), (11, 12), (0, 0)]

    assert words_of_tokens(offsets, words(text, "af")) == [None, 0, 1, 1, 2, None, None]
