"""Commands that build data: xcomps build, semrel propose, bws tuples, published."""

import csv
import json

import pytest

from benchmarks.xcomps.benchmark import Xcomps


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def recording(path, texts):
    """Write recorded answers, by request key."""
    return write_lines(path, [{"key": k, "response": {"text": t}} for k, t in texts.items()])


@pytest.fixture
def terms(command, tmp_path):
    """The terms of one group of the sample, and what the command said."""
    seeds = write_lines(tmp_path / "seeds.jsonl", [{"en": "a mug", "de": "ein Becher"}])
    out = tmp_path / "terms.jsonl"
    options = ("--data", Xcomps.sample, "--limit", 1, "--out", out, "--json")
    code, told, _ = command("xcomps", "build", "terms", *options, "--seeds", seeds)
    assert code == 0
    return out, json.loads(told)


@pytest.fixture
def reviewed(command, terms, tmp_path, database_url, monkeypatch):
    """A review file: every term proposed by a recorded model, one of them corrected."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    path, _ = terms
    answers = {
        f"xcomps/build/es/term/{term['id']}": f"es {term['en']}\nwith a remark"
        for term in lines_of(path)
    }
    model = f"replay:{recording(tmp_path / 'terms-said.jsonl', answers)}"
    out = tmp_path / "review.jsonl"
    code, _, err = command(
        *("xcomps", "build", "translate", path, "--language", "es"),
        *("--model", model, "--out", out),
    )
    assert code == 0, err
    rows = lines_of(out)
    rows[0]["reviewed"] = "corrected"
    return write_lines(out, rows)


def test_terms_are_listed_once_with_their_seeds_and_a_manifest(terms, tmp_path):
    path, told = terms

    found = lines_of(path)
    assert told["n_terms"] == len(found) == 6
    assert {term["kind"] for term in found} == {"concept", "property"}
    manifest = json.loads((tmp_path / "manifest.terms.json").read_text())
    assert (manifest["step"], manifest["limit"]) == ("terms", 1)
    assert len(manifest["sha256"]["seeds"]) == 64


def test_english_is_no_new_language(refused, terms, tmp_path):
    path, _ = terms
    options = ("--model", "fake", "--out", tmp_path / "review.jsonl")

    told = refused("xcomps", "build", "translate", path, "--language", "en", *options)

    assert "--language en: COMPS is English already" in told


def test_the_folder_of_a_relative_out_is_made(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--data", Xcomps.sample, "--limit", 1, "--out", "built/new/terms.jsonl")

    code, _, err = command("xcomps", "build", "terms", *options)

    assert code == 0, err
    assert (tmp_path / "built" / "new" / "terms.jsonl").is_file()


def test_the_folder_of_an_absolute_out_must_be_there(refused, tmp_path):
    out = tmp_path / "nowhere" / "terms.jsonl"

    told = refused("xcomps", "build", "terms", "--data", Xcomps.sample, "--out", out)

    assert f"no folder {out.parent}" in told


def test_translations_are_proposed_for_a_person_to_review(reviewed, tmp_path):
    rows = lines_of(reviewed)

    assert rows[1]["proposed"] == f"es {rows[1]['en']}"
    assert rows[1]["reviewed"] == ""
    manifest = json.loads((tmp_path / "manifest.review.json").read_text())
    assert manifest["model"].startswith("terms-said.jsonl@")
    assert len(manifest["sha256"]["terms"]) == 64


def test_sentence_pairs_keep_compss_ids_and_can_be_run(command, reviewed, tmp_path):
    pairs = lines_of(Xcomps.sample / "comps_base_sample.jsonl")[:4]
    said = {
        f"xcomps/build/es/pair/{pair['id']}": json.dumps(
            {"acceptable": f"sí {number}", "unacceptable": f"no {number}"}
        )
        for number, pair in enumerate(pairs)
    }
    said[f"xcomps/build/es/pair/{pairs[3]['id']}"] = "I cannot do that."
    model = f"replay:{recording(tmp_path / 'pairs-said.jsonl', said)}"
    folder = tmp_path / "built"
    folder.mkdir()
    out = folder / "comps_es_built.jsonl"
    options = ("--data", Xcomps.sample, "--limit", 1, "--language", "es", "--model", model)

    code, told, err = command(
        "xcomps", "build", "pairs", reviewed, *options, "--out", out, "--json"
    )
    run_code, ran, trouble = command(
        *("run", "xcomps", "--data", folder, "--model", "fake", "--task", "direct", "--json")
    )

    assert code == 0, err
    assert json.loads(told) == {
        "schema": 1, "file": str(out), "n_pairs": 4, "n_built": 3, "n_failed": 1,
    }  # fmt: skip
    assert [str(record["id"]) for record in lines_of(out)] == [str(p["id"]) for p in pairs[:3]]
    assert "corrected" in out.read_text()
    manifest = json.loads(out.with_name("manifest.comps_es_built.json").read_text())
    assert list(manifest["failed"]) == [str(pairs[3]["id"])]
    assert run_code == 0, trouble
    assert json.loads(ran)["n_items"] == 3


def test_without_an_answer_no_step_is_written(command, terms, tmp_path, database_url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database_url)
    path, _ = terms
    (tmp_path / "empty.jsonl").touch()
    out = tmp_path / "review.jsonl"

    code, _, err = command(
        *("xcomps", "build", "translate", path, "--language", "es", "--out", out),
        *("--model", f"replay:{tmp_path}/empty.jsonl"),
    )

    assert code == 1
    assert "6 requests without an answer" in err
    assert not out.exists()


def test_a_step_is_not_written_over(refused, command, terms, tmp_path):
    path, _ = terms
    words = ("xcomps", "build", "terms", "--data", Xcomps.sample, "--out", path)

    assert "exists already; --force replaces it" in refused(*words)
    code, _, _ = command(*words, "--force")
    assert code == 0
    assert len(lines_of(path)) > 6


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--data", "none"), "no data folder"),
        (("--data", ".", "--limit", 0), "greater than or equal to 1"),
        (("--data", "."), "has no file comps_base"),
    ],
)
def test_wrong_use_of_a_step_is_one_line(refused, tmp_path, words, reason):
    assert reason in refused("xcomps", "build", "terms", *words, "--out", tmp_path / "t.jsonl")


def test_a_review_line_that_is_not_complete_is_named(refused, tmp_path):
    review = write_lines(tmp_path / "r.jsonl", [{"kind": "concept", "en": "mug"}])
    options = ("--data", Xcomps.sample, "--model", "fake", "--out", tmp_path / "comps_es_x.jsonl")

    told = refused("xcomps", "build", "pairs", review, "--language", "es", *options)

    assert f"{review}, line 1: 'proposed' is missing" in told


def test_an_unknown_language_needs_a_name(refused, tmp_path):
    terms = write_lines(tmp_path / "t.jsonl", [{"id": 0, "kind": "concept", "en": "mug"}])
    words = ("xcomps", "build", "translate", terms, "--model", "fake", "--out", tmp_path / "r")

    assert "give --language-name" in refused(*words, "--language", "xx")
    assert "2 or 3 small letters" in refused(*words, "--language", "Klingon")


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    sentences = [f"the cat number {n} sat on mat {n % 7}" for n in range(40)]
    path.write_text("\n".join(sentences) + "\n")
    return path


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_pairs_are_proposed_by_every_method_and_become_tuples(command, corpus, tmp_path):
    paraphrases = tmp_path / "paraphrases.tsv"
    paraphrases.write_text("it is raining again today here\tagain it rains here on this day\n")
    similar = tmp_path / "similar.tsv"
    similar.write_text("it is raining again today here\tthe sun is out again today\t0.4\n")
    pairs, sheet = tmp_path / "pairs.csv", tmp_path / "tuples.csv"

    code, told, _ = command(
        *("semrel", "propose", "--corpus", corpus, "--paraphrases", paraphrases),
        *("--similarities", similar, "--n", 8, "--seed", 3, "--out", pairs, "--json"),
    )
    tuples_code, tuples_told, _ = command("bws", "tuples", pairs, "--out", sheet, "--json")

    assert code == tuples_code == 0
    found = json.loads(told)
    rows = read_csv(pairs)
    assert set(found["n_by_method"]) == {
        "overlap", "tf-idf", "contiguity", "random", "paraphrase", "similarity",
    }  # fmt: skip
    assert sum(found["n_by_method"].values()) == found["n_pairs"] == len(rows)
    assert json.loads(tuples_told)["n_tuples"] == 2 * len(rows) == len(read_csv(sheet))


def test_the_same_seed_proposes_the_same_pairs(command, corpus, tmp_path):
    files = [tmp_path / name for name in ("one.csv", "two.csv", "three.csv")]
    for seed, path in zip((1, 1, 2), files, strict=True):
        command(
            *("semrel", "propose", "--corpus", corpus, "--method", "random"),
            *("--seed", seed, "--n", 5, "--out", path),
        )

    first, again, other = (path.read_text() for path in files)
    assert first == again != other


def test_sentences_that_are_too_long_are_left_out(command, corpus, tmp_path):
    out = tmp_path / "pairs.csv"

    code, told, _ = command(
        *("semrel", "propose", "--corpus", corpus, "--max-words", 3, "--min-words", 1),
        *("--out", out, "--json"),
    )

    assert (code, json.loads(told)["n_pairs"]) == (0, 0)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "nothing to draw from"),
        (("--corpus", "none.txt"), "none.txt: cannot be read"),
        (("--method", "random"), "--method random needs --corpus"),
        (("--corpus", "none.txt", "--min-words", 9, "--max-words", 3), "--min-words 9"),
    ],
)
def test_wrong_use_of_propose_is_one_line(refused, tmp_path, words, reason):
    assert reason in refused("semrel", "propose", *words, "--out", tmp_path / "p.csv")


def test_a_broken_line_of_similarities_is_named(refused, tmp_path):
    path = tmp_path / "similar.tsv"
    path.write_text("one two\tthree\t0.5\none\ttwo\tmany\n")

    told = refused("semrel", "propose", "--similarities", path, "--out", tmp_path / "p.csv")

    assert f"{path}:2: the similarity 'many' is not a number" in told


def test_tuples_are_not_written_over(refused, tmp_path):
    (tmp_path / "t.csv").touch()

    told = refused("bws", "tuples", tmp_path / "pairs.csv", "--out", tmp_path / "t.csv")

    assert "exists already" in told


def test_published_values_are_listed_with_sources_errors_and_gaps(command):
    code, table, _ = command("published", "semrel", "--language", "eng")
    _, document, _ = command("published", "semrel", "--json")

    found = json.loads(document)
    assert code == 0
    assert "known error: Table 4" in table
    assert "not at hand" in table
    assert found["tag"] == "published"
    assert all(each["source"] for each in found["values"])


def test_a_table_that_is_not_at_hand_is_wrong_use(refused):
    assert "--table 12: no such value" in refused("published", "semrel", "--table", 12)
