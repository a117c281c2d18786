"""Commands that read what stands in the store: runs, show, scores, outcomes, report."""

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from metrics.score import Score
from orchestrator.liveness import with_reasons
from services.cli.exits import UsageError
from services.cli.options import JsonOption, RunArgument
from services.cli.printing import (
    print_json,
    print_published,
    print_scores,
    print_table,
    say,
    without_empty_headlines,
)
from services.cli.score_sets import ScoreSetOption, choose_set, sets_line
from services.cli.store import find_run, open_store, wait_for
from services.home import Home, open_home
from services.metrics.published import published_document
from services.metrics.report import render_report
from storage import failures, outcomes, runs, scores, spending
from storage.records import Run

PAGE = 1_000
MAX_RUNS = 1_000
MAX_FAILURES = 20
COLUMNS = (
    "number", "item_id", "language", "subset", "unit", "task", "variant", "status", "value",
    "detail", "baselines",
)  # fmt: skip
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class OutcomeFormat(StrEnum):
    """How outcomes are written."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command(name="runs")(list_runs)
    app.command()(show)
    app.command(name="scores")(show_scores)
    app.command(name="outcomes")(write_outcomes)
    app.command()(report)


def list_runs(
    tag: Annotated[str | None, typer.Option("--tag", help="Only runs with this tag.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the runs, the newest first."""
    found = [run for run in wait_for(_list(open_home())) if tag is None or tag in run.tags]
    if as_json:
        print_json([_brief(run) for run in found])
        return
    rows = [
        (
            run.id,
            run.benchmark,
            run.model,
            run.status,
            run.reason or "",
            " ".join(run.tags),
            f"{run.created_at:%Y-%m-%d %H:%M}",
        )
        for run in found
    ]
    columns = ("run", "benchmark", "model", "status", "why", "tags", "created")
    print_table("", columns, rows)


