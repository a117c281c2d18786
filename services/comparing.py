"""Two stored runs side by side, for commands and routes: may they be compared, and how?"""

import asyncio
from dataclasses import dataclass
from typing import Any

from metrics.comparison import (
    DEFAULT_DIMENSIONS,
    DIMENSIONS,
    Compared,
    Dimensions,
    Judged,
    RunComparison,
    compare_runs,
)
from metrics.comparison_matching import UnlikeError
from metrics.comparison_verdict import verdict
from storage import outcomes
from storage.database import Database
from storage.records import Run

FIELDS = (
    "metric", "task", "language", "subset", "a", "b", "difference", "ci_low", "ci_high", "test",
    "p_value", "p_holm", "p_bh", "n", "minimum_detectable",
)  # fmt: skip
"""Of every row of the JSON document; `layer` and `setting` stand there only if asked for."""


@dataclass(frozen=True, slots=True)
class StoredComparison:
    """A comparison with what should be told beside it."""

    comparison: RunComparison
    warnings: tuple[str, ...]
    verdict: str


async def compare_stored(
    database: Database,
    first: Run,
    second: Run,
    *,
    dimensions: Dimensions = DEFAULT_DIMENSIONS,
    force: bool = False,
    seed: int = 0,
) -> StoredComparison:
    """Compare two stored runs on the items that both answered.

    Args:
        database: Where they are.
        first: A.
        second: B; differences are B less A.
        dimensions: What rows may be narrowed by.
        force: Whether data and metric versions may differ.
        seed: Where redrawing starts.

    Raises:
        UnlikeError: They are of different benchmarks, or unlike and not forced.
    """
    warnings = check_alike(first, second, force=force)
    a = Judged(await outcomes.rows(database, first.id), first.settings)
    b = Judged(await outcomes.rows(database, second.id), second.settings)
    if not force:
        _check_splits(first.benchmark, a, b)
    # In a thread: this process has other work.
    found = await asyncio.to_thread(compare_runs, first.benchmark, a, b, seed, dimensions)
    return StoredComparison(found, tuple(warnings), verdict(found.rows))


def document(found: StoredComparison, dimensions: Dimensions) -> dict[str, Any]:
    """Return a comparison as JSON."""
    more = sorted(dimensions - DEFAULT_DIMENSIONS)
    rows = [
        {name: getattr(row, name) for name in (*FIELDS, *more)} for row in found.comparison.rows
    ]
    return {"comparisons": rows, "verdict": found.verdict}


def told(found: StoredComparison) -> list[str]:
    """Return what was compared and left out, one line each."""
    matched = found.comparison.matched
    lines = [
        f"{matched.n_items} items answered by both ({len(matched.first)} cases);"
        f" unmatched cases: {matched.n_only_first} of A, {matched.n_only_second} of B"
    ]
    if found.comparison.untested:
        names = ", ".join(found.comparison.untested)
        lines.append(f"left out, no function of sampling units: {names}")
    reasons = dict.fromkeys(
        f"{_place(row)}: {row.reason}" for row in found.comparison.rows if row.reason
    )
    return [*(f"warning: {warning}" for warning in found.warnings), *lines, *reasons]


def read_dimensions(words: list[str]) -> Dimensions:
    """Read the dimensions that rows may be narrowed by.

    Raises:
        UnlikeError: There is no such dimension.
    """
    if unknown := sorted(set(words) - DIMENSIONS):
        allowed = ", ".join(sorted(DIMENSIONS))
        raise UnlikeError(f"no dimension {unknown[0]!r} to compare by; allowed: {allowed}")
    return frozenset(words)


def check_alike(first: Run, second: Run, *, force: bool) -> list[str]:
    """Refuse two runs that did not measure the same thing; return what else differs.

    Raises:
        UnlikeError: Their benchmark differs; or data or metric version, and it is not forced.
    """
    if first.benchmark != second.benchmark:
        raise UnlikeError(
            f"A is a run of {first.benchmark}, B of {second.benchmark}: not the same items"
        )
    reasons = [
        reason for reason in (_data_reason(first, second), _metric_reason(first, second)) if reason
    ]
    if reasons and not force:
        raise UnlikeError(f"{reasons[0]}; --force compares them all the same")
    for name, words in (("prompt_version", "prompts"), ("judge_version", "judges")):
        a, b = (_fact(run, name) for run in (first, second))
        if a != b:
            reasons.append(f"the {words} differ: version {a} in A, {b} in B")
    for side, run in (("A", first), ("B", second)):
        if run.status != "finished":
            reasons.append(f"{side} is {run.status}: only what is answered by now is compared")
    return reasons


def _data_reason(first: Run, second: Run) -> str | None:
    """Say which data differ: files of one name must have one checksum, and one must be shared."""
    a, b = (_files(run) for run in (first, second))
    changed = sorted(name for name in a if name in b and a[name] != b[name])
    if changed:
        return f"the data differ: {changed[0]} is not the same file in A and B"
    if (a or b) and not set(a) & set(b):
        return "the data differ: A and B have no file in common"
    return None


def _metric_reason(first: Run, second: Run) -> str | None:
    a, b = (_fact(run, "metric_version") for run in (first, second))
    return None if a == b else f"the metrics differ: version {a} in A, {b} in B"


def _check_splits(benchmark: str, first: Judged, second: Judged) -> None:
    """Refuse languages that stand on another split in each run (SemRel's subset is the split).

    Raises:
        UnlikeError: Names the first one.
    """
    if benchmark != "semrel":
        return
    a, b = (_splits(judged) for judged in (first, second))
    for language in a:
        if language in b and a[language] != b[language]:
            raise UnlikeError(
                f"the splits differ: {language} is {a[language]} in A, {b[language]} in B;"
                " --force compares the other languages"
            )


def _splits(judged: Judged) -> dict[str, str]:
    return {row.language: row.subset or "test" for row in judged.rows}


def _files(run: Run) -> dict[str, str]:
    files: list[dict[str, Any]] = run.manifest.get("data", {}).get("files", [])
    return {str(file["name"]): str(file["sha256"]) for file in files}


def _fact(run: Run, name: str) -> str:
    return str(run.manifest.get("benchmark", {}).get(name, "unknown"))


def _place(row: Compared) -> str:
    parts = (row.metric, row.task, row.language or "mean", row.subset, row.setting)
    return " ".join(part for part in parts if part)
