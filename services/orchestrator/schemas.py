"""What the orchestrator answers."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from metrics.score import Score
from storage.records import Progress, Run


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
    """Why it is in this state, where there is something to say."""
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
        created_at=run.created_at,
    )


def whole(run: Run, progress: Progress, scores: list[Score]) -> RunBody:
    """Return all that is known of a run."""
    return RunBody(
        **brief(run).model_dump(),
        reason=run.reason,
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
