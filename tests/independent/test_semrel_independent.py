"""SemRel2024 computed a second time, from the paper's words alone, and held to the code."""

import csv
import math
import random
import statistics

import pytest

from benchmarks.semrel.check import check_folder
from benchmarks.semrel.judge import overlap, parse_rating
from metrics.statistics.correlation import spearman

WORDS = ("a", "A", "a.", "dog", "dog,", "ነው", "है", "é", "e\u0301", "x")
LAYOUTS = {
    "amh": ("\n", ("PairID", "Text", "Score")),
    "afr": ("\t", ("PairID", "Text", "score")),
    "tel": ("\n", ("Score", "PairID", "Text")),
}
TRACKS = {"amh": "Track A", "afr": "Track B", "tel": "Track A"}
NUMBERS = {
    "0": 0.0, "1": 1.0, "0.25": 0.25, ".5": 0.5, "1.0": 1.0, "0.999": 0.999, "1.": 1.0,
    "7": None, "100": None, "-0.3": None, "1.7": None, "2024": None, "-1": None,
}  # fmt: skip


# ---- the paper's rules, written anew


def dice(first, second):
    one, other = set(first.split()), set(second.split())
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else None


def ranks(values):
    """Return the mean place of each value among all, ties together."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def rank_correlation(predictions, golds):
    if len(set(predictions)) < 2 or len(set(golds)) < 2:
        return None
    return statistics.correlation(ranks(predictions), ranks(golds))


def bonett_wright(rho, n):
    """Return the 95 % interval of a rank correlation."""
    half = 1.959963984540054 * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)


# ---- random data


def _sentence(generator, n_least=1):
    n = generator.randint(n_least, 6)
    return " ".join(generator.choice(WORDS) for _ in range(n))


def write_data(folder, generator, n):
    """Write a test file a language, each in another layout; return its rows."""
    found = {}
    for language, (joint, header) in LAYOUTS.items():
        rows = {}
        for number in range(n):
            texts = (_sentence(generator), _sentence(generator))
            rows[f"{language.upper()}-{number:04}"] = (texts, generator.randint(0, 20) / 20)
        found[language] = rows
        place = folder / TRACKS[language] / language
        place.mkdir(parents=True)
        path = place / f"{language}_test_with_labels.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            for name, (texts, gold) in rows.items():
                cells = {"pairid": name, "text": joint.join(texts), "score": gold}
                writer.writerow([cells[column.lower()] for column in header])
    return found


# ---- the comparison


def test_the_overlap_is_dice_on_sets_of_words_as_they_stand():
    generator = random.Random(1)

    for _ in range(3000):
        first, second = _sentence(generator, 0), _sentence(generator, 0)

        assert overlap(first, second) == dice(first, second)


def test_ranks_with_ties_give_the_correlation_of_mean_places():
    generator = random.Random(2)

    for _ in range(1000):
        n = generator.randint(2, 12)
        one = [generator.randint(0, 4) / 4 for _ in range(n)]
        other = [generator.randint(0, 4) / 4 for _ in range(n)]

        assert spearman(one, other) == pytest.approx(rank_correlation(one, other), abs=1e-9)


def test_the_first_number_between_0_and_1_is_the_rating():
    generator = random.Random(3)
    joins = (", ", " and ", ": ", " (", "; ", " / ", " or\n")

    for _ in range(2000):
        said = [generator.choice(list(NUMBERS)) for _ in range(generator.randint(0, 3))]
        text = generator.choice(("", "Rating: ", "I say ", "≈ ", "**"))
        text += generator.choice(joins).join(said)
        text += generator.choice(("", " of all", "!", ")", "**", "\n"))
        expected = [NUMBERS[each] for each in said if NUMBERS[each] is not None]

        assert parse_rating(text) == (expected[0] if expected else None), text


@pytest.mark.parametrize(
    ("seed", "inference"), [(0, "similarity"), (1, "similarity"), (2, "rating"), (3, "rating")]
)
def test_scores_of_random_predictions_are_recomputed(seed, inference, tmp_path, run_in_process):
    generator = random.Random(seed)
    rows = write_data(tmp_path, generator, n=90)
    predicted, n_answered = {}, 0

    def answer(request):
        nonlocal n_answered
        if generator.random() < 0.1:
            return None
        n_answered += 1
        if inference == "similarity":
            predicted[request.key] = generator.randint(-3, 3) / 3
            return {"value": predicted[request.key]}
        text = generator.choice(list(NUMBERS))
        if NUMBERS[text] is not None:
            predicted[request.key] = NUMBERS[text]
        return {"text": f"It is {text}"}

    run = run_in_process("semrel", tmp_path, answer, {"inference": inference})

    expected = {}
    for language, of_language in rows.items():
        kept = {
            name: predicted[f"semrel/relatedness/{language}/{name}"]
            for name in of_language
            if f"semrel/relatedness/{language}/{name}" in predicted
        }
        golds = [of_language[name][1] for name in kept]
        expected[language] = rank_correlation(list(kept.values()), golds)
        found = run.score("spearman", task="relatedness", language=language)
        assert found.value == pytest.approx(expected[language])
        assert (found.n, found.coverage) == (len(kept), pytest.approx(len(kept) / 90))
        assert (found.ci_low, found.ci_high) == pytest.approx(bonett_wright(found.value, len(kept)))
        overlaps = [dice(*of_language[name][0]) for name in kept]
        assert found.baselines["overlap"] == pytest.approx(rank_correlation(overlaps, golds))
    macro = run.score("spearman", task="relatedness")
    assert macro.value == pytest.approx(statistics.fmean(expected.values()))
    assert macro.n == len(predicted)
    run.check_shapes()


@pytest.mark.parametrize("value", [0.0, 0.5])
def test_constant_predictions_are_an_error_and_never_a_0(value, tmp_path, run_in_process):
    write_data(tmp_path, random.Random(4), n=20)

    run = run_in_process("semrel", tmp_path, lambda _: {"value": value})

    for score in run.scores:
        assert score.value is None
        assert score.reason


def test_leaks_between_splits_are_counted_as_planted(tmp_path):
    generator = random.Random(5)
    rows = write_data(tmp_path, generator, n=60)["amh"]
    names = list(rows)
    leaked = {name: rows[name] for name in generator.sample(names, 7)}
    alike = {
        name: rows[name] for name in generator.sample([n for n in names if n not in leaked], 5)
    }
    lines = [(f"T-{n}", "\n".join(texts), gold) for n, (texts, gold) in leaked.items()]
    lines += [(f"U-{n}", "\n".join(reversed(t)).upper(), gold) for n, (t, gold) in alike.items()]
    lines += [(f"V-{n}", f"only train {n}\nnever {n} seen", 0.5) for n in range(30)]
    with (tmp_path / "Track A" / "amh" / "amh_train.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("PairID", "Text", "Score"), *lines])

    report = check_folder(tmp_path, ["amh"])

    exact = {rows[name][0] for name in leaked}
    keys = {_key(rows[name][0]) for name in (*leaked, *alike)}
    n_exact = sum(texts in exact for texts, _ in rows.values())
    n_alike = sum(_key(texts) in keys for texts, _ in rows.values())
    found = [each.message for each in report.findings if "train" in each.message]
    assert any(f"{n_exact} " in each and f"{n_alike} " in each for each in found), found


def _key(texts):
    """Return a pair without order, case and punctuation."""
    folded = ("".join(c for c in text.casefold() if c not in ".,") for text in texts)
    return tuple(sorted(" ".join(text.split()) for text in folded))
