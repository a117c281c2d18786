"""XCOMPS computed a second time, from the paper's words alone, and held to the code."""

import json
import random
from fractions import Fraction

import numpy as np
import pytest
from safetensors.numpy import save_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.responses import TensorResponse
from metrics.catalog import scores_of
from metrics.table import OutcomeRow

TYPES = ("taxonomic", "overlap", "co-occurrence", "random")
LETTERS = {"en": "abcde", "de": "aäöüß", "fr": "aéèbc"}
LETTERS |= {"zh": "山川水火木金土日月", "ja": "手足目耳石竹米虫貝"}
CLASSES = {"analytic": ("zh",), "inflectional": ("de", "fr"), "agglutinative": ("ja",)}
NAMED = ("en", "fr")
"""Languages whose file names the concepts: COMPS's schema or the third one."""
N_GROUPS = 52
LAYERS = (0.0, 1.5)
"""How far the acceptable sentences lie from the others, by layer."""


def make_rows(generator, language):
    """Return pairs in whole groups, some of them identical, with what they are made of."""
    space = "" if language in ("zh", "ja") else " "

    def word():
        n = generator.randint(1, 5)
        return "".join(generator.choice(LETTERS[language]) for _ in range(n))

    rows = []
    for group in range(N_GROUPS):
        phrase = space.join(word() for _ in range(generator.randint(2, 4))) + f"{group}"
        good = word() + space + word()
        for kind in TYPES:
            bad = good if language != "en" and generator.random() < 0.02 else word()
            row = {"property": phrase, "acceptable_concept": good, "unacceptable_concept": bad}
            row |= {"negative_sample_type": kind, "property_phrase": f"{phrase}."}
            row |= {"prefix_acceptable": good, "prefix_unacceptable": bad}
            sentences = [f"{concept}{space}{phrase}." for concept in (good, bad)]
            rows.append((row, sentences))
    return rows


