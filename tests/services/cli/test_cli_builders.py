"""Commands that build and check data: bws, agreement, mine, rules make, finetune, dibimt senses."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.dtails.rules_artefact import read_artefact

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 120


@pytest.fixture
def polysense(tmp_path):
    """Run the command in a process of its own, with a home that holds nothing."""
    environment = {**os.environ, "POLYSENSE_HOME": str(tmp_path / "a home"), "COLUMNS": "80"}

    def call(*words, **more):
        return subprocess.run(
            [sys.executable, "-m", "services.cli.main", *map(str, words)],
            cwd=ROOT,
            env={**environment, **more},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    return call


def is_one_line(text):
    return len(text.strip().splitlines()) == 1


def write_csv(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def annotations(tmp_path):
    """Two annotators of one tuple: the first pair is twice the best, the last once the worst."""
    header = ["Pair1", "Pair2", "Pair3", "Pair4", "Best", "Worst"]
    pairs = [str([f"left {n}", f"right {n}"]) for n in range(1, 5)]
    rows = [[*pairs, 1, 4], [*pairs, 1, 3], [*pairs, 2, 2]]
    return write_csv(tmp_path / "some bws.csv", [header, *rows])


def test_best_worst_scores_are_one_json_document(polysense, annotations):
    done = polysense("bws", annotations, "--json")

    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (found["n_pairs"], found["n_dropped"]) == (4, 1)
    assert "split_half_reliability" in found
    # first: (2 - 0) / 2 = 1 → 1.00; second: 0 → 0.50; third and fourth: -1 / 2 → 0.25
    assert sorted(found["scores"].values()) == [0.25, 0.25, 0.5, 1.0]


def test_best_worst_scores_fit_eighty_columns(polysense, annotations):
    done = polysense("bws", annotations)

    assert done.returncode == 0
    assert "rows left out: 1" in done.stdout
    assert "left 1 | right 1" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_what_annotators_dispute_is_told_and_written(polysense, annotations, tmp_path):
    file = tmp_path / "disputed.jsonl"

    done = polysense("bws", annotations, "--json", "--disagreement", file)
    table = polysense("bws", annotations)

    found = json.loads(done.stdout)["disagreement"]
    [disputed] = found["tuples"]
    # two annotators: the same best, different worsts
    assert (disputed["n_annotations"], disputed["best"], disputed["worst"]) == (2, 0.0, 1.0)
    assert len(disputed["pairs"]) == 4
    assert [row["worst"] for row in found["pairs"]] == [1.0, 1.0, 0.0, 0.0]
    assert {row["n_annotations"] for row in found["pairs"]} == {2}
    assert len(file.read_text("utf-8").splitlines()) == 5
    assert "most disputed tuples" in table.stdout


def test_proposed_tuples_can_be_annotated_and_read_again(polysense, tmp_path):
    rows = [[f"p{n}", f"left {n}\nright {n}"] for n in range(8)]
    pairs = write_csv(tmp_path / "pairs.csv", [["PairID", "Text"], *rows])
    sheet = tmp_path / "tuples.csv"

    done = polysense("bws", pairs, "--tuples", sheet, "--json")
    with sheet.open(encoding="utf-8", newline="") as file:
        header, *proposed = csv.reader(file)
    write_csv(sheet, [header, *([*row[:4], 1, 4] for row in proposed)])
    report = json.loads(polysense("bws", sheet, "--json").stdout)

    assert json.loads(done.stdout)["n_tuples"] == len(proposed) == 16
    assert (report["n_pairs"], report["n_annotations"], report["n_dropped"]) == (8, 16, 0)


def annotation(annotator, is_missing, wrong):
    return {
        "study": "rules",
        "annotator": annotator,
        "language": "af",
        "concept": "tell",
        "variations": ["vertel", "sê"],
        "is_any_missing": is_missing,
        "wrong_variations": wrong,
    }


def test_agreement_of_annotators_is_told_by_language(polysense, tmp_path):
    lines = [annotation("a1", False, []), annotation("a2", False, []), annotation("a3", True, [])]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    document = json.loads(polysense("agreement", file, "--json").stdout)
    table = polysense("agreement", file)

    report = document["languages"]["af"]
    assert report["variations"]["total_agreement"] == 1.0
    assert report["completeness"]["total_agreement"] == 0.0
    assert report["completeness"]["pabak"] == -1.0
    assert report["completeness"]["recall"] == 1.0
    assert table.returncode == 0
    assert "precision 1.000" in table.stdout


@pytest.fixture
def corpus(tmp_path):
    """Sixty sentences in which `dog` is translated in two ways equally often."""
    source, target = tmp_path / "en.txt", tmp_path / "af.txt"
    names = ("Anna", "Piet", "Jan", "Sara", "Lena")
    pairs = [
        (f"{names[n % 5]} sees dog", f"{names[n % 5]} sien {('hond', 'brak')[n % 2]}")
        for n in range(60)
    ]
    source.write_text("".join(f"{one}\n" for one, _ in pairs))
    target.write_text("".join(f"{other}\n" for _, other in pairs))
    (tmp_path / "af.words").write_text("dog,NOUN,brak;hond\ncat,NOUN,kat;kater\n")
    return source, target, tmp_path / "af.words"


def test_a_corpus_is_mined_and_known_concepts_are_found_again(polysense, corpus, tmp_path):
    source, target, words = corpus
    files = ("--source", source, "--target", target, "--language", "af", "--words", words)
    out = tmp_path / "mined"

    done = polysense("mine", *files, "--min-count", 10, "--out", out, "--json")

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    [dog] = [found for found in report["concepts"] if found["concept"] == "dog"]
    assert dog["variations"] == {"brak": 30, "hond": 30}
    assert (report["known"]["n_concepts"], report["known"]["n_concepts_found"]) == (2, 1)
    assert report["known"]["n_variations_found"] == 2
    assert sorted(path.name for path in out.iterdir()) == [
        "af.words",
        "candidates.csv",
        "report.json",
    ]
    assert json.loads((out / "report.json").read_text()) == report


def test_the_mined_concepts_are_told_in_eighty_columns(polysense, corpus):
    source, target, words = corpus
    files = ("--source", source, "--target", target, "--language", "af", "--words", words)

    done = polysense("mine", *files, "--min-count", 10)

    assert done.returncode == 0
    assert "concepts: 1 of 2; variations: 2 of 4" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.fixture
def dtails(tmp_path):
    """Two concepts of one language, with train sentences of the first."""
    folder = tmp_path / "dtails data" / "en-af"
    folder.mkdir(parents=True)
    header = ["concept", "source language text", "target language text", "variations", "label"]
    tell, live = str(["vertel", "sê"]), str(["woon", "leef"])
    rows = [
        ["tell", "tell me", "vertel my", tell, "vertel"],
        ["live", "I live", "woon", live, "woon"],
    ]
    write_csv(folder / "expert_dataset.csv", [header, *rows])
    train = [["tell", "they tell", "hulle sê", tell, "sê"]]
    write_csv(folder / "train_dataset.csv", [header, *train])
    return folder.parent


@pytest.fixture
def answers(tmp_path):
    """A first answer that is no JSON and a retry that is; and one that never gets better."""
    rules = json.dumps({"vertel": "stories", "sê": "words"}, ensure_ascii=False)
    records = [
        {"key": "dtails/rules/af/tell", "response": {"text": "Sure!"}},
        {"key": "dtails/rules/af/tell/retry", "response": {"text": rules}},
        {"key": "dtails/rules/af/live", "response": {"text": "never JSON"}},
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_rules_are_made_with_retries_and_a_run_uses_them(
    polysense, dtails, answers, tmp_path, database_url
):
    out = tmp_path / "rules.json"
    place = {"DATABASE_URL": database_url}
    data = ("--data", dtails, "--language", "af")

    made = polysense(
        "rules", "make", *data, "--model", f"replay:{answers}", "--out", out, "--json", **place
    )
    setting = ("--setting", f"rules={out}", "--task", "select", "--seed", 1)
    run = polysense("run", "dtails", *data, "--model", "fake", *setting, "--json", **place)

    assert made.returncode == 0, made.stderr
    [counts] = json.loads(made.stdout)["languages"]
    assert counts == {"language": "af", "n_concepts": 2, "n_valid": 1, "n_tries": 5}
    concepts = read_artefact(out).languages["af"].concepts
    assert concepts["tell"].rules == {"vertel": "stories", "sê": "words"}
    assert concepts["tell"].n_sentences == 1
    assert concepts["live"].rules is None
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["n_answered"] == 2


def test_without_an_answer_no_rules_are_written(polysense, dtails, tmp_path, database_url):
    (tmp_path / "empty.jsonl").touch()
    out = tmp_path / "rules.json"

    done = polysense(
        *("rules", "make", "--data", dtails, "--model", f"replay:{tmp_path}/empty.jsonl"),
        *("--out", out),
        DATABASE_URL=database_url,
    )

    assert done.returncode == 1
    assert "2 requests without an answer" in done.stderr
    assert not out.exists()


def test_rules_that_would_rest_on_no_sentence_are_not_made(polysense, dtails, answers, tmp_path):
    (dtails / "en-af" / "train_dataset.csv").unlink()

    done = polysense(
        *("rules", "make", "--data", dtails, "--model", f"replay:{answers}"),
        *("--out", tmp_path / "rules.json"),
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert is_one_line(done.stderr)
    assert "rules for af would rest on no sentence" in done.stderr


def test_rules_of_which_none_can_be_used_end_with_1_and_a_sentence(
    polysense, dtails, answers, tmp_path, database_url
):
    answers.write_text(
        "".join(
            json.dumps({"key": f"dtails/rules/af/{name}", "response": {"text": "no"}}) + "\n"
            for name in ("tell", "live")
        )
    )

    done = polysense(
        *("rules", "make", "--data", dtails, "--model", f"replay:{answers}"),
        *("--out", tmp_path / "rules.json"),
        DATABASE_URL=database_url,
    )

    assert done.returncode == 1
    assert "no concept has rules that can be used" in done.stderr


@pytest.fixture
def wordnet(tmp_path):
    """Two senses of `bank`, of which the first was tagged three times."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    line = "bank n 2 0 2 1 00000001 00000002  \n"
    (folder / "index.noun").write_text("  a licence line\n" + line)
    (folder / "index.verb").write_text("  a licence line\n")
    (folder / "cntlist.rev").write_text("bank%1:17:01:: 1 3\n")
    return folder


