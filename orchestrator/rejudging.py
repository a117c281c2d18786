"""Judge a run's stored responses again, under other settings or by a newer judge, without a model.

What was asked must stay what it was: a setting that changes a request, or the ways of asking,
needs a new run. Responses are found by what each outcome was judged from, and told apart by their
request.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.benchmark import Benchmark, Case, Concluding, Outcome
from benchmarks.catalog import open_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.requests import Request
from benchmarks.responses import Response, parse_response
from metrics.catalog import scores_of
from metrics.estimated import setting_text
from metrics.score import Score
from metrics.table import OutcomeRow
from orchestrator.errors import WrongUseError
from orchestrator.plan import NumberedCase, cells, open_cases
from orchestrator.spec import RunSpec, parse_model
from orchestrator.work import AWAITING, MAX_ROUNDS
from storage import items, outcome_keys, outcomes, responses, scores
from storage.database import Database
from storage.records import Run, StoredResponse

CHUNK_ITEMS = 500
RETRY = "/retry"
Place = tuple[int, str, str]
"""Number, task and variant of a case."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A new score set of a run; the earlier ones are kept."""

    score_set: str
    scores: list[Score]
    n_judged: int
    """Cases that were judged again."""
    n_changed: int
    """Of these, cases whose value is another one than before."""


@dataclass
class _Work:
    """What has been judged so far, and what cannot be."""

    benchmark: Benchmark
    run: Run
    judged: dict[Place, Outcome] = field(default_factory=dict)
    answered: dict[str, list[tuple[NumberedCase, Mapping[str, Response]]]] = field(
        default_factory=dict
    )
    """By task, of those that only the whole set decides."""
    n_missing: int = 0


async def rejudge(database: Database, run: Run, changes: Mapping[str, str]) -> Rejudged:
    """Judge every answered case again and store what comes out as a new score set.

    Args:
        database: Where the run is.
        run: With responses of a model.
        changes: The benchmark's settings that differ from the run's.

    Raises:
        WrongUseError: A baseline, a setting that changes what is asked, or responses are missing.
        BenchmarkError: A setting does not exist.
    """
    if parse_model(run.model).kind == "baseline":
        raise WrongUseError(f"run {run.id} is of {run.model}: a baseline has no responses to judge")
    before = open_benchmark(run.benchmark, run.settings)
    after = open_benchmark(run.benchmark, _changed_settings(run, changes))
    _check_cells(after, run, changes)
    work = _Work(after, run)
    for first in range(0, run.n_items, CHUNK_ITEMS):
        await _judge_chunk(database, work, before, first)
    if work.n_missing:
        raise WrongUseError(
            f"{work.n_missing} stored responses of run {run.id} are missing: they were never here"
            " (an imported run) or the settings ask again; a new run is needed"
        )
    _conclude(work)
    return await _store(database, work, changes)


def set_name(benchmark: Benchmark, changes: Mapping[str, str]) -> str:
    """Return a score set's name: the judge's version and the settings that are not the run's."""
    told = setting_text(changes)
    return f"judge-{benchmark.judge_version}" + (f";{told}" if told else "")


def _changed_settings(run: Run, changes: Mapping[str, str]) -> dict[str, Any]:
    return {**run.settings, **changes}


def _check_cells(benchmark: Benchmark, run: Run, changes: Mapping[str, str]) -> None:
    """Refuse settings by which items are asked in other ways than they were."""
    tasks = list(dict.fromkeys(task for task, _ in run.cells))
    if cells(benchmark, tasks, RunSpec.model_validate(run.spec).seed) != tuple(run.cells):
        raise _needs_new_run(changes)


def _needs_new_run(changes: Mapping[str, str]) -> WrongUseError:
    told = setting_text(changes) or "this version of polysense"
    return WrongUseError(f"{told} changes what the model is asked: make a new run with it")


async def _judge_chunk(database: Database, work: _Work, before: Benchmark, first: int) -> None:
    last = min(first + CHUNK_ITEMS, work.run.n_items)
    stored = await items.read(database, work.run.item_set, first, last)
    keys = await outcome_keys.by_case(database, work.run.id, first, last)
    wanted = sorted({key for of_case in keys.values() for key in of_case})
    found = {each.key: each for each in await responses.read(database, wanted)}
    for numbered in open_cases(stored, work.run.cells, frozenset()):
        place = (numbered.number, numbered.case.task, numbered.case.variant)
        if place in keys:
            _check_requests(work, before, numbered.case)
            known = [found[key] for key in keys[place] if key in found]
            _judge(work, numbered, known)


