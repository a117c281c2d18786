"""Commands about what the papers report: published."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from benchmarks.published import PublishedTables, PublishedValue, published_tables
from services.cli.exits import UsageError
from services.cli.options import BenchmarkArgument, JsonOption, LanguageOption
from services.cli.printing import number, print_json, print_table


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(published)


def published(
    benchmark: BenchmarkArgument,
    table: Annotated[
        list[str], typer.Option("--table", help="A table of the paper; repeatable.")
    ] = [],  # noqa: B006  # typer copies it
    language: LanguageOption = [],  # noqa: B006
    as_json: JsonOption = False,
) -> None:
    """List the numbers of a benchmark's paper, with sources, known errors, and what is missing."""
    tables = published_tables(benchmark)
    if tables is None:
        raise UsageError(f"{benchmark} ships no published values")
    values = _chosen(list(tables.values()), table, language)
    if as_json:
        print_json(_document(tables, values))
        return
    rows = [(each.table, each.system, _asked(each), _where(each), _value(each)) for each in values]
    print_table(tables.paper, ("table", "system", "metric", "of", "value "), rows)
    for note in dict.fromkeys(_notes(tables, values)):
        sys.stdout.write(f"– {note}\n")


def _chosen(
    values: Sequence[PublishedValue], tables: Sequence[str], languages: Sequence[str]
) -> list[PublishedValue]:
    known = {
        "table": dict.fromkeys(each.table for each in values),
        "language": dict.fromkeys(each.language for each in values if each.language is not None),
    }
    for option, wanted in (("table", tables), ("language", languages)):
        if unknown := [name for name in wanted if name not in known[option]]:
            allowed = ", ".join(str(name) for name in known[option]) or "none"
            raise UsageError(f"--{option} {unknown[0]}: no such value; allowed: {allowed}")
    return [
        each
        for each in values
        if (not tables or each.table in tables) and (not languages or each.language in languages)
    ]


def _document(tables: PublishedTables, values: Sequence[PublishedValue]) -> dict[str, object]:
    return {
        "schema": 1,
        "benchmark": tables.benchmark,
        "tag": "published",
        "paper": tables.paper,
        "values": [each.model_dump(mode="json") for each in values],
        "known_errors": [each.model_dump(mode="json") for each in tables.known_errors],
        "missing": list(tables.missing),
    }


def _asked(value: PublishedValue) -> str:
    return value.metric if value.task is None else f"{value.metric}, {value.task}"


def _where(value: PublishedValue) -> str:
    return " ".join(part for part in (value.language, value.subset) if part)


def _value(value: PublishedValue) -> str:
    is_count = value.metric.startswith("n_")
    return f"{value.value:.0f}" if is_count else number(value.value)


def _notes(tables: PublishedTables, values: Sequence[PublishedValue]) -> list[str]:
    return [
        *(f"source: {each.source}" for each in values),
        *(each.note for each in values if each.note),
        *(
            f"known error: Table {each.table}, {_where(each)}: {each.known_error}"
            for each in values
            if each.known_error
        ),
        *(
            f"known error: Table {each.table}, {each.cell}: {each.problem}"
            for each in tables.known_errors
        ),
        *(f"not at hand: {each}" for each in tables.missing),
    ]
