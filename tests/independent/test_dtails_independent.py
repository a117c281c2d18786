"""DTAiLS computed a second time, from the paper's words alone, and held to the code."""

import ast
import csv
import random
import re
import statistics
import unicodedata
from collections import Counter, defaultdict

import pytest

from benchmarks.dtails.answers import read_released, similarity
from benchmarks.dtails.translations import match_translation
from languages.tokens import TokenLemmas

MARK = "`" * 3
SEEDS = (1, 2, 3)
LANGUAGES = ("af", "lv")
COLUMNS = ("concept", "source language text", "target language text", "variations", "label")


# ---- the paper's rules, written anew


def indel_similarity(first, second):
    """Return 2·LCS / (len + len); two empty texts are equal."""
    row = [0] * (len(second) + 1)
    for a in first:
        left_above = 0
        for place, b in enumerate(second, 1):
            above = row[place]
            row[place] = left_above + 1 if a == b else max(above, row[place - 1])
            left_above = above
    total = len(first) + len(second)
    return 2 * row[-1] / total if total else 1.0


def read_answer(text, shown):
    """Return (could the marks be read, variation or None)."""
    if len(re.findall(MARK, text)) != 2:
        return False, None
    inner = text.split(MARK)[1]
    if inner.strip() == "answer":
        return False, None
    parts = [part.strip() for part in inner.replace("answer", "").split("/")]
    best, winner = 0.0, None
    for variation in shown:
        for form in variation.split("/"):
            for part in parts:
                if indel_similarity(part, form.strip()) > best:
                    best, winner = indel_similarity(part, form.strip()), variation
    return True, winner if best >= 0.7 else None


def share_a_form(one, other):
    return bool(
        {form.strip() for form in one.split("/")} & {form.strip() for form in other.split("/")}
    )


def read_translation(text, variations, lemmas):
    """Return (variation or None by the released matcher, the same by the strict one)."""
    lowered = text.lower()
    forms = [(form, each) for each in variations for form in each.split("/")]
    exact = next((each for form, each in forms if form in lowered), None)
    whole = [pair for pair in forms if f" {pair[0]} " in f" {lowered} "]
    strict = max(whole, key=lambda pair: len(pair[0]))[1] if whole else None
    best, winner = 0.0, None
    for form, each in forms:
        nearest = max((indel_similarity(word, form) for word in lemmas), default=0)
        if nearest > best:
            best, winner = nearest, each
    similar = winner if best >= 0.7 else None
    return exact or similar, strict or similar


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


# ---- random data and answers


def _form(generator):
    return "".join(generator.choice("abcdeé") for _ in range(generator.randint(1, 10)))


def _variations(generator):
    chosen = {}
    while len(chosen) < generator.choice((2, 2, 3)):
        forms = [_form(generator)]
        if generator.random() < 0.3:
            forms.append(forms[0] + _form(generator))
        chosen["/".join(forms)] = None
        if generator.random() < 0.3:
            # A form that is a prefix of another.
            chosen[forms[0] + generator.choice("abc")] = None
    return list(chosen)


