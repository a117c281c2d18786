"""One range of a run: ask, judge, store; the task that the queue runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.benchmark import Benchmark, Outcome
from benchmarks.errors import BenchmarkError
from benchmarks.requests import Request
from benchmarks.responses import Response
from orchestrator.ask import Answered, Asker
from orchestrator.plan import NumberedCase, open_cases
from orchestrator.providers.provider import Unanswered
from orchestrator.providers.replay import first_answer_stands
from storage import failures, items, outcomes
from storage.database import Database
from storage.records import Failure, Run, StoredOutcome

MAX_ROUNDS = 32
"""More follow-ups than any benchmark has: a loop, not a conversation."""
AWAITING = Outcome(value=None, is_valid=False, detail={"awaits": "conclusion"})
"""Stands in for the outcome of a case that only the whole set can decide."""


@dataclass(frozen=True)
class RunContext:
    """Everything a worker needs for one run, made once a process."""

    database: Database
    run: Run
    benchmark: Benchmark
    asker: Asker | None
    """None for a baseline."""
    baseline: str = ""


@dataclass
class _Asked:
    """A case on its way: what came back so far, by part."""

    numbered: NumberedCase
    requests: list[Request] = field(default_factory=list)
    responses: dict[str, Response] = field(default_factory=dict)
    keys: list[bytes] = field(default_factory=list)
    asked_keys: set[str] = field(default_factory=set)
    failed: tuple[Request, Unanswered] | None = None

    def new(self, requests: Sequence[Request]) -> list[Request]:
        """Return what has not been asked yet: an unrecorded retry is not asked again."""
        return [request for request in requests if request.key not in self.asked_keys]

    def take(self, request: Request, answered: Answered) -> None:
        """Note one answer."""
        self.asked_keys.add(request.key)
        if isinstance(answered.answer, Unanswered):
            if not (request.key.endswith("/retry") and first_answer_stands(answered.answer)):
                self.failed = self.failed or (request, answered.answer)
            return
        self.responses[request.part] = answered.answer
        self.keys.append(answered.cache_key)


async def work_range(context: RunContext, first: int, last: int) -> None:
    """Answer and store every case of items `first` to `last` (exclusive) that has no outcome yet.

    Raises:
        ProviderUnavailableError: The model cannot be reached.
        ProviderRefusedError: The model refuses for good.
    """
    stored_items = await items.read(context.database, context.run.item_set, first, last)
    done = await outcomes.done(context.database, context.run.id, first, last)
    cases = open_cases(stored_items, context.run.cells, done)
    if not cases:
        return
    if context.asker is None:
        rows = [
            stored_outcome(case, context.benchmark.baseline(case.case, context.baseline))
            for case in cases
        ]
        await outcomes.answer(context.database, context.run.id, rows)
        return
    asked = await _ask_cases(context, context.asker, cases)
    await _store(context, asked)


async def _ask_cases(
    context: RunContext, asker: Asker, cases: Sequence[NumberedCase]
) -> list[_Asked]:
    """Ask the first requests of every case together, then follow-ups until none is new."""
    asked = [_Asked(case) for case in cases]
    for each in asked:
        each.requests = list(context.benchmark.requests(each.numbered.case, context.run.seed))
    for _ in range(MAX_ROUNDS):
        await _ask(asker, asked)
        for each in asked:
            each.requests = each.new(_follow_up(context, each))
        if not any(each.requests for each in asked):
            return asked
    raise RuntimeError(f"{context.benchmark.name} asks again after {MAX_ROUNDS} rounds")


def _follow_up(context: RunContext, asked: _Asked) -> Sequence[Request]:
    if asked.failed is not None:
        return ()
    return context.benchmark.follow_up(asked.numbered.case, context.run.seed, asked.responses)


async def _ask(asker: Asker, asked: Sequence[_Asked]) -> None:
    requests = [request for each in asked for request in each.requests]
    if not requests:
        return
    answers = await asker.ask(requests)
    for each in asked:
        for request in each.requests:
            each.take(request, answers[request.key])


async def _store(context: RunContext, asked: Sequence[_Asked]) -> None:
    rows: list[StoredOutcome] = []
    failed: list[Failure] = []
    for each in asked:
        judged = _judge(context, each)
        if isinstance(judged, Failure):
            failed.append(judged)
        else:
            rows.append(stored_outcome(each.numbered, judged or AWAITING, tuple(each.keys)))
    await outcomes.answer(context.database, context.run.id, rows)
    await failures.put(context.database, context.run.id, failed)


def _judge(context: RunContext, asked: _Asked) -> Outcome | Failure | None:
    case = asked.numbered.case
    if asked.failed is not None:
        request, unanswered = asked.failed
        return _failure(asked, unanswered.error, unanswered.detail, request.key)
    try:
        return context.benchmark.judge(case, context.run.seed, asked.responses)
    except BenchmarkError as error:
        return _failure(asked, type(error).__name__, str(error), "")


def _failure(asked: _Asked, error: str, detail: str, request_key: str) -> Failure:
    case = asked.numbered.case
    return Failure(
        number=asked.numbered.number,
        task=case.task,
        variant=case.variant,
        error=error,
        detail=detail,
        request_key=request_key,
        n_attempts=1,
    )


def stored_outcome(
    numbered: NumberedCase, outcome: Outcome, keys: tuple[bytes, ...] = ()
) -> StoredOutcome:
    """Put an outcome and its place in the run together."""
    case = numbered.case
    return StoredOutcome(
        number=numbered.number,
        task=case.task,
        variant=case.variant,
        language=case.item.language,
        subset=case.item.subset,
        unit=case.item.unit,
        outcome=outcome,
        response_keys=keys,
    )
