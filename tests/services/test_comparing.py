"""Which stored runs may be compared, and what a comparison is as JSON."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from benchmarks.benchmark import Item, Outcome
from metrics.comparison import DEFAULT_DIMENSIONS
from metrics.comparison_matching import UnlikeError
from services.comparing import FIELDS, check_alike, compare_stored, document, read_dimensions, told
from storage import items, outcomes, runs
from storage.records import NewRun, Run, StoredOutcome

A, B = "01RVN00000000000000000000A", "01RVN00000000000000000000B"
ITEMS = [Item(str(n), "amh", None, f"p{n}", {}) for n in range(30)]


def manifest(sha256="11", **benchmark):
    versions = {"metric_version": "1", "prompt_version": "1", "judge_version": "1", **benchmark}
    return {"data": {"files": [{"name": "amh.csv", "sha256": sha256}]}, "benchmark": versions}


def a_run(run_id=A, **changes):
    given = {
        "id": run_id, "benchmark": "semrel", "model": "fake", "spec": {}, "manifest": manifest(),
        "item_set": "set", "n_items": 30, "cells": (("relatedness", ""),), "settings": {},
        "seed": 0, "status": "finished", "created_at": datetime.now(UTC),
    }  # fmt: skip
    return Run(**{**given, **changes})


@pytest.fixture
async def two_runs(database):
    """Store two runs: B ranks as the gold does, A hardly."""
    await items.put(database, "set", ITEMS)
    for run_id, step in ((A, 7), (B, 1)):
        told_of = a_run(run_id)
        fields = {name: getattr(told_of, name) for name in NewRun.__dataclass_fields__}
        await runs.create(database, NewRun(**fields))
        rows = [
            StoredOutcome(
                n, "relatedness", "", "amh", None, f"p{n}",
                Outcome((n * step % 30) / 30, detail={"gold": n / 30}),
            )
            for n in range(30 if run_id == A else 28)
        ]  # fmt: skip
        await outcomes.put(database, run_id, rows)
        await runs.set_status(database, run_id, "finished", allowed_from=["queued"])
    return await runs.get(database, A), await runs.get(database, B)


async def test_the_document_has_the_fields_that_programs_rely_on(database, two_runs):
    found = await compare_stored(database, *two_runs)

    body = document(found, DEFAULT_DIMENSIONS)
    assert set(body) == {"comparisons", "verdict"}
    assert [tuple(row) for row in body["comparisons"]] == [FIELDS, FIELDS]
    first = body["comparisons"][0]
    assert (first["metric"], first["language"], first["n"]) == ("spearman", "amh", 28)
    assert first["difference"] == pytest.approx(first["b"] - first["a"])
    assert first["p_holm"] < 0.05
    assert body["verdict"] == "spearman: B is better on 1 of 1 language after Holm"
    assert told(found)[0].endswith("unmatched cases: 2 of A, 0 of B")


async def test_layers_and_settings_are_named_where_they_are_asked_for(database, two_runs):
    dimensions = read_dimensions(["task", "language", "subset", "setting"])

    found = await compare_stored(database, *two_runs, dimensions=dimensions)

    assert "setting" in document(found, dimensions)["comparisons"][0]


def test_unlike_runs_are_refused_and_forced_ones_are_warned_of():
    one = a_run()
    for other, message in (
        (a_run(B, manifest=manifest("22")), "the data differ: amh.csv is not the same file"),
        (a_run(B, manifest=manifest(metric_version="2")), "the metrics differ: version 1 in A, 2"),
    ):
        with pytest.raises(UnlikeError, match=message):
            check_alike(one, other, force=False)
        assert check_alike(one, other, force=True)[0].startswith(message)
    other_data = {"data": {"files": [{"name": "hau.csv", "sha256": "1"}]}}
    with pytest.raises(UnlikeError, match="no file in common"):
        check_alike(one, a_run(B, manifest={**manifest(), **other_data}), force=False)


def test_other_benchmarks_are_never_compared():
    with pytest.raises(UnlikeError, match="A is a run of semrel, B of dtails"):
        check_alike(a_run(), a_run(B, benchmark="dtails"), force=True)


def test_other_prompts_and_unfinished_runs_are_warned_of():
    other = a_run(B, manifest=manifest(prompt_version="2"), status="paused")

    assert check_alike(a_run(), other, force=False) == [
        "the prompts differ: version 1 in A, 2 in B",
        "B is paused: only what is answered by now is compared",
    ]


async def test_another_split_is_refused(database, two_runs):
    first, second = two_runs
    dev = [replace(item, subset="dev") for item in ITEMS]
    await items.put(database, "dev", dev)
    other = "01RVN00000000000000000000C"
    names = NewRun.__dataclass_fields__
    fields = {name: getattr(second, name) for name in names}
    await runs.create(database, NewRun(**{**fields, "id": other, "item_set": "dev"}))
    await outcomes.put(
        database, other, [StoredOutcome(0, "relatedness", "", "amh", "dev", "p0", Outcome(0.5))]
    )

    with pytest.raises(UnlikeError, match="the splits differ: amh is test in A, dev in B"):
        await compare_stored(database, first, await runs.get(database, other))


def test_an_unknown_dimension_is_refused():
    with pytest.raises(UnlikeError, match="no dimension 'colour'"):
        read_dimensions(["task", "colour"])
