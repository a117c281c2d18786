"""DiBiMT computed a second time, from the paper's words alone, and held to the code."""

import json
import random
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import pytest

LANGUAGES = ("xxa", "xxb", "xxc")
"""Codes that no lemmatiser knows: a word is its own lemma."""
N_ITEMS = 350
SYSTEM = {"GOOD": 6, "BAD": 6, "MISS": 2, "AMBIGUOUS": 1}


def write_data(folder, generator):
    """Write random items and answers; return the facts of each (language, item) by hand."""
    words = {}
    for number in range(90):
        pos = generator.choice(("NOUN", "VERB"))
        delta = generator.choice((3, 3, 4, 5, 7, 12))
        words[f"word{number % 70}", pos] = [f"s{number}.{n}" for n in range(delta)]
    items, facts = [], {}
    for number in range(N_ITEMS):
        lemma, pos = generator.choice(sorted(words))
        senses = words[lemma, pos]
        meant = generator.choice(senses)
        item = {"id": f"i{number}", "sentence": f"A {lemma}.", "word": lemma, "start": 2}
        item |= {"lemma": lemma, "pos": pos, "synset": meant, "languages": {}}
        for language in LANGUAGES:
            answers, fact = make_answers(generator, number, senses, meant)
            item["languages"][language] = answers
            facts[language, item["id"]] = fact | {"lemma": lemma, "pos": pos, "senses": senses}
            facts[language, item["id"]]["meant"] = meant
        items.append(item)
    write_lines(folder / "items.jsonl", items)
    write_lines(
        folder / "senses.jsonl",
        [{"lemma": a, "pos": b, "senses": senses} for (a, b), senses in words.items()],
    )
    return facts


def make_answers(generator, number, senses, meant):
    """Return answer sets and what one translation of them is, decided before it is written."""

    def lemma(name, synsets, origin="wordnet"):
        return {"lemma": f"{name}{number}", "synsets": synsets, "origin": origin}

    good = [lemma("right", [meant]), lemma("added", [], "annotator")]
    bad = [
        lemma("wrong", generator.sample(senses, generator.randint(1, len(senses)))),
        lemma("elsewhere", ["t1"]),
        lemma("unknown", [], "annotator"),
    ]
    removed = [lemma("removed", [meant, *generator.sample(senses, 1)])]
    verdict = generator.choices(list(SYSTEM), SYSTEM.values())[0]
    held = {
        "GOOD": [generator.choice(good)],
        "BAD": [generator.choice(bad + removed)],
        "MISS": [],
        "AMBIGUOUS": [good[0], bad[0]],
    }[verdict]
    text = " ".join(["then", *(each["lemma"] for each in held), "and"])
    answers = {"good": good, "bad": bad, "removed": removed}
    if generator.random() < 0.02:
        text = None
    return answers, {"verdict": verdict, "text": text, "held": held}


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


# ---- the paper's scores, written anew


def wrong_sense_place(fact):
    """Return the 0-based place of the commonest other sense the matched lemma can have."""
    found = [
        place
        for place, sense in enumerate(fact["senses"])
        if sense != fact["meant"] and sense in fact["held"][0]["synsets"]
    ]
    return min(found, default=None)


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def simple_scores(facts):
    """Return every score of one language and part of speech (or both)."""
    n = {name: sum(fact["verdict"] == name for fact in facts) for name in SYSTEM}
    n_all = n["GOOD"] + n["BAD"] + n["MISS"]
    bad = [fact for fact in facts if fact["verdict"] == "BAD"]
    places = [(wrong_sense_place(fact), fact["senses"].index(fact["meant"])) for fact in bad]
    return {
        "accuracy": n["GOOD"] / (n["GOOD"] + n["BAD"]),
        "miss_share": n["MISS"] / n_all,
        "ambiguous_share": n["AMBIGUOUS"] / (n_all + n["AMBIGUOUS"]),
        "mfs": sum(wrong == 0 for wrong, _ in places) / len(bad),
        "mfs_plus": sum(wrong is not None and wrong < own for wrong, own in places) / len(bad),
        "sfii": influence(facts, lambda fact: fact["senses"].index(fact["meant"]) + 1, 1),
        "spdi": influence(facts, lambda fact: len(fact["senses"]), 1),
        "sfii min_group=5": influence(
            facts, lambda fact: fact["senses"].index(fact["meant"]) + 1, 5
        ),
        "spdi min_group=5": influence(facts, lambda fact: len(fact["senses"]), 5),
    }


