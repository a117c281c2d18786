import re

import pytest

from services.metrics.report import render_report
from storage import runs, scores
from storage.errors import UnknownRunError

RUN = "01RUN000000000000000000001"
EVIL = "<script>alert('x')</script>"


async def test_a_report_stands_alone(database, run):
    page = await render_report(database, [RUN])

    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page
    assert EVIL not in page
    targets = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert all(target.startswith(("#", "data:")) for target in targets)
    assert "url(" not in page
    assert "@import" not in page
    page.encode()


async def test_a_report_has_scores_reasons_failures_manifest_and_commands(database, run):
    page = await render_report(database, [RUN])

    for piece in (
        "0.500", "0.250", "0.750", "in 2 concepts", "undefined", "no valid", "TooSlowError",
        "data.source", "polysense run dtails", f"polysense retry {RUN}", "1 of 4",
    ):  # fmt: skip
        assert piece in page, piece


async def test_a_report_of_several_runs_has_each_once(database, run, other_run):
    page = await render_report(database, [RUN, other_run.id])

    assert page.count("<article") == 2
    assert page.index(f'id="{RUN}"') < page.index(f'id="{other_run.id}"')


async def test_a_report_of_very_many_scores_stays_small_and_says_what_it_leaves_out(database, run):
    first = (await scores.read(database, RUN))[0]
    many = [first.model_copy(update={"layer": layer}) for layer in range(5000)]
    await scores.replace(database, RUN, "judge-1", many)

    page = await render_report(database, [RUN])

    assert len(page.encode()) < 3_000_000
    assert "4600 more are not shown here" in page


async def test_an_unknown_run_has_no_report(database):
    with pytest.raises(UnknownRunError, match="no run 'nothing'"):
        await render_report(database, ["nothing"])


async def test_a_run_that_has_not_finished_has_a_report_too(database, other_run):
    page = await render_report(database, [other_run.id])

    assert "Scores come when the run is finished" in page
    assert (await runs.get(database, other_run.id)).status == "queued"
