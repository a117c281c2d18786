"""StingrayBench computed a second time, from the paper's words alone, and held to the code."""

import json
import math
import random
from itertools import product

import pytest

from benchmarks.stingray.answers import parse_paper, parse_released
from metrics.stingray_formulas import cognate_bias, cognate_comprehension

PAIRS = ("id_tl", "en_de")
GOLD = {0: ("A", "L1", "Yes", "No"), 1: ("B", "L2", "No", "Yes"), 2: ("C", "Both", "Yes", "Yes")}
LABELS = {"semantic": ("A", "B", "C"), "usage": ("Yes", "No")}
READABLE = {
    "A": ("A", " A\n", "a", "A.", "(a)", "**A**", "A)"),
    "B": ("B", "b ", "B,", '"B"'),
    "C": ("C", "c", "C.", "A and B", "a AND b.", "Both", "both.", "BOTH"),
    "Yes": ("Yes", "yes", "Yes.", "YES!", " Yes ", "Yes,"),
    "No": ("No", "no", "No.", "No,", "NO"),
}
UNREADABLE = ("", " ", "甲", "D", "maybe", "是", "None", "ABC", "-", "\n")


# ---- the paper's rules, written anew


def exact(text, task):
    return text.strip() if text.strip() in LABELS[task] else None


def lenient(text, task):
    return next((gold for gold in LABELS[task] if text in READABLE[gold]), None)


def bias(x, y):
    if x is None or y is None or (x == 0 and y == 0):
        return None
    return (math.degrees(math.atan2(y, x)) - 45) / 45


def comprehension(x, y):
    return None if x is None or y is None else math.hypot(x, y) / math.hypot(1, 1)


def mean(values):
    values = list(values)
    return None if not values or None in values else sum(values) / len(values)


def known_mean(values):
    return mean([value for value in values if value is not None])