def influence(facts, index, smallest):
    groups = defaultdict(list)
    for fact in facts:
        if fact["verdict"] in ("GOOD", "BAD"):
            groups[index(fact)].append(fact["verdict"] == "BAD")
    return mean(mean(group) for group in groups.values() if len(group) >= smallest)


def agreement(first, second):
    both = [key for key in first if key in second]
    shared = [
        bool(synsets(first[key]) & synsets(second[key]))
        for key in both
        if {first[key]["verdict"], second[key]["verdict"]} <= {"GOOD", "BAD"}
    ]
    return mean(shared)


def synsets(fact):
    """Return the matched lemma's synsets; a good lemma always has the item's."""
    own = {fact["meant"]} if fact["verdict"] == "GOOD" else set()
    return own | set(fact["held"][0]["synsets"])


@pytest.mark.parametrize("seed", [1])
def test_every_score_is_the_one_worked_out_by_hand(run_in_process, tmp_path, seed):
    generator = random.Random(seed)
    facts = write_data(tmp_path, generator)
    predicted = {f"i{n}": f"s{generator.randint(0, 89)}.0" for n in range(N_ITEMS)}
    write_lines(tmp_path / "wsd.jsonl", [{"id": a, "synset": b} for a, b in predicted.items()])

    def answer(request):
        _, _, language, item = request.key.split("/")
        text = facts[language, item]["text"]
        return None if text is None else {"text": text}

    settings = {"wsd_file": str(tmp_path / "wsd.jsonl")}
    judged = run_in_process("dibimt", tmp_path, answer, settings, ("translate",))

    judged.check_shapes()
    answered = {key: fact for key, fact in facts.items() if fact["text"] is not None}
    for pos in (None, "NOUN", "VERB"):
        check_scores(judged, answered, facts, pos)
    check_agreement(judged, answered)
    check_groups(judged, answered)
    check_baselines(judged, answered, predicted)


def chosen(facts, language, pos):
    return [
        fact for key, fact in facts.items() if key[0] == language and pos in (None, fact["pos"])
    ]


def check_scores(judged, answered, facts, pos):
    by_language = {name: simple_scores(chosen(answered, name, pos)) for name in LANGUAGES}
    for name, wanted in by_language.items():
        for metric, value in wanted.items():
            metric, _, setting = metric.partition(" ")
            if setting and pos:
                continue
            score = judged.score(
                metric, task="translate", language=name, subset=pos, setting=setting or None
            )
            assert score.value == pytest.approx(value, abs=1e-12), score
            assert score.unit == "lemma"
            n_answered = len(chosen(answered, name, pos))
            assert score.coverage == pytest.approx(n_answered / len(chosen(facts, name, pos)))
    for metric in by_language[LANGUAGES[0]]:
        metric, _, setting = metric.partition(" ")
        if not (setting and pos):
            score = judged.score(metric, task="translate", subset=pos, setting=setting or None)
            key = f"{metric} {setting}".strip()
            wanted = mean(scores[key] for scores in by_language.values())
            assert score.value == pytest.approx(wanted, abs=1e-12), score


def check_agreement(judged, answered):
    by_language = {
        name: {key[1]: fact for key, fact in answered.items() if key[0] == name}
        for name in LANGUAGES
    }
    wanted = {
        f"{a}_{b}": agreement(by_language[a], by_language[b]) for a, b in combinations(LANGUAGES, 2)
    }
    for pair, value in wanted.items():
        score = judged.score("sense_agreement", task="translate", language=pair)
        assert score.value == pytest.approx(value, abs=1e-12)
    score = judged.score("sense_agreement", task="translate")
    assert score.value == pytest.approx(mean(wanted.values()), abs=1e-12)


def check_groups(judged, answered):
    for name in LANGUAGES:
        groups = defaultdict(list)
        for fact in chosen(answered, name, None):
            if fact["verdict"] in ("GOOD", "BAD"):
                groups[f"mu={fact['senses'].index(fact['meant']) + 1}"].append(fact["verdict"])
                groups[f"delta={len(fact['senses'])}"].append(fact["verdict"])
        for setting, group in groups.items():
            score = judged.score("accuracy", task="translate", language=name, setting=setting)
            assert (score.value, score.n) == (mean(v == "GOOD" for v in group), len(group))