def show(run_id: RunArgument, as_json: JsonOption = False) -> None:
    """Show one run: state, progress, failures, manifest."""
    document = wait_for(_show(open_home(), run_id))
    if as_json:
        print_json(document)
        return
    manifest = document.pop("manifest")
    failed = document.pop("failures")
    for name, value in document.items():
        sys.stdout.write(f"{name}: {value}\n")
    for failure in failed:
        sys.stdout.write(f"failed {failure['request_key']}: {failure['detail']}\n")
    sys.stdout.write("manifest:\n")
    sys.stdout.write(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def show_scores(
    run_ids: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, or `last`.")],
    by: Annotated[
        str, typer.Option("--by", help="Dimensions to keep apart, such as task,language,subset.")
    ] = "task,language,subset",
    score_set: ScoreSetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the scores of runs."""
    dimensions = _dimensions(by)
    documents = wait_for(_scores(open_home(), run_ids, score_set))
    if as_json:
        print_json(documents if len(documents) > 1 else documents[0])
        return
    for document in documents:
        sys.stdout.write(f"{document['run']} · {document['benchmark']} · {document['model']}\n")
        sys.stdout.write(sets_line(document["score_sets"], document["score_set"]))
        found = [Score.model_validate(score) for score in document["scores"]]
        shown = without_empty_headlines(score for score in found if _is_shown(score, dimensions))
        print_scores(shown)
        print_published(shown)


def write_outcomes(
    run_id: RunArgument,
    as_format: Annotated[OutcomeFormat, typer.Option("--format")] = OutcomeFormat.JSONL,
    out: Annotated[Path | None, typer.Option("--out", help="A file; else stdout.")] = None,
) -> None:
    """Write every outcome of a run, unanswered cases included."""
    if as_format is OutcomeFormat.PARQUET and out is None:
        raise UsageError("--format parquet needs --out FILE")
    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"--out {out}: no folder {out.absolute().parent}")
    wait_for(_write_outcomes(open_home(), run_id, as_format, out))


def report(
    run_ids: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, or `last`.")],
    out: Annotated[Path, typer.Option("--out", help="The HTML file to write.")],
) -> None:
    """Write one HTML file that opens offline: scores, manifest, how to reproduce."""
    write_report(open_home(), run_ids, out)
    say(f"report: {out}")


def write_report(home: Home, run_ids: list[str], out: Path) -> None:
    """Write the report of runs to a file."""
    page = wait_for(_report(home, run_ids))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8")


async def _report(home: Home, run_ids: list[str]) -> str:
    async with open_store(home) as database:
        found = [await find_run(database, run_id) for run_id in run_ids]
        return await render_report(database, [run.id for run in found])


async def _list(home: Home) -> list[Run]:
    async with open_store(home) as database:
        return await with_reasons(database, await runs.list_runs(database, MAX_RUNS))


async def _show(home: Home, run_id: str) -> dict[str, Any]:
    async with open_store(home) as database:
        [run] = await with_reasons(database, [await find_run(database, run_id)])
        progress = await runs.count_progress(database, run.id)
        failed = await failures.list_failures(database, run.id, limit=MAX_FAILURES)
        spent = await spending.of_run(database, run.id)
    return {
        **_brief(run),
        "n_items": progress.n_items,
        "n_answered": progress.n_answered,
        "n_cases": progress.n_cases,
        "n_outcomes": progress.n_outcomes,
        "n_failures": progress.n_failures,
        "spending": None if spent is None else asdict(spent),
        "failures": [
            {"request_key": f.request_key, "error": f.error, "detail": f.detail} for f in failed
        ],
        "manifest": run.manifest,
    }


async def _scores(home: Home, run_ids: list[str], wanted: str | None) -> list[dict[str, Any]]:
    async with open_store(home) as database:
        documents = []
        for run_id in run_ids:
            run = await find_run(database, run_id)
            sets = await scores.list_sets(database, run.id)
            shown = choose_set(sets, wanted)
            found = await scores.read(database, run.id, shown)
            rows = [score.model_dump(mode="json") for score in found]
            documents.append(
                {
                    "run": run.id,
                    "benchmark": run.benchmark,
                    "model": run.model,
                    "score_set": shown,
                    "score_sets": sets,
                    "scores": rows,
                    "published": published_document(found),
                }
            )
        return documents


async def _write_outcomes(
    home: Home, run_id: str, as_format: OutcomeFormat, out: Path | None
) -> None:
    async with open_store(home) as database:
        run = await find_run(database, run_id)
        rows = [
            {name: getattr(row, name) for name in COLUMNS}
            for row in await outcomes.rows(database, run.id)
        ]
    if as_format is OutcomeFormat.PARQUET and out is not None:
        _write_parquet(rows, out)
        return
    with _open(out) as file:
        if as_format is OutcomeFormat.JSONL:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(_csv_row(row) for row in rows)


def _write_parquet(rows: list[dict[str, Any]], out: Path) -> None:
    import pyarrow  # heavy, and only this format needs it
    import pyarrow.parquet

    texts = [
        {
            name: _json_text(value) if isinstance(value, dict) else value
            for name, value in row.items()
        }
        for row in rows
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(texts), out)


def _csv_row(row: dict[str, Any]) -> dict[str, Any]:
    """Write nested values as JSON, and keep spreadsheets from reading a text as a formula."""
    cells = {
        name: _json_text(value) if isinstance(value, dict) else value for name, value in row.items()
    }
    return {
        name: f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
        for name, value in cells.items()
    }


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@contextmanager
def _open(out: Path | None) -> Iterator[IO[str]]:
    if out is None:
        yield sys.stdout
        return
    with out.open("w", encoding="utf-8", newline="") as file:
        yield file


def _dimensions(by: str) -> set[str]:
    allowed = {"task", "language", "subset", "layer", "setting"}
    dimensions = {word.strip() for word in by.split(",") if word.strip()}
    if not dimensions:
        raise UsageError(
            f"--by {by!r}: names no dimension; allowed are {', '.join(sorted(allowed))}"
        )
    if unknown := sorted(dimensions - allowed):
        raise UsageError(f"--by {unknown[0]}: allowed are {', '.join(sorted(allowed))}")
    return dimensions


def _is_shown(score: Score, dimensions: set[str]) -> bool:
    """Say whether a row differs from its headline only in the dimensions asked for."""
    fields = {"language", "subset", "layer", "setting"} - dimensions
    return all(getattr(score, name) is None for name in fields)


def _brief(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "benchmark": run.benchmark,
        "model": run.model,
        "status": run.status,
        "reason": run.reason,
        "note": run.note,
        "tags": list(run.tags),
        "created_at": run.created_at.isoformat(),
    }
