"""What the orchestrator answers."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from metrics.score import Score
from orchestrator.spec import RunSpec
from storage.records import Progress, Run

TagField = Annotated[str, Field(min_length=1, max_length=100)]


class NewRunBody(RunSpec):
    """A run that is asked for, with what is kept beside it."""

    note: str | None = Field(default=None, max_length=10_000)
    tags: tuple[TagField, ...] = Field(default=(), max_length=100)
    webhook: str | None = Field(default=None, max_length=2_000)
    """An allowed address that is told when the run ends."""

    def spec(self) -> RunSpec:
        """Return what decides the run, without what is kept beside it."""
        return RunSpec.model_validate(self.model_dump(exclude={"note", "tags", "webhook"}))


class NoteBody(BaseModel):
    """What people write about a run; what is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    note: str | None = Field(default=None, max_length=10_000)
    tags: tuple[TagField, ...] | None = Field(default=None, max_length=100)


class ProgressBody(BaseModel):
    """How far a run is."""

    n_items: int
    n_answered: int
    """Items with an outcome in every cell."""
    n_cases: int
    """Items times cells (task and variant)."""
    n_outcomes: int
    n_failures: int


class RunBody(BaseModel):
    """One run."""

    id: str
    benchmark: str
    model: str
    status: str
    reason: str | None
    """Why it is in this state, or stands still, where there is something to say."""
    note: str | None
    tags: list[str]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    spec: dict[str, Any]
    manifest: dict[str, Any]
    progress: ProgressBody
    scores: list[Score]
    """Empty until the run is finished."""


class RunBrief(BaseModel):
    """One run of a list."""

    id: str
    benchmark: str
    model: str
    status: str
    reason: str | None
    """Why it is in this state, or stands still, where there is something to say."""
    note: str | None
    tags: list[str]
    created_at: datetime


class CreatedBody(BaseModel):
    """A run that has been accepted."""

    run: RunBrief
    skipped: dict[str, str]
    """Tasks that the model cannot serve, with the reason."""
    warnings: list[str]


class BenchmarkBody(BaseModel):
    """One benchmark of the catalogue."""

    name: str
    title: str
    paper: str
    tasks: list[str]
    languages: list[str]
    """Of the self-written sample."""
    baselines: list[str]
    settings: dict[str, Any]
    """Every setting with its default."""


def brief(run: Run) -> RunBrief:
    """Return a run for a list."""
    return RunBrief(
        id=run.id,
        benchmark=run.benchmark,
        model=run.model,
        status=run.status,
        reason=run.reason,
        note=run.note,
        tags=list(run.tags),
        created_at=run.created_at,
    )


def whole(run: Run, progress: Progress, scores: list[Score]) -> RunBody:
    """Return all that is known of a run."""
    return RunBody(
        **brief(run).model_dump(),
        started_at=run.started_at,
        finished_at=run.finished_at,
        spec=run.spec,
        manifest=run.manifest,
        progress=ProgressBody(
            n_items=progress.n_items,
            n_answered=progress.n_answered,
            n_cases=progress.n_cases,
            n_outcomes=progress.n_outcomes,
            n_failures=progress.n_failures,
        ),
        scores=scores,
    )