def check_baselines(judged, answered, predicted):
    for name in LANGUAGES:
        own = {key[1]: fact for key, fact in answered.items() if key[0] == name}
        kept = {key: fact for key, fact in own.items() if fact["verdict"] in ("GOOD", "BAD")}
        found = judged.score("accuracy", task="translate", language=name).baselines
        for suffix, part in (("", kept), ("_all", own)):
            right = mean(predicted[key] == fact["meant"] for key, fact in part.items())
            first = mean(fact["senses"][0] == fact["meant"] for fact in part.values())
            assert found[f"wsd{suffix}"] == pytest.approx(right)
            assert found[f"first-sense{suffix}"] == pytest.approx(first)


# ---- model errors


def write_systems(folder, generator):
    """Write 150 items, two systems and corrections; return what each system says of each item."""
    said, items = {}, []
    lines = {"first": [], "second": []}
    corrections = []
    for number in range(150):
        key = f"dibimt/translate/xxa/i{number}"
        answers = {"good": [{"lemma": "right"}], "bad": [{"lemma": "wrong", "synsets": ["s0"]}]}
        items.append(
            {"id": f"i{number}", "sentence": "A bank.", "word": "bank", "start": 2}
            | {"lemma": f"bank{number % 40}", "pos": "NOUN", "synset": "s1"}
            | {"languages": {"xxa": answers}}
        )
        for system in lines:
            text = generator.choice(("the wrong", "the wrong", "the right", "the other", ""))
            text += f" {number}"
            said[system, number] = text
            lines[system].append({"key": key, "response": {"text": text}})
        if generator.random() < 0.5:
            said["human", number] = f"a person {number}"
            corrections.append({"system": "first", "key": key, "text": f"a person {number}"})
    (folder / "translations").mkdir()
    for system, rows in lines.items():
        write_lines(folder / "translations" / f"{system}.jsonl", rows)
    write_lines(folder / "corrections.jsonl", corrections)
    write_lines(folder / "items.jsonl", items)
    words = [{"lemma": f"bank{n}", "pos": "NOUN", "senses": ["s0", "s1"]} for n in range(40)]
    write_lines(folder / "senses.jsonl", words)
    return said


def test_fifty_errors_are_drawn_and_compared_with_the_first_right_translation(
    run_in_process, tmp_path
):
    generator = random.Random(3)
    said = write_systems(tmp_path, generator)
    asked = {}

    def answer(request):
        n_tokens = generator.randint(1, 4)
        sums = -float(generator.randint(1, 6))
        end = generator.choice((None, -1.0))
        asked[request.key] = (request.continuations[0], request.context, sums, n_tokens, end)
        ends = {} if end is None else {"eos_log_probs": [end]}
        return {"sums": [sums], "n_tokens": [n_tokens], **ends}

    judged = run_in_process("dibimt", tmp_path, answer, tasks=("model_errors",))

    drawn = [row for row in judged.rows if row.detail.get("why") != "not drawn"]
    assert len(drawn) == 50
    verdicts = []
    for row in drawn:
        number = int(row.item_id[1:])
        assert "wrong" in said["first", number]
        good = said["second", number]
        good = good if "right" in good else said.get(("human", number))
        sides = {side: asked.get(f"dibimt/model_errors/xxa/i{number}/{side}") for side in SIDES}
        if good is None:
            assert (row.value, sides) == (None, dict.fromkeys(SIDES))
            continue
        assert [sides[side][:2] for side in SIDES] == [
            (good, "A bank."),
            (said["first", number], "A bank."),
        ]
        verdicts.append(float(perplexity(*sides["bad"][2:]) < perplexity(*sides["good"][2:])))
        assert row.value == verdicts[-1]
    score = judged.score("model_error_share", task="model_errors", language="xxa")
    assert (score.value, score.n) == (mean(verdicts), len(verdicts))
    judged.check_shapes()


SIDES = ("good", "bad")


def perplexity(total, n_tokens, end):
    """Return exp(-Σ log p / tokens) with the end of the sentence where it comes apart, exactly."""
    both = Fraction(total) + Fraction(end or 0)
    return -both / (n_tokens + (end is not None))
