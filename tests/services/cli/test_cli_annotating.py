"""Commands for people around the data: dtails annotate, dibimt build, review, miss-study."""

import csv
import json

import pytest

from benchmarks.dibimt.benchmark import Dibimt

SHOT, DRINK, PHOTO = ("wn:00000001n", "wn:00000002n", "wn:00000003n")


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "af.words"
    path.write_text("know,VERB,weet;ken\nback,ADV,terug;weer\nback,NOUN,rug;agterkant\n")
    return path


@pytest.fixture
def candidates(tmp_path):
    """Four sentences of one concept."""
    path = tmp_path / "candidates.csv"
    header = ["concept", "source language text", "target language text", "variations", "label"]
    rows = [
        ["know", f"I know {n}.", "x", str(["weet", "ken"]), ("weet", "ken")[n % 2]]
        for n in range(4)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def test_each_of_three_annotators_gets_the_concepts_in_an_own_order(command, words, tmp_path):
    out = tmp_path / "to annotators"

    code, told, _ = command(
        *("dtails", "annotate", "export", "rules", "--words", words, "--language", "af"),
        *("--out", out, "--json"),
    )

    files = sorted(path.name for path in out.iterdir())
    assert code == 0
    assert json.loads(told)["annotators"] == ["r1", "r2", "r3"]
    assert files == ["rules-af-r1.jsonl", "rules-af-r2.jsonl", "rules-af-r3.jsonl"]
    concepts = [[line["concept"] for line in lines_of(out / name)] for name in files]
    assert all(sorted(own) == ["back (ADV)", "back (NOUN)", "know"] for own in concepts)


def test_answers_come_back_as_precision_recall_and_rule_accuracy(command, words, tmp_path):
    out, joined = tmp_path / "out", tmp_path / "answers.jsonl"
    command(
        *("dtails", "annotate", "export", "rules", "--words", words, "--language", "af"),
        *("--out", out),
    )
    for path in out.iterdir():
        told = [
            # everybody finds `ken` wrong, and r1 alone misses a variation
            {
                **line,
                "is_any_missing": line["annotator"] == "r1",
                "wrong_variations": ["ken"] if "ken" in line["variations"] else [],
            }
            for line in lines_of(path)
        ]
        write_lines(path, told)

    code, facts, _ = command(
        "dtails", "annotate", "import", *sorted(out.iterdir()), "--out", joined, "--json"
    )
    _, report, _ = command("agreement", joined, "--json")

    found = json.loads(report)["languages"]["af"]
    assert code == 0
    assert json.loads(facts)["n_unanswered"] == 0
    # 5 of 6 variations mean their concept; most say of every concept that it is complete
    assert found["variations"]["precision"] == pytest.approx(5 / 6)
    assert found["completeness"]["recall"] == 1.0


def test_sentences_that_two_annotators_agree_on_are_kept(command, candidates, tmp_path):
    out, joined, kept = (tmp_path / name for name in ("out", "answers.jsonl", "kept.csv"))
    command(
        *("dtails", "annotate", "export", "sentences", "--candidates", candidates),
        *("--language", "af", "--out", out, "--seed", 5),
    )
    for path in out.iterdir():
        # everybody takes `weet`, which is the label of the sentences 0 and 2
        told = [
            {**line, "choice": "weet", "confidence": "Absolutely sure"} for line in lines_of(path)
        ]
        assert all("label" not in line for line in told)
        write_lines(path, told)

    code, facts, _ = command(
        *("dtails", "annotate", "import", *sorted(out.iterdir()), "--out", joined),
        *("--candidates", candidates, "--language", "af", "--kept", kept, "--json"),
    )
    _, report, _ = command("agreement", joined, "--json")

    assert code == 0
    assert (json.loads(facts)["n_annotated"], json.loads(facts)["n_kept"]) == (4, 2)
    context = json.loads(report)["languages"]["af"]["sufficient_context"]
    assert (context["value"], context["n_kept"]) == (0.5, 2)
    with kept.open(encoding="utf-8", newline="") as file:
        assert [row["source language text"] for row in csv.DictReader(file)] == [
            "I know 0.",
            "I know 2.",
        ]


def test_nobody_is_in_both_studies(refused, command, words, candidates, tmp_path):
    out = tmp_path / "out"
    command(
        *("dtails", "annotate", "export", "rules", "--words", words, "--language", "af"),
        *("--out", out, "--annotators", "a,b,c"),
    )

    told = refused(
        *("dtails", "annotate", "export", "sentences", "--candidates", candidates),
        *("--language", "af", "--out", out, "--annotators", "d,e,c"),
    )

    assert "--annotators c: is in the other study" in told


def test_what_annotators_have_filled_in_is_not_written_over(refused, command, words, tmp_path):
    export = ("dtails", "annotate", "export", "rules", "--words", words, "--language", "af")
    command(*export, "--out", tmp_path / "out")

    assert "exists already; --force" in refused(*export, "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("annotators", "reason"),
    [("jan@example.org,b,c", "'jan@example.org'"), ("a,a,b", "an id stands twice")],
)
def test_annotators_are_anonymous_and_distinct(refused, words, tmp_path, annotators, reason):
    export = ("dtails", "annotate", "export", "rules", "--words", words, "--language", "af")

    assert reason in refused(*export, "--out", tmp_path / "out", "--annotators", annotators)


def test_an_answer_that_was_not_offered_is_named_with_file_and_line(
    refused, command, candidates, tmp_path
):
    out = tmp_path / "out"
    command(
        *("dtails", "annotate", "export", "sentences", "--candidates", candidates),
        *("--language", "af", "--out", out),
    )
    path = out / "sentences-af-s1.jsonl"
    lines = lines_of(path)
    write_lines(path, [lines[0], {**lines[1], "choice": "besef"}])

    told = refused("dtails", "annotate", "import", path, "--out", tmp_path / "answers.jsonl")

    assert f"{path}, line 2" in told
    assert "'besef' is none of the variations" in told


def test_an_answer_about_a_rule_that_was_not_shown_is_named_with_file_and_line(
    refused, command, words, tmp_path
):
    out = tmp_path / "out"
    command(
        *("dtails", "annotate", "export", "rules", "--words", words, "--language", "af"),
        *("--out", out),
    )
    path = out / "rules-af-r1.jsonl"
    [first, *rest] = lines_of(path)
    write_lines(path, [{**first, "rule_is_correct": {first["variations"][0]: True}}, *rest])

    told = refused("dtails", "annotate", "import", path, "--out", tmp_path / "answers.jsonl")

    assert f"{path}, line 1: " in told
    assert "rule_is_correct answers for" in told


@pytest.fixture
def wordnet(tmp_path):
    """Three senses of `shot`."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    line = "shot n 3 1 @ 3 2 00000001 00000002 00000003\n"
    (folder / "index.noun").write_text("  a licence line\n" + line)
    (folder / "index.verb").write_text("  a licence line\n")
    return folder


@pytest.fixture
def inventory(tmp_path):
    path = tmp_path / "wn-data-spa.tab"
    path.write_text(
        "# Test\tspa\n00000001-n\tlemma\tdisparo\n00000002-n\tlemma\tchupito\n"
        "00000003-n\tlemma\tfoto\n"
    )
    return path


def candidate(name, **changes):
    sentence = f"A shot of rum, number {name}."
    given = {"id": name, "sentence": sentence, "word": "shot", "start": 2, "lemma": "shot"}
    return {**given, "pos": "NOUN", "synset": DRINK, "source": f"book {name}", **changes}


@pytest.fixture
def built(command, wordnet, inventory, tmp_path):
    """A data folder made of two candidates, one of which is an idiom."""
    candidates = write_lines(
        tmp_path / "candidates.jsonl", [candidate("a"), candidate("b", discard="idiom")]
    )
    out = tmp_path / "built"
    code, told, err = command(
        *("dibimt", "build", candidates, "--inventory", f"es={inventory}"),
        *("--wordnet", wordnet, "--out", out, "--json"),
    )
    assert code == 0, err
    return out, json.loads(told)


def test_items_are_built_and_pass_the_check(command, built):
    folder, told = built

    code, _, err = command("check", "dibimt", "--data", folder, "--json")

    assert (told["n_items"], told["n_discarded"]) == (1, {"idiom": 1})
    assert lines_of(folder / "discarded.jsonl") == [{"id": "b", "reason": "idiom"}]
    assert code == 0, err


def test_annotators_review_what_was_built_and_statistics_count_it(command, built, tmp_path):
    folder, _ = built
    sheet, out = tmp_path / "review.jsonl", tmp_path / "reviewed"
    command("dibimt", "review", "export", folder, "--out", sheet)
    (line,) = lines_of(sheet)
    write_lines(sheet, [{**line, "add_good": ["trago"]}])

    code, told, _ = command("dibimt", "review", "import", folder, sheet, "--out", out, "--json")
    _, statistics, _ = command("dibimt", "statistics", out, "--json")
    _, table, _ = command("dibimt", "statistics", out)

    assert (line["good"], line["bad"]) == (["chupito"], ["disparo", "foto"])
    assert code == 0
    assert json.loads(told)["n_changed"] == 1
    spanish = json.loads(statistics)["languages"]["es"]
    # one of two good lemmas is an annotator's; none of the wordnet's one was removed
    assert (spanish["added_share"], spanish["removed_share"]) == (0.5, 0.0)
    assert "50.000" in table


def test_a_review_that_does_not_fit_is_named_with_file_and_line(refused, built, tmp_path):
    folder, _ = built
    review = {"id": "a", "language": "es", "remove_good": ["copa"]}
    sheet = write_lines(tmp_path / "review.jsonl", [review])

    told = refused("dibimt", "review", "import", folder, sheet, "--out", tmp_path / "reviewed")

    assert f"{sheet}, line 1" in told
    assert "removes 'copa'" in told


def test_the_reviewed_items_never_replace_those_that_were_reviewed(refused, built, tmp_path):
    folder, _ = built
    sheet = write_lines(tmp_path / "review.jsonl", [{"id": "a", "language": "es"}])

    told = refused("dibimt", "review", "import", folder, sheet, "--out", folder, "--force")

    assert "name a new one" in told


@pytest.mark.parametrize(
    ("inventories", "reason"),
    [(["es"], "expected language=file"), (["es=none.tab"], "none.tab: no such file")],
)
def test_wrong_use_of_build_is_one_line(refused, wordnet, tmp_path, inventories, reason):
    candidates = write_lines(tmp_path / "candidates.jsonl", [candidate("a")])
    options = [word for each in inventories for word in ("--inventory", each)]

    told = refused(
        *("dibimt", "build", candidates, *options, "--wordnet", wordnet),
        *("--out", tmp_path / "out"),
    )

    assert reason in told


@pytest.fixture
def run_id(command, tmp_path, database_url, monkeypatch):
    """A run in which every Spanish translation misses, the first as a copy of the source."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    items = lines_of(Dibimt.sample / "items.jsonl")
    answers = [
        {
            "key": f"dibimt/translate/es/{item['id']}",
            "response": {"text": item["sentence"] if number == 0 else "zzz qqq"},
        }
        for number, item in enumerate(items)
    ]
    recorded = write_lines(tmp_path / "said.jsonl", answers)
    code, out, err = command(
        *("run", "dibimt", "--model", f"replay:{recorded}", "--language", "es"),
        *("--task", "translate", "--json"),
    )
    assert code == 0, err
    return json.loads(out)["run"]


def test_misses_are_drawn_coded_and_counted(command, refused, run_id, tmp_path):
    sheet = tmp_path / "misses.jsonl"

    code, told, _ = command(
        "dibimt", "miss-study", "export", run_id, "--out", sheet, "--n", 5, "--json"
    )
    lines = lines_of(sheet)
    coded = [{**line, "cause": line["cause"] or "omitted_word"} for line in lines]
    write_lines(sheet, coded)
    _, counted, _ = command("dibimt", "miss-study", "import", run_id, sheet, "--json")
    table_code, table, _ = command("dibimt", "miss-study", "table", sheet)

    assert code == table_code == 0
    assert json.loads(told)["languages"]["es"]["n"] == len(lines) == 5
    causes = json.loads(counted)["languages"]["es"]["causes"]
    assert len(causes) == 7
    assert causes["omitted_word"]["n"] + causes["copied_source"]["n"] == 5
    assert "omitted word" in table


def test_a_miss_of_another_run_is_named_with_file_and_line(command, refused, run_id, tmp_path):
    sheet = tmp_path / "misses.jsonl"
    command("dibimt", "miss-study", "export", run_id, "--out", sheet)
    lines = lines_of(sheet)
    write_lines(sheet, [lines[0], {**lines[1], "translation": "other"}])

    told = refused("dibimt", "miss-study", "import", run_id, sheet)

    assert f"{sheet}, line 2" in told
    assert "has another translation" in told