def write_data(folder, generator):
    """Write random pairs; return {(pair, subset): [label of each row]}."""
    golds = {}
    for pair, subset in product(PAIRS, ("false_friend", "true_cognate")):
        labels = [2] * generator.randint(3, 9)
        if subset == "false_friend":
            labels = [0, 1] * generator.randint(2, 6)
        golds[pair, subset] = labels
        suffix = "" if subset == "false_friend" else "_common"
        lines = [json.dumps(_row(pair, number, label)) for number, label in enumerate(labels)]
        (folder / f"{pair}{suffix}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return golds


def _row(pair, number, label):
    _, answer, usage_l1, usage_l2 = GOLD[label]
    word = f"w{number // 2}" if label != 2 else f"v{number},u{number}"
    return {
        "word": word,
        "lang1_sentence": f"Uno {word} {pair}.",
        "lang2_sentence": f"Due {word} {pair}.",
        "lang_en_sentence": "One.",
        "language_flag": answer if label != 2 else "L1",
        "meaning_l1": "m",
        "meaning_l2": "m",
        "semantic_appropriate_label": label,
        "semantic_appropriate_answer": answer,
        "usage_correctness_lang1_answer": usage_l1,
        "usage_correctness_lang2_answer": usage_l2,
    }


class Tables:
    """Every accuracy of a run, from recorded texts (or None) by key."""

    def __init__(self, golds, text_by_key, parse, sides):
        self.golds, self.texts, self.parse, self.sides = golds, text_by_key, parse, sides

    def answers(self, task, pair, subset):
        """Yield (gold letter or word, side, reading) of every answered case."""
        config = pair if subset == "false_friend" else f"{pair}_common"
        for number, label in enumerate(self.golds[pair, subset]):
            letter, _, usage_l1, usage_l2 = GOLD[label]
            asked = (
                [("semantic", f"stingray/semantic/{config}/{number}", letter)]
                if task == "semantic"
                else [
                    ("L1", f"stingray/usage/{config}/{number}/L1", usage_l1),
                    ("L2", f"stingray/usage/{config}/{number}/L2", usage_l2),
                ]
            )
            for side, key, gold in asked:
                if self.texts[key] is not None:
                    yield gold, side, self.parse(self.texts[key], task)

    def accuracy(self, task, pair, subset):
        return mean(float(gold == read) for gold, _, read in self.answers(task, pair, subset))

    def point(self, task, pair, subset):
        """Return x and y."""
        found = list(self.answers(task, pair, subset))
        if task == "usage":
            marks = {
                side: [float(g == read) for g, s, read in found if s == side]
                for side in ("L1", "L2")
            }
        elif self.sides == "acceptance":
            accepts = {"L1": "AC", "L2": "BC"}
            marks = {
                side: [
                    float(read is not None and (read in letters) == (g in letters))
                    for g, _, read in found
                ]
                for side, letters in accepts.items()
            }
        elif subset == "true_cognate":
            both = [float(g == read) for g, _, read in found]
            marks = {"L1": both, "L2": both}
        else:
            marks = {
                side: [float(g == read) for g, _, read in found if g == letter]
                for side, letter in (("L1", "A"), ("L2", "B"))
            }
        return mean(marks["L1"]), mean(marks["L2"])

    def aggregated(self, metric, pairs, tasks, subset, how):
        cells = [
            (task, pair)
            for task, pair in product(tasks, pairs)
            if not (
                metric == "cognate_bias"
                and (task, subset, self.sides) == ("semantic", "true_cognate", "gold")
            )
        ]
        formula = bias if metric == "cognate_bias" else comprehension
        points = [self.point(task, pair, subset) for task, pair in cells]
        if not cells:
            return None
        if how == "scores":
            return mean(formula(*point) for point in points)
        return formula(mean(x for x, _ in points), mean(y for _, y in points))


# ---- the comparison


@pytest.mark.parametrize("task", LABELS)
def test_both_parsers_read_thousands_of_answers_as_the_paper_says(task):
    generator = random.Random(task)
    texts = [text for gold in LABELS[task] for text in READABLE[gold]] + list(UNREADABLE)

    for _ in range(1000):
        text = generator.choice(texts)

        assert parse_released(text, LABELS[task]) == exact(text, task), repr(text)
        assert parse_paper(text, LABELS[task]) == lenient(text, task), repr(text)


def test_bias_and_comprehension_are_the_angle_and_the_length_of_a_point():
    generator = random.Random(1)
    values = [0.0, 1.0, *(generator.random() for _ in range(40))]

    for x, y in product(values, values):
        assert cognate_bias(x, y) == pytest.approx(bias(x, y), abs=1e-12)
        assert cognate_comprehension(x, y) == pytest.approx(comprehension(x, y), abs=1e-12)


def _text_answers(generator, share_missing):
    texts = {
        task: [text for gold in LABELS[task] for text in READABLE[gold]] + list(UNREADABLE)
        for task in LABELS
    }
    given = {}

    def answer(request):
        task = request.key.split("/")[1]
        missing = generator.random() < share_missing
        given[request.key] = None if missing else generator.choice(texts[task])
        return None if missing else {"text": given[request.key]}

    return given, answer


def _setting(**named):
    return ";".join(f"{name}={value}" for name, value in sorted(named.items()) if value) or None


@pytest.mark.parametrize("seed", range(4))
def test_scores_of_random_generated_answers_are_recomputed(seed, tmp_path, run_in_process):
    generator = random.Random(seed)
    golds = write_data(tmp_path, generator)
    given, answer = _text_answers(generator, share_missing=(0, 0.1, 0.5, 0.9)[seed])

    run = run_in_process("stingray", tmp_path, answer, {"inference": "generation"})

    for parser, sides in product(("released", "paper"), ("gold", "acceptance")):
        tables = Tables(golds, given, exact if parser == "released" else lenient, sides)
        named = {"parser": parser if parser == "paper" else ""}
        if sides == "gold":
            _check_accuracies(run, tables, _setting(**named))
        named["semantic_sides"] = sides if sides == "acceptance" else ""
        _check_points(run, tables, named)
    run.check_shapes()


def _check_accuracies(run, tables, setting):
    parser = {"parser": "paper"} if setting else {}
    for task, subset in product(LABELS, ("false_friend", "true_cognate")):
        expected = {pair: tables.accuracy(task, pair, subset) for pair in PAIRS}
        for pair in PAIRS:
            found = run.score("accuracy", task=task, language=pair, subset=subset, setting=setting)
            answers = list(tables.answers(task, pair, subset))
            n_asked = len(tables.golds[pair, subset]) * (2 if task == "usage" else 1)
            assert found.value == pytest.approx(expected[pair])
            assert found.n == len(answers)
            assert found.coverage == pytest.approx(
                sum(read is not None for *_, read in answers) / n_asked
            )
            for label in LABELS[task]:
                always = found.baselines.get(f"always-{label.lower()}")
                assert always == pytest.approx(mean(float(g == label) for g, *_ in answers))
            parsed = run.score(
                "parsed_accuracy", task=task, language=pair, subset=subset, setting=setting
            )
            assert parsed.value == pytest.approx(
                mean(float(g == read) for g, _, read in answers if read is not None)
            )
            for label in LABELS[task]:
                always = parsed.baselines.get(f"always-{label.lower()}")
                assert always == pytest.approx(
                    mean(float(g == label) for g, _, read in answers if read is not None)
                )
                share = run.score(
                    "position_share",
                    task=task,
                    language=pair,
                    subset=subset,
                    setting=_setting(answer=label, **parser),
                )
                assert share.value == pytest.approx(
                    mean(float(read == label) for *_, read in answers if read is not None)
                )
        macro = run.score("accuracy", task=task, subset=subset, setting=setting)
        assert macro.value == pytest.approx(mean(expected.values()))
        for label in LABELS[task]:
            _check_macro_share(run, tables, task, subset, {"answer": label, **parser})


def _check_macro_share(run, tables, task, subset, named):
    found = run.score("position_share", task=task, subset=subset, setting=_setting(**named))
    readable = [
        [(gold, read) for gold, _, read in tables.answers(task, pair, subset) if read is not None]
        for pair in PAIRS
    ]
    label = named["answer"]
    shares = [mean(float(read == label) for _, read in pairs) for pairs in readable]
    golds = [mean(float(gold == label) for gold, _ in pairs) for pairs in readable]
    assert found.value == pytest.approx(mean(shares))
    assert found.baselines["gold"] == pytest.approx(mean(golds))


def _check_points(run, tables, named):
    scopes = [(pair,) for pair in PAIRS] + [PAIRS]
    tasks = [("semantic",), ("usage",), ("semantic", "usage")]
    for subset, pairs, chosen in product(("false_friend", "true_cognate"), scopes, tasks):
        for metric, how in product(
            ("cognate_bias", "cognate_comprehension"), ("accuracies", "scores")
        ):
            # One cell has nothing to average: the second way of averaging may be left out.
            if how == "scores" and len(pairs) == len(chosen) == 1:
                continue
            found = run.score(
                metric,
                task=chosen[0] if len(chosen) == 1 else None,
                language=pairs[0] if len(pairs) == 1 else None,
                subset=subset,
                setting=_setting(aggregate=how if how == "scores" else "", **named),
            )
            expected = tables.aggregated(metric, pairs, chosen, subset, how)
            assert found.value == pytest.approx(expected, abs=1e-9), (found, expected)
    for subset, pair, task in product(("false_friend", "true_cognate"), PAIRS, LABELS):
        for side, value in zip(("L1", "L2"), tables.point(task, pair, subset), strict=True):
            found = run.score(
                "accuracy",
                task=task,
                language=f"{pair}:{side}",
                subset=subset,
                setting=_setting(**named),
            )
            assert found.value == pytest.approx(value), found


@pytest.mark.parametrize("seed", range(2))
def test_the_first_label_wins_a_tie_of_likelihoods(seed, tmp_path, run_in_process):
    generator = random.Random(seed)
    golds = write_data(tmp_path, generator)
    given = {}

    def answer(request):
        sums = [float(generator.randint(-3, -1)) for _ in request.labels]
        given[request.key] = request.labels[sums.index(max(sums))]
        return {"sums": sums}

    run = run_in_process("stingray", tmp_path, answer)

    tables = Tables(golds, given, exact, "gold")
    for task, subset, pair in product(LABELS, ("false_friend", "true_cognate"), PAIRS):
        found = run.score("accuracy", task=task, language=pair, subset=subset)
        assert found.value == pytest.approx(tables.accuracy(task, pair, subset))
        assert found.coverage == 1.0
    _check_points(run, tables, {})