def write_data(folder, generator, n_concepts=8):
    """Write random expert and train files; return the expert rows by language."""
    rows = {}
    for language in LANGUAGES:
        place = folder / f"en-{language}"
        place.mkdir()
        listed = {f"concept{number}": _variations(generator) for number in range(n_concepts)}
        for split in ("expert", "train"):
            drawn = [
                (concept, variations, generator.choice(variations))
                for concept, variations in listed.items()
                for _ in range(generator.randint(1, 6))
            ]
            with (place / f"{split}_dataset.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(COLUMNS)
                for number, (concept, variations, label) in enumerate(drawn):
                    text = f"{split} {number} with a {concept}."
                    writer.writerow([concept, text, f"xx {label}", str(variations), label])
            rows[language, split] = drawn
    return rows


def _near(form, generator):
    """Return a text near a form: some letters dropped, put in, or capital."""
    letters = list(form)
    for _ in range(generator.randint(0, 8)):
        place = generator.randint(0, len(letters))
        if generator.random() < 0.5:
            letters[place:place] = [generator.choice("abczQ")]
        elif letters:
            del letters[min(place, len(letters) - 1)]
    return "".join(letters)


def random_answer(shown, generator):
    variation = generator.choice(shown)
    form = _near(generator.choice(variation.split("/")), generator)
    inner = generator.choice(
        (
            form, form, variation, variation, f" {form}\n", f"answer: {form}",
            f"answer {variation}", form.upper(), unicodedata.normalize("NFD", form),
            f"{form}/{_form(generator)}", f"{form} / {form}", "answer", " answer\n", "Answer",
            "", "甲乙", "/", "answeranswer",
        )
    )  # fmt: skip
    return generator.choice(
        (
            f"Because. {MARK}{inner}{MARK}",
            f"{MARK}{inner}{MARK} is it.",
            f"{MARK}{inner}{MARK}.",
            f"{MARK}a{MARK} or {MARK}{inner}{MARK}",
            f"{MARK}a{MARK}, {MARK}b{MARK} or {MARK}{inner}{MARK}",
            f"{MARK}{inner}",
            f"`{inner}`",
            f"{MARK}`{inner}{MARK}`",
            inner,
        )
        if generator.random() < 0.4
        else (f"So: {MARK}{inner}{MARK}",)
    )


# ---- the comparison


def test_the_similarity_is_the_normalised_indel_one_with_exact_ties_at_seven_tenths():
    generator = random.Random(3)
    n_ties = 0

    for _ in range(3000):
        form = _form(generator)
        other = _near(form, generator)
        n_ties += indel_similarity(form, other) == 0.7

        assert similarity(form, other) == pytest.approx(indel_similarity(form, other), abs=1e-12)
        assert (similarity(form, other) >= 0.7) == (indel_similarity(form, other) >= 0.7)

    assert n_ties > 5


def test_every_tie_at_exactly_seven_tenths_counts_as_found():
    for half in range(1, 60):
        total = 10 * half
        common = 7 * half // 2
        if 2 * common * 10 != 7 * total:
            continue
        first = "a" * common + "b" * (total // 2 - common)
        second = "a" * common + "c" * (total - len(first) - common)

        assert read_released(f"{MARK}{first}{MARK}", [second]).variation == second


def test_thousands_of_answers_are_read_as_the_paper_says():
    generator = random.Random(5)

    for _ in range(3000):
        shown = _variations(generator)
        generator.shuffle(shown)
        answer = random_answer(shown, generator)

        reading = read_released(answer, shown)

        assert (reading.is_marked, reading.variation) == read_answer(answer, shown), answer


def test_thousands_of_translations_are_searched_as_the_paper_says():
    generator = random.Random(7)

    for _ in range(2000):
        variations = [each.replace("é", "e") for each in _variations(generator)]
        said = generator.choice(variations).split("/")
        words = [generator.choice((_near(generator.choice(said), generator), "xyz", "ou"))]
        words += [_form(generator).replace("é", "e") for _ in range(generator.randint(0, 2))]
        generator.shuffle(words)
        text = " ".join(word for word in words if word).title()
        lemma_by_word = {word: word[:-1] or word for word in text.lower().split()}

        found = match_translation(text, variations, "af", lambda text, _: _tokens(text))

        near = {*lemma_by_word, *lemma_by_word.values()}
        expected = read_translation(text, variations, near)
        assert (found["released"].variation, found["strict"].variation) == expected, text


def _tokens(text):
    """Return the words of a text, each with a lemma that lacks its last letter."""
    return [TokenLemmas(word, (word[:-1] or word,), 0, 0) for word in text.split()]


def _shown(request):
    text = request.messages[-1].content
    return ast.literal_eval(text.split("following list: ")[1].split(". Carefully")[0])


@pytest.mark.parametrize(("seed", "share_missing"), [(0, 0.0), (1, 0.15), (2, 0.6)])
def test_scores_of_random_selections_are_recomputed(seed, share_missing, tmp_path, run_in_process):
    generator = random.Random(seed)
    rows = write_data(tmp_path, generator, n_concepts=14)
    given, shown_by_key = {}, {}

    def answer(request):
        shown = shown_by_key.setdefault(request.key.removesuffix("/retry"), _shown(request))
        is_retry = request.key.endswith("/retry")
        if generator.random() < (0.3 if is_retry else share_missing):
            return None
        given[request.key] = random_answer(shown, generator)
        return {"text": given[request.key]}

    run = run_in_process("dtails", tmp_path, answer, {}, ("select",))

    marks = [mark for language in LANGUAGES for mark in _marks(language, rows, given, shown_by_key)]
    for language in LANGUAGES:
        own = [mark for mark in marks if mark["language"] == language]
        found = run.score("accuracy", task="select", language=language)
        means = _item_means(own)
        assert found.value == pytest.approx(mean(means.values()))
        assert found.coverage == pytest.approx(mean(mark["parsed"] for mark in own))
        assert found.n == sum(value is not None for value in means.values())
        by_seed = [mean(m["value"] for m in own if m["seed"] == each) for each in SEEDS]
        assert found.sd == pytest.approx(statistics.stdev(by_seed))
        parsed = run.score("parsed_accuracy", task="select", language=language)
        assert parsed.value == pytest.approx(mean(m["value"] for m in own if m["parsed"]))
        for name in ("frequency", "chance"):
            of_items = _item_means([m for m in own if m["value"] is not None], name)
            assert found.baselines[name] == pytest.approx(mean(of_items.values()))
            of_parsed = mean(mark[name] for mark in own if mark["parsed"])
            assert parsed.baselines[name] == pytest.approx(of_parsed)
        _check_concepts(run, language, own)
    macro = run.score("accuracy", task="select")
    assert macro.value == pytest.approx(
        mean(
            mean(_item_means([m for m in marks if m["language"] == each]).values())
            for each in LANGUAGES
        )
    )
    _check_positions(run, marks)
    run.check_shapes()


def _marks(language, rows, given, shown_by_key):
    expert = rows[language, "expert"]
    for number, (concept, variations, label) in enumerate(expert):
        for seed in SEEDS:
            key = f"dtails/select/{language}/{number}/seed{seed}"
            shown = shown_by_key[key]
            assert sorted(shown) == sorted(variations)
            mark = {
                "language": language, "concept": concept, "number": number, "seed": seed,
                "parsed": False, "value": None, "place": None, "k": len(shown),
                "gold_place": shown.index(label), "chance": 1 / len(shown),
                "frequency": float(share_a_form(_most_frequent(expert, concept), label)),
            }  # fmt: skip
            if key in given:
                is_marked, variation = read_answer(given[key], shown)
                if not is_marked and f"{key}/retry" in given:
                    _, variation = read_answer(given[f"{key}/retry"], shown)
                mark["parsed"] = variation is not None
                mark["value"] = float(variation is not None and share_a_form(variation, label))
                mark["place"] = shown.index(variation) if variation is not None else None
            yield mark


def _most_frequent(expert, concept):
    """Return the concept's commonest label; the first in the list of those that tie."""
    counts = Counter(label for of, _, label in expert if of == concept)
    variations = next(listed for of, listed, _ in expert if of == concept)
    return max(variations, key=lambda each: counts[each])


def _item_means(marks, what="value"):
    values = defaultdict(list)
    for mark in marks:
        values[mark["language"], mark["number"]].append(mark[what])
    return {key: mean(found) for key, found in values.items()}


def _check_concepts(run, language, own):
    values, by_frequency = {}, {}
    for concept in {mark["concept"] for mark in own}:
        scored = [m for m in own if m["concept"] == concept and m["value"] is not None]
        values[concept] = mean(_item_means(scored).values())
        by_frequency[concept] = mean(_item_means(scored, "frequency").values())
        found = run.score("accuracy", task="select", language=language, subset=concept)
        assert found.value == pytest.approx(values[concept]), concept
    average = run.score("accuracy", task="select", language=language, setting="average=concept")
    assert average.value == pytest.approx(mean(values.values()))
    assert average.baselines["frequency"] == pytest.approx(mean(by_frequency.values()))


def _check_positions(run, marks):
    for score in run.scores:
        if score.metric != "position_share":
            continue
        named = dict(part.split("=") for part in score.setting.split(";"))
        parsed = [
            mark
            for mark in marks
            if mark["parsed"]
            and mark["k"] == int(named["k"])
            and score.language in (None, mark["language"])
        ]
        place = int(named["position"]) - 1
        expected = mean(float(mark["place"] == place) for mark in parsed)
        assert score.value == pytest.approx(expected), score
        gold = mean(float(mark["gold_place"] == place) for mark in parsed)
        assert score.baselines["gold"] == pytest.approx(gold), score


@pytest.mark.parametrize("share_missing", [0.0, 0.2])
def test_scores_of_random_translations_are_recomputed_in_every_style(
    share_missing, tmp_path, run_in_process
):
    generator = random.Random(8)
    rows = write_data(tmp_path, generator, n_concepts=20)
    given = {}

    def answer(request):
        _, _, language, number, *_ = request.key.split("/")
        variations = rows[language, "expert"][int(number)][1]
        said = generator.choice([form for each in variations for form in each.split("/")])
        if generator.random() < share_missing:
            return None
        given[request.key] = generator.choice((f"Zzz {said}!", f"Zzz {said}zzz.", "Zzz qqq."))
        return {"text": given[request.key]}

    settings = {"translate_by": "generation", "prompt_style": "all"}
    run = run_in_process("dtails", tmp_path, answer, settings, ("translate",))

    for language in LANGUAGES:
        by_style = {
            (style, matcher): mean(_translated(rows, given, language, style, matcher))
            for style in ("", "/short")
            for matcher in (0, 1)
        }
        for setting, expected in (
            (None, by_style["", 0]),
            ("matcher=strict", by_style["", 1]),
            ("prompt_style=short", by_style["/short", 0]),
        ):
            found = run.score("accuracy", task="translate", language=language, setting=setting)
            assert found.value == pytest.approx(expected), setting
        spread = run.score(
            "accuracy", task="translate", language=language, setting="prompt_style=all"
        )
        sd = statistics.stdev((by_style["", 0], by_style["/short", 0]))
        assert spread.sd == pytest.approx(sd)
    run.check_shapes()


def _translated(rows, given, language, style, matcher):
    for number, (_, variations, label) in enumerate(rows[language, "expert"]):
        text = given.get(f"dtails/translate/{language}/{number}{style}")
        if text is not None:
            words = text.lower().replace("!", " ").replace(".", " ").split()
            found = read_translation(" ".join(words), variations, words)[matcher]
            yield float(found is not None and share_a_form(found, label))
