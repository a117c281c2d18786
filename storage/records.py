"""What is put into the database and what comes out of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from benchmarks.benchmark import Item, Outcome
from metrics.table import OutcomeRow

OutcomeStatus = Literal["valid", "invalid", "unanswered", "right", "wrong"]
RunStatus = Literal["queued", "running", "paused", "finished", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run as it is submitted."""

    id: str
    """A ULID."""
    benchmark: str
    model: str
    spec: Mapping[str, Any]
    """What was asked for; enough to start it again."""
    manifest: Mapping[str, Any]
    """Everything that decides its numbers: data, model, versions, prompts, seeds."""
    item_set: str
    """Names the stored items that it asks."""
    n_items: int
    cells: tuple[tuple[str, str], ...]
    """(task, variant) pairs; every item is asked in each."""
    settings: Mapping[str, Any]
    """The benchmark's bound settings."""
    seed: int
    idempotency_key: str | None = None
    """A second run with the same key and the same spec is the first one."""


@dataclass(frozen=True, slots=True)
class Run(NewRun):
    """A run as it is stored."""

    status: RunStatus = "queued"
    reason: str | None = None
    """Why it failed or was stopped; while it runs, what it is doing beside asking."""
    note: str | None = None
    tags: tuple[str, ...] = ()
    created_at: datetime = field(kw_only=True)
    started_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RunState:
    """Where a run stands, and why."""

    status: RunStatus
    reason: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    n_cases: int
    """Items times cells."""
    n_outcomes: int
    n_failures: int
    n_items: int
    n_answered: int
    """Items with an outcome in every cell."""


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item and its 0-based position in its item set."""

    number: int
    item: Item


@dataclass(frozen=True, slots=True)
class ItemPart:
    """The items of a set that share a language and a subset."""

    language: str
    subset: str | None
    first: int
    """Number of the first of them."""
    last: int
    """Number of the last of them; others may stand in between."""


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """What came back for one request, named by what was asked of whom."""

    key: bytes
    kind: str
    provider: str
    model: str
    request: Mapping[str, Any]
    response: Mapping[str, Any]
    usage: Mapping[str, Any] = field(default_factory=dict)
    """Tokens, characters, money: whatever the provider counts."""


@dataclass(frozen=True, slots=True)
class StoredOutcome:
    """What the answer to one case is worth, and which responses it was judged from."""

    number: int
    task: str
    variant: str
    language: str
    subset: str | None
    unit: str
    outcome: Outcome
    response_keys: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class OutcomeFilter:
    """Which cases are wanted; None takes all."""

    language: str | None = None
    subset: str | None = None
    task: str | None = None
    variant: str | None = None
    status: OutcomeStatus | None = None
    """right: value 1 · wrong: value 0."""


@dataclass(frozen=True, slots=True)
class PagePlace:
    """The last case of a page; the next page begins after it."""

    number: int
    position: int
    """Of its cell in the run's cells, from 1; 0 is before the first."""


@dataclass(frozen=True, slots=True)
class OutcomePage:
    """Some cases of a run, in order."""

    rows: tuple[OutcomeRow, ...]
    next_after: PagePlace | None
    """None on the last page."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that got no outcome: it is asked again by a retry."""

    number: int
    task: str
    variant: str
    error: str
    """The class of the error."""
    detail: str
    request_key: str
    n_attempts: int


@dataclass(frozen=True, slots=True)
class Artefact:
    """A file that belongs to a run and rests outside the database."""

    sha256: str
    run_id: str
    kind: str
    path: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answer to one request took; None where the provider does not count it."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    """With the tokens that were thought and not shown."""
    characters: int | None = None
    money: float | None = None
    """None where no price is known."""
    currency: str | None = None
    served_by: str | None = None
    """The exact model, as the provider names it in its answer."""

    @property
    def is_nothing(self) -> bool:
        """Whether the provider counts nothing at all: a model of one's own."""
        return self.input_tokens is None and self.output_tokens is None and self.characters is None

    def as_json(self) -> dict[str, int | float | str]:
        """Return what is known, for a JSON column."""
        fields = tuple(self.__dataclass_fields__)
        return {name: getattr(self, name) for name in fields if getattr(self, name) is not None}


def sum_of(usages: Sequence[Usage]) -> Usage:
    """Return what several answers took together; money is None where one of them has no price."""
    counting = [usage for usage in usages if not usage.is_nothing]
    prices = [usage.money for usage in counting]
    money = None if None in prices else sum(price for price in prices if price is not None)
    return Usage(
        input_tokens=sum(usage.input_tokens or 0 for usage in counting) if counting else None,
        output_tokens=sum(usage.output_tokens or 0 for usage in counting) if counting else None,
        characters=sum(usage.characters or 0 for usage in counting) if counting else None,
        money=money if counting else None,
        currency=next((usage.currency for usage in counting if usage.currency), None),
    )


@dataclass(frozen=True, slots=True)
class Spending:
    """What a run has used so far; answers that were stored already cost nothing."""

    budget: float | None
    """In `currency`; None where there is no limit."""
    currency: str | None
    money: float
    held: float
    """For calls in flight, and for those whose end nobody saw: they may have been billed."""
    is_partly_unpriced: bool
    """Whether some of it has no known price and is not in `money`."""
    input_tokens: int
    output_tokens: int
    characters: int
    n_asked: int
    n_saved: int
    """Requests whose response was there already."""