def write_language(folder, language, rows):
    """Write the three schemas; return the items by id."""
    if language == "en":
        lines = [row | {"id": number + 1} for number, (row, _) in enumerate(rows)]
        name, first = "comps_base_x.jsonl", 1
    elif language in NAMED:
        lines = [
            row | {"id": number + 7, "sentence_good": good, "sentence_bad": bad}
            for number, (row, (good, bad)) in enumerate(rows)
        ]
        name, first = f"comps_{language}_x.jsonl", 7
    else:
        names = ("acceptable_sent", "unacceptable_sent")
        found = {
            str(number): dict(zip(names, sentences, strict=True))
            | {"negative_sample_type": row["negative_sample_type"]}
            for number, (row, sentences) in enumerate(rows)
        }
        (folder / f"comps_{language}.json").write_text(json.dumps(found), encoding="utf-8")
        return {str(number): both for number, both in enumerate(rows)}
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / name).write_text(text, encoding="utf-8")
    return {str(number + first): both for number, both in enumerate(rows)}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Return a folder with five languages and their items by (language, id)."""
    folder, generator = tmp_path_factory.mktemp("xcomps"), random.Random(1)
    items = {}
    for language in LETTERS:
        for item, both in write_language(folder, language, make_rows(generator, language)).items():
            items[language, item] = both
    return folder, items


# ---- the paper's rules, written anew


def options(row, sentences, language):
    """Return the concepts; without them what is left when the common ends are cut off."""
    if language in NAMED:
        return row["acceptable_concept"], row["unacceptable_concept"]
    is_spaced = language not in ("zh", "ja")
    one, other = (s.split() if is_spaced else list(s) for s in sentences)
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return tuple((" " if is_spaced else "").join(part) for part in (one, other))


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def answers(generator):
    """Return a function that answers at random, and what it said by request key."""
    said = {}

    def answer(request):
        if generator.random() < 0.02:
            return None
        n_tokens = [generator.randint(1, 3) for _ in request.continuations]
        halves = [[-generator.randint(1, 6) / 2 for _ in range(n)] for n in n_tokens]
        sums = [sum(row) for row in halves]
        is_counted = generator.random() < 0.7
        said[request.key] = (sums, n_tokens if is_counted else None)
        payloads = ({"log_probs": halves}, {"sums": sums, "n_tokens": n_tokens})
        return generator.choice(payloads) if is_counted else {"sums": sums}

    return answer, said


def direct_verdicts(language, item, sentences, said):
    """Return by normalisation whether the acceptable sentence is strictly likelier."""
    sides = [
        said.get(f"xcomps/direct/{language}/{item}/{name}")
        for name in ("acceptable", "unacceptable")
    ]
    if None in sides:
        return {}
    good, bad = (Fraction(sums[0]) for sums, _ in sides)
    tokens = [counts[0] if counts else None for _, counts in sides]
    lengths = {"sum": (1, 1), "characters": [len(text) for text in sentences]}
    lengths["bytes"] = [len(text.encode()) for text in sentences]
    if None not in tokens:
        lengths["tokens"] = tokens
    verdicts = {name: good / n[0] > bad / n[1] for name, n in lengths.items()}
    return verdicts | {"tie": good == bad}


def meta_verdicts(language, item, said):
    """Return by normalisation and order what is likelier, exactly."""
    orders = [said.get(f"xcomps/meta/{language}/{item}/order{number}") for number in (1, 2)]
    if None in orders:
        return {}
    (good1, bad1), (bad2, good2) = ([Fraction(s) for s in sums] for sums, _ in orders)
    verdicts = {"sum": good1 + good2 > bad1 + bad2, "tie": good1 + good2 == bad1 + bad2}
    verdicts |= {"order=1": good1 > bad1, "order=2": good2 > bad2}
    verdicts |= {"order=both": good1 > bad1 and good2 > bad2}
    verdicts |= {"first": Fraction((good1 > bad1) + (bad2 > good2), 2)}
    if all(counts for _, counts in orders):
        (n_good1, n_bad1), (n_bad2, n_good2) = (counts for _, counts in orders)
        left = good1 / n_good1 + good2 / n_good2
        verdicts["tokens"] = left > bad1 / n_bad1 + bad2 / n_bad2
    return verdicts


def check_task(judged, task, verdicts, n_asked, default="accuracy"):
    """Hold every score of a task to the verdicts by (language, type, item)."""
    rows = {
        "sum": (default, None),
        "tie": ("tie_share", None),
        "first": ("position_share", "answer=first"),
    }
    for name in sorted({name for each in verdicts.values() for name in each}):
        metric, setting = rows.get(
            name, ("accuracy", name if "=" in name else f"normalisation={name}")
        )
        for kind in (None, *TYPES):
            means = {}
            for language in LETTERS:
                chosen = {
                    key: each[name]
                    for key, each in verdicts.items()
                    if key[0] == language and kind in (None, key[1]) and name in each
                }
                score = judged.score(
                    metric, task=task, language=language, subset=kind, setting=setting
                )
                means[language] = mean(map(float, chosen.values()))
                assert score.value == pytest.approx(means[language], abs=1e-12), score
                assert (score.n, score.unit) == (len(chosen), "group")
                assert score.coverage == pytest.approx(len(chosen) / n_asked[language, kind])
            for typology, members in (None, LETTERS), *CLASSES.items():
                parts = (setting, typology and f"typology={typology}")
                text = ";".join(sorted(filter(None, parts))) or None
                score = judged.score(metric, task=task, subset=kind, setting=text)
                assert score.value == pytest.approx(mean(means[each] for each in members)), score


@pytest.mark.parametrize("task", ["direct", "meta"])
def test_every_accuracy_is_the_one_worked_out_by_hand(run_in_process, data, task):
    folder, items = data
    answer, said = answers(random.Random(2))

    judged = run_in_process("xcomps", folder, answer, tasks=(task,))

    verdicts, n_asked, asked = {}, {}, set()
    for (language, item), (row, sentences) in items.items():
        if sentences[0] == sentences[1]:
            continue
        kind = row["negative_sample_type"]
        for key in ((language, None), (language, kind)):
            n_asked[key] = n_asked.get(key, 0) + 1
        both = options(row, sentences, language)
        if task == "direct":
            found = direct_verdicts(language, item, sentences, said)
            parts = dict(zip(("acceptable", "unacceptable"), [[s] for s in sentences], strict=True))
        elif all(both) and both[0] != both[1]:
            found = meta_verdicts(language, item, said)
            parts = {"order1": list(both), "order2": list(both[::-1])}
        else:
            continue
        for part, labels in parts.items():
            key = f"xcomps/{task}/{language}/{item}/{part}"
            asked.add(key)
            assert key not in judged.requests or list(judged.requests[key].labels) == labels
        verdicts[language, kind, item] = found
    assert set(judged.requests) <= asked
    assert len(verdicts) > 990
    check_task(judged, task, verdicts, n_asked)


def test_probes_decide_as_scikit_learn_does_and_f1_is_its_mean_over_folds(data, tmp_path):
    folder, _ = data
    benchmark = open_benchmark("xcomps", None)
    cases = [Case(each, "neuro") for each in benchmark.items(folder, Selection(("de",)))]
    cases = [case for case in cases if not case.item.fields["is_identical"]]
    vectors = make_vectors(np.random.default_rng(3), cases)
    file, parts = str(tmp_path / "states.safetensors"), ("acceptable", "unacceptable")
    save_file({f"{item} {part}": states for (item, part), states in vectors.items()}, file)
    answered = [
        (case, {p: TensorResponse(file=file, tensor=f"{case.item.id} {p}") for p in parts})
        for case in cases
    ]

    outcomes = {case.item.id: outcome for case, outcome in benchmark.conclude("neuro", 0, answered)}

    rows = [
        OutcomeRow(
            *(0, case.item.id, "de", case.item.subset, case.item.unit, "neuro", "", "valid"),
            outcomes[case.item.id].value,
            outcomes[case.item.id].detail,
        )
        for case in cases
    ]
    found = {
        (score.metric, score.subset, score.layer): score
        for score in scores_of("xcomps", rows, {}, 0)
        if score.language == "de" and score.setting is None
    }
    for kind in TYPES:
        chosen = [case.item.id for case in cases if case.item.subset == kind]
        labels = np.arange(2 * len(chosen)) < len(chosen)
        control = of_both(outcomes, chosen, lambda detail, side: detail["control_labels"][side])
        for layer in range(len(LAYERS)):
            states = [vectors[item, part][layer] for part in parts for item in chosen]
            main = probe(np.array(states), labels, labels)
            other = probe(np.array(states), control.astype(bool), labels)
            said = of_both(
                outcomes,
                chosen,
                lambda detail, side, at=layer: (
                    detail["folds"]["sentence"]["decisions"][side][at] == "1"
                ),
            )
            assert (said == main[0]).all()
            assert found["f1", kind, layer].value == pytest.approx(main[1])
            assert found["selectivity", kind, layer].value == pytest.approx(main[1] - other[1])
    for layer in range(len(LAYERS)):
        values = [found["f1", kind, layer].value for kind in TYPES]
        assert found["f1", None, layer].value == pytest.approx(mean(values))


def make_vectors(generator, cases):
    """Return the states of each sentence by (item, part): noise, and a direction that tells."""
    found = {}
    for case in cases:
        for part in ("acceptable", "unacceptable"):
            states = generator.normal(size=(len(LAYERS), 12))
            states[:, 0] += np.array(LAYERS) * (part == "acceptable")
            found[case.item.id, part] = states
    return found


def of_both(outcomes, chosen, read):
    return np.array([read(outcomes[item].detail, side) for side in (0, 1) for item in chosen])


def probe(states, targets, labels):
    """Return out-of-fold decisions and the mean over folds of F1."""
    decisions, scores = np.zeros(len(targets), dtype=bool), []
    folds = StratifiedKFold(5, shuffle=True, random_state=42).split(states, labels)
    for train, test in folds:
        model = LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000)
        decisions[test] = model.fit(states[train], targets[train]).predict(states[test])
        scores.append(f1_score(targets[test], decisions[test]))
    return decisions, float(np.mean(scores))