def test_senses_show_where_frequency_ends(polysense, wordnet):
    words = ("dibimt", "senses", "bank", "--pos", "NOUN", "--wordnet", wordnet)

    table, document = polysense(*words), json.loads(polysense(*words, "--json").stdout)

    assert table.returncode == 0
    assert "δ = 2" in table.stdout
    assert "frequency ends here" in table.stdout
    assert [(row["mu"], row["count"]) for row in document["rows"]] == [(1, 3), (2, 0)]
    assert (document["delta"], document["n_with_frequency"]) == (2, 1)


@pytest.fixture
def semrel(tmp_path):
    """A train set of two pairs and a test set of one."""
    folder = tmp_path / "semrel data"
    place = folder / "Track A" / "amh"
    place.mkdir(parents=True)
    header = ["PairID", "Text", "Score"]
    rows = [["p1", "one\ntwo", 0.5], ["p2", "three\nfour", 0.25]]
    write_csv(place / "amh_train.csv", [header, *rows])
    write_csv(place / "amh_test_with_labels.csv", [header, ["p3", "five\nsix", 0.75]])
    return folder


def test_finetuning_starts_the_scorers_training_on_the_chosen_rows(polysense, semrel, tmp_path):
    done = polysense(
        *("finetune", "semrel", "--data", semrel, "--train", "amh", "--out", tmp_path / "tuned"),
        *("--model", f"hf:{tmp_path}/no-model"),
    )

    assert done.returncode == 2
    assert "joint: 2 pairs of amh" in done.stderr
    assert "no-model" in done.stderr
    assert not (tmp_path / "tuned").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("bws", "none.csv"), "none.csv: cannot be read"),
        (("agreement", "none.jsonl"), "none.jsonl"),
        (("mine", "--source", "a", "--target", "b", "--language", "af"), "no file at a"),
        (("mine", "--source", "a", "--target", "b"), "--language"),
        (("rules", "make", "--data", "none", "--model", "fake", "--out", "x"), "no data folder"),
        (("dibimt", "senses", "bank", "--pos", "NOUN", "--wordnet", "none"), "none"),
        (("finetune", "semrel", "--data", "none", "--out", "x"), "no data folder"),
        (("finetune", "semrel", "--data", ".", "--out", "x", "--model", "fake"), "demo-encoder"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_two(polysense, words, reason):
    done = polysense(*words)

    assert done.returncode == 2
    assert is_one_line(done.stderr)
    assert reason in done.stderr
    assert done.stdout == ""


def test_wrong_values_name_what_is_allowed(polysense, dtails, semrel, wordnet, corpus, tmp_path):
    source, target, _ = corpus
    rules = ("rules", "make", "--data", dtails, "--out", tmp_path / "r.json")
    mine = ("mine", "--source", source, "--target", target, "--language", "af")
    tune = ("finetune", "semrel", "--data", semrel, "--out", tmp_path / "t")
    wrong = {
        "it has: af": (*rules, "--model", "fake", "--language", "xx"),
        "rules_sentences": (*rules, "--model", "fake", "--setting", "parser=strict"),
        "greater than or equal to 1": (*mine, "--min-count", 0),
        "allowed: amh": (*tune, "--train", "amh,xyz"),
        "allowed: NOUN": ("dibimt", "senses", "bank", "--pos", "X", "--wordnet", wordnet),
    }

    ended = {reason: polysense(*words) for reason, words in wrong.items()}

    for reason, done in ended.items():
        assert (done.returncode, done.stdout) == (2, "")
        assert reason in done.stderr
