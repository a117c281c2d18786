"""What a page shows of a run, gathered from the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from benchmarks.catalog import benchmark_class
from benchmarks.errors import UnknownNameError
from metrics.score import Score
from metrics.table import OutcomeRow
from orchestrator.liveness import with_reasons
from services.metrics.pages.commands import run_command
from services.metrics.pages.score_tables import ScoreTable, headline, score_tables
from services.metrics.pages.texts import Field, Text, first_text, item_fields
from storage import failures, items, outcome_pages, responses, runs, scores
from storage.database import Database
from storage.records import (
    Failure,
    OutcomeFilter,
    PagePlace,
    Progress,
    Run,
    StoredItem,
    StoredOutcome,
    StoredResponse,
)

MAX_FAILURES = 20
LIVE = frozenset({"queued", "running"})


@dataclass(frozen=True)
class RunLine:
    """A run as one line of a list."""

    run: Run
    title: str
    headline: Score | None


@dataclass(frozen=True)
class RunView:
    """A run with its scores and what went wrong."""

    run: Run
    title: str
    progress: Progress
    score_set: str | None
    score_sets: Sequence[str]
    headline: Score | None
    tables: Sequence[ScoreTable]
    failures: Sequence[Failure]
    """The first few."""
    n_failures_by_error: Mapping[str, int]
    command: str

    @property
    def is_live(self) -> bool:
        """Whether the run still moves."""
        return self.run.status in LIVE

    @property
    def has_verdicts(self) -> bool:
        """Whether its cases are right or wrong, and not numbers on a scale."""
        return any(table.metric == "accuracy" for table in self.tables)

    @property
    def took(self) -> timedelta | None:
        """From its first job to its end; None for a run that has not ended."""
        if self.run.started_at is None or self.run.finished_at is None:
            return None
        return self.run.finished_at - self.run.started_at


@dataclass(frozen=True)
class ItemLine:
    """A case as one line of a list."""

    row: OutcomeRow
    text: Text


@dataclass(frozen=True)
class ItemsView:
    """A page of a run's cases."""

    run: Run
    title: str
    lines: Sequence[ItemLine]
    next_after: PagePlace | None
    languages: Sequence[str]
    subsets: Sequence[str]
    tasks: Sequence[str]


@dataclass(frozen=True)
class CaseView:
    """One case of an item: what came back, and how it was judged."""

    task: str
    variant: str
    stored: StoredOutcome | None
    failure: Failure | None
    responses: Sequence[StoredResponse]


@dataclass(frozen=True)
class ItemView:
    """One item with all that was asked of it."""

    run: Run
    title: str
    stored: StoredItem
    fields: Sequence[Field]
    cases: Sequence[CaseView]


async def run_lines(database: Database, limit: int, before: str | None) -> list[RunLine]:
    """Return runs, newest first, each with the score that stands for it."""
    found = await with_reasons(database, await runs.list_runs(database, limit, before))
    return [
        RunLine(run, title_of(run.benchmark), headline(await scores.read(database, run.id)))
        for run in found
    ]


async def run_view(database: Database, run_id: str, score_set: str | None = None) -> RunView:
    """Gather one run.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    [run] = await with_reasons(database, [await runs.get(database, run_id)])
    sets = await scores.list_sets(database, run.id)
    shown = score_set or next(iter(sets), None)
    found = await scores.read(database, run.id, shown)
    return RunView(
        run=run,
        title=title_of(run.benchmark),
        progress=await runs.count_progress(database, run.id),
        score_set=shown,
        score_sets=sets,
        headline=headline(found),
        tables=score_tables(found),
        failures=await failures.list_failures(database, run.id, MAX_FAILURES),
        n_failures_by_error=await failures.count_by_error(database, run.id),
        command=run_command(run.spec),
    )


async def items_view(
    database: Database, run_id: str, wanted: OutcomeFilter, after: PagePlace | None, limit: int
) -> ItemsView:
    """Gather a page of a run's cases.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    run = await runs.get(database, run_id)
    page = await outcome_pages.page(database, run_id, wanted, after, limit)
    numbers = {row.number for row in page.rows}
    found = {each.number: each.item for each in await items.find(database, run.item_set, numbers)}
    parts = await items.parts(database, run.item_set)
    return ItemsView(
        run=run,
        title=title_of(run.benchmark),
        lines=[
            ItemLine(row, first_text(run.benchmark, row.language, found[row.number].fields))
            for row in page.rows
        ],
        next_after=page.next_after,
        languages=sorted({part.language for part in parts}),
        subsets=sorted({part.subset for part in parts if part.subset is not None}),
        tasks=list(dict.fromkeys(task for task, _ in run.cells)),
    )


async def item_view(database: Database, run_id: str, number: int) -> ItemView | None:
    """Gather one item of a run; None where the run has no item of that number.

    Raises:
        UnknownRunError: There is no run with this id.
    """
    run = await runs.get(database, run_id)
    if not 0 <= number < run.n_items:
        return None
    found = await items.find(database, run.item_set, [number])
    item = found[0].item
    return ItemView(
        run=run,
        title=title_of(run.benchmark),
        stored=found[0],
        fields=item_fields(run.benchmark, item.language, item.fields),
        cases=await _cases(database, run, number),
    )


async def _cases(database: Database, run: Run, number: int) -> list[CaseView]:
    judged = await outcome_pages.of_item(database, run.id, number)
    outcome_by_cell = {(each.task, each.variant): each for each in judged}
    failed = await failures.of_item(database, run.id, number)
    failure_by_cell = {(each.task, each.variant): each for each in failed}
    cases = []
    for cell in run.cells:
        stored = outcome_by_cell.get(cell)
        keys = stored.response_keys if stored is not None else ()
        cases.append(
            CaseView(
                task=cell[0],
                variant=cell[1],
                stored=stored,
                failure=failure_by_cell.get(cell),
                responses=await responses.read(database, keys) if keys else [],
            )
        )
    return cases


def title_of(benchmark: str) -> str:
    """Return a benchmark's title; its name where it is not installed here."""
    try:
        return benchmark_class(benchmark).title
    except UnknownNameError:
        return benchmark