def _check_requests(work: _Work, before: Benchmark, case: Case) -> None:
    """Refuse settings that change a request of a case."""
    old, new = (
        [(request.key, request.part, _text(request.content())) for request in asked]
        for asked in (
            before.requests(case, work.run.seed),
            work.benchmark.requests(case, work.run.seed),
        )
    )
    if old != new:
        changed = {
            name: str(value)
            for name, value in work.benchmark.settings.model_dump(mode="json").items()
            if value != work.run.settings.get(name)
        }
        raise _needs_new_run(changed)


def _judge(work: _Work, numbered: NumberedCase, known: Sequence[StoredResponse]) -> None:
    case, seed = numbered.case, work.run.seed
    left = list(known)
    found: dict[str, Response] = {}
    asked: set[str] = set()
    requests: Sequence[Request] = work.benchmark.requests(case, seed)
    for _ in range(MAX_ROUNDS):
        for request in requests:
            asked.add(request.key)
            response = _take(request, left, known)
            if response is not None:
                found[request.part] = response
            elif not (request.key.endswith(RETRY) and parse_model(work.run.model).kind == "replay"):
                work.n_missing += 1
                return
        requests = [
            request
            for request in work.benchmark.follow_up(case, seed, found)
            if request.key not in asked
        ]
        if not requests:
            break
    _decide(work, numbered, found)


def _decide(work: _Work, numbered: NumberedCase, found: Mapping[str, Response]) -> None:
    case = numbered.case
    try:
        outcome = work.benchmark.judge(case, work.run.seed, found)
    except BenchmarkError:
        return  # without an outcome it is unanswered, as in a run
    if outcome is None:
        work.answered.setdefault(case.task, []).append((numbered, found))
    work.judged[numbered.number, case.task, case.variant] = outcome or AWAITING


def _take(
    request: Request, left: list[StoredResponse], known: Sequence[StoredResponse]
) -> Response | None:
    """Return the response to a request; of two to the same question, the first one not taken."""
    content = _text(request.content())
    for at, stored in enumerate(left):
        if _text(stored.request) == content:
            return parse_response(request, left.pop(at).response)
    same = (stored for stored in known if _text(stored.request) == content)
    stored_before = next(same, None)
    return None if stored_before is None else parse_response(request, stored_before.response)


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(dict(content), sort_keys=True, ensure_ascii=True)


def _conclude(work: _Work) -> None:
    """Decide the cases of tasks that only the whole set decides."""
    if not isinstance(work.benchmark, Concluding):
        return
    for task, answered in work.answered.items():
        cases = {id(numbered.case): numbered for numbered, _ in answered}
        given = [(numbered.case, found) for numbered, found in answered]
        for case, outcome in work.benchmark.conclude(task, work.run.seed, given):
            numbered = cases[id(case)]
            work.judged[numbered.number, case.task, case.variant] = outcome


async def _store(database: Database, work: _Work, changes: Mapping[str, str]) -> Rejudged:
    earlier = await outcomes.rows(database, work.run.id)
    rows = [_row(row, work.judged.get((row.number, row.task, row.variant))) for row in earlier]
    settings = work.benchmark.settings.model_dump(mode="json")
    found = [
        score.model_copy(update={"model": work.run.model})
        for score in scores_of(work.run.benchmark, rows, settings, work.run.seed)
    ]
    name = set_name(work.benchmark, changes)
    await scores.replace(database, work.run.id, name, found)
    n_changed = sum(
        row.value != old.value or row.status != old.status
        for row, old in zip(rows, earlier, strict=True)
    )
    return Rejudged(name, found, len(work.judged), n_changed)


def _row(row: OutcomeRow, outcome: Outcome | None) -> OutcomeRow:
    """Return the case as it is judged now."""
    if outcome is None:
        return replace(row, status="unanswered", value=None, detail={}, baselines={})
    return replace(
        row,
        status="valid" if outcome.is_valid else "invalid",
        value=outcome.value,
        detail=outcome.detail,
        baselines=outcome.baselines,
    )
