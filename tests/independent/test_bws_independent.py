"""Best-Worst Scaling computed a second time, from the paper's words alone, and held to the code."""

import csv
import random
import statistics
import unicodedata
from collections import Counter, defaultdict
from itertools import combinations

import pytest

from benchmarks.semrel.bws import read_pair
from benchmarks.semrel.tuples import propose_tuples
from metrics.bws import bws_report

HEADERS = (
    ("SentPair1", "SentPai2", "SentPair3", "SentPair4", "Best", "Worst"),
    ("pair_1", "pair_2", "pair_3", "pair_4", "Most_Related", "Least_Related"),
)


# ---- the paper's rules, written anew


def key(sentences):
    return tuple(
        "".join(
            c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c)[0] in "LMN"
        )
        for text in sentences
    )


def count_scores(annotations):
    """Return by pair ((best - worst)/n + 1)/2."""
    seen, best, worst = Counter(), Counter(), Counter()
    for pairs, most, least in annotations:
        seen.update(pairs)
        best[most] += 1
        worst[least] += 1
    return {pair: ((best[pair] - worst[pair]) / n + 1) / 2 for pair, n in seen.items()}


def ranks(values):
    order = sorted(values)
    return [(order.index(v) + len(order) - order[::-1].index(v) + 1) / 2 for v in values]


def half_and_half(annotations, generator):
    """Return one split-half correlation."""
    by_tuple = defaultdict(list)
    for annotation in annotations:
        by_tuple[frozenset(annotation[0])].append(annotation)
    halves = ([], [])
    for group in by_tuple.values():
        if len(group) < 2:
            continue
        generator.shuffle(group)
        cut = len(group) // 2
        if len(group) % 2:
            cut += generator.randint(0, 1)
        halves[0].extend(group[:cut])
        halves[1].extend(group[cut:])
    one, other = map(count_scores, halves)
    both = [pair for pair in one if pair in other]
    first, second = [one[pair] for pair in both], [other[pair] for pair in both]
    return statistics.correlation(ranks(first), ranks(second))


# ---- random annotations


def _cell(sentences, generator):
    """Write a pair as annotators' files do: a list literal, often with broken quoting."""
    return generator.choice(
        (
            str(list(sentences)),
            f"['{sentences[0]}', '{sentences[1]}']",
            f"['{sentences[0]}','{sentences[1]}']",
            f"['{sentences[0]}', \"{sentences[1]}\"]*",
            f" ['{sentences[0]}' , '{sentences[1]}'] ",
        )
    )


def _respelt(text, generator):
    """Return another spelling of a sentence: the same letters, marks and digits."""
    return generator.choice(
        (text, f" {text}", f"{text}.", text.replace(" ", "  "), text.replace("1", "１"),
         unicodedata.normalize("NFD", text), text.replace("é", "e\u0301"))
    )  # fmt: skip


def write_file(path, generator, n_pairs=24, n_tuples=50):
    """Write annotations with stray headers and unusable rows; return the usable, and a count."""
    pairs = [(f"it's é{n} a", f'the "{n}" b dog\'s') for n in range(n_pairs)]
    rows, usable, n_dropped = [], [], 0
    header = generator.choice(HEADERS)
    for _ in range(n_tuples):
        four = generator.sample(range(n_pairs), 4)
        for _ in range(generator.choice((1, 2, 3, 4, 4, 5))):
            generator.shuffle(four)
            by_size = sorted(four)
            most, least = by_size[0], by_size[-1]
            if generator.random() < 0.3:
                most, least = generator.sample(four, 2)
            best, worst = four.index(most) + 1, four.index(least) + 1
            cells = [
                _cell([_respelt(text, generator) for text in pairs[n]], generator) for n in four
            ]
            rows.append([*cells, best, worst])
            if generator.random() < 0.1:
                rows[-1][4:] = generator.choice(((best, best), (0, worst), (best, 5), ("", worst)))
                n_dropped += 1
            elif generator.random() < 0.05:
                rows[-1][0] = generator.choice(("", "nothing", "['one sentence']", "[1, 2]"))
                n_dropped += 1
            else:
                usable.append(([key(pairs[n]) for n in four], key(pairs[most]), key(pairs[least])))
            if generator.random() < 0.02:
                rows.append(list(header))
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return usable, n_dropped


# ---- the comparison


def test_a_thousand_cells_with_broken_quoting_are_read():
    generator = random.Random(1)

    for number in range(1000):
        sentences = (f"it's {number}", generator.choice(("a 'b' c", 'a "b"', "o'", "x")))

        assert read_pair(_cell(sentences, generator)) == sentences


@pytest.mark.parametrize("seed", range(4))
def test_scores_and_reliability_of_random_annotations_are_recomputed(seed, tmp_path):
    generator = random.Random(seed)
    usable, n_dropped = write_file(tmp_path / "tuples.csv", generator)

    report = bws_report(tmp_path / "tuples.csv", seed=seed)

    found = {key(pair.split("\n")): score for pair, score in report["scores"].items()}
    expected = count_scores(usable)
    assert found.keys() == expected.keys()
    for pair, score in found.items():
        assert score == pytest.approx(expected[pair], abs=0.0050001)
        assert round(score, 2) == score
    assert (report["n_pairs"], report["n_dropped"]) == (len(expected), n_dropped)
    assert report["n_annotations"] == len(usable)
    assert report["n_tuples"] == len({frozenset(pairs) for pairs, _, _ in usable})
    reliability = statistics.fmean(half_and_half(usable, generator) for _ in range(100))
    assert report["split_half_reliability"] == pytest.approx(reliability, abs=0.015)


@pytest.mark.parametrize("n_pairs", [4, 5, 7, 13, 40, 100])
@pytest.mark.parametrize("seed", range(2))
def test_proposed_tuples_have_the_properties_the_paper_asks_for(n_pairs, seed):
    tuples = propose_tuples(n_pairs, seed)

    assert len(tuples) == 2 * n_pairs
    assert all(len(set(four)) == 4 for four in tuples)
    assert {n for four in tuples for n in four} == set(range(n_pairs))
    seen = Counter(n for four in tuples for n in four)
    assert max(seen.values()) <= 9
    assert min(seen.values()) >= 7
    assert propose_tuples(n_pairs, seed) == tuples
    together = Counter(two for four in tuples for two in combinations(sorted(four), 2))
    # 2N tuples make 12N meetings: with N(N-1)/2 possible ones, repeats are avoidable from 40 on.
    if n_pairs >= 40:
        assert max(together.values()) == 1
