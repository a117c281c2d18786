"""Runs leave as a bundle that others can verify, and come in with their scores computed again."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from metrics.catalog import scores_of
from metrics.score import METRIC_VERSION, Score
from orchestrator.conclusion import score_set
from orchestrator.manifest import file_sha256
from services.bundle_files import (
    FORMAT,
    HEAD,
    BundleError,
    parse_json,
    read_bundle,
    to_json,
    to_lines,
    write_bundle,
)
from services.bundle_records import RunBundle, RunRecord, item_lines, outcome_lines
from storage import failures, items, outcomes, runs, scores
from storage.database import Database
from storage.errors import UnknownRunError
from storage.records import Run

IMPORTED = "imported"
"""The tag of a run that came from elsewhere."""
TOLERANCE = 1e-9
Key = tuple[str, str | None, str | None, str | None, int | None, str | None]


@dataclass(frozen=True, slots=True)
class Imported:
    """A run that came in."""

    run_id: str
    n_scores: int
    is_verified: bool
    """Whether its scores were recomputed by the metric version they were exported with."""


async def export_runs(database: Database, stored: Sequence[Run], path: Path) -> None:
    """Write runs with manifest, items, outcomes and scores into a bundle.

    Raises:
        BundleError: A run has not ended, or the file cannot be written.
    """
    files = {
        HEAD: to_json(
            {
                "format": FORMAT,
                "polysense": version("polysense"),
                "metric_version": METRIC_VERSION,
                "runs": [run.id for run in stored],
            }
        )
    }
    for run in stored:
        if run.status in {"queued", "running"}:
            raise BundleError(f"run {run.id} is {run.status}; what is exported must have ended")
        folder = f"runs/{run.id}"
        found = [each.item async for each in items.stream(database, run.item_set)]
        failed = await failures.list_failures(database, run.id)
        own = await scores.read(database, run.id, score_set(run))
        rows = await outcomes.rows(database, run.id)
        files |= {
            f"{folder}/run.json": to_json(RunRecord.of(run).model_dump(mode="json")),
            f"{folder}/items.jsonl": to_lines(item_lines(found)),
            f"{folder}/outcomes.jsonl": to_lines(outcome_lines(rows)),
            f"{folder}/failures.jsonl": to_lines(
                {name: getattr(each, name) for name in each.__slots__} for each in failed
            ),
            f"{folder}/scores.json": to_json([score.model_dump(mode="json") for score in own]),
        }
    await asyncio.to_thread(write_bundle, path, files)


async def import_runs(database: Database, path: Path) -> list[Imported]:
    """Take in every run of a bundle, or none: each is checked, and scored anew, before.

    Raises:
        BundleError: The bundle was changed, is malformed, or its scores are not those of its
            outcomes; or a run stands here already.
    """
    files = await asyncio.to_thread(read_bundle, path)
    head = parse_json(path, HEAD, files[HEAD])
    run_ids = _run_ids(path, head)
    bundles = [RunBundle(path, files, run_id) for run_id in run_ids]
    for bundle in bundles:
        await _check_is_new(database, path, bundle.run.id)
    origin = {"file": path.name, "sha256": file_sha256(path)}
    is_verified = head.get("metric_version") == METRIC_VERSION
    found = []
    for bundle in bundles:
        scored = await asyncio.to_thread(_score, path, bundle)
        if is_verified:
            _check_scores(path, bundle, scored)
        found.append(scored)
    for bundle, scored in zip(bundles, found, strict=True):
        await _store(database, bundle, scored, origin)
    return [
        Imported(bundle.run.id, len(scored), is_verified)
        for bundle, scored in zip(bundles, found, strict=True)
    ]


def _run_ids(path: Path, head: object) -> list[str]:
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        met = head.get("format") if isinstance(head, dict) else None
        raise BundleError(f"{path}: {HEAD} has format {met!r}, this version reads {FORMAT}")
    run_ids = head.get("runs")
    is_list = isinstance(run_ids, list) and all(isinstance(name, str) for name in run_ids)
    if not is_list or not run_ids or len(set(run_ids)) < len(run_ids):
        raise BundleError(f"{path}: {HEAD} names no runs, or one twice")
    return list(run_ids)


async def _check_is_new(database: Database, path: Path, run_id: str) -> None:
    try:
        await runs.get(database, run_id)
    except UnknownRunError:
        return
    raise BundleError(f"{path}: run {run_id} stands here already; `polysense delete` removes it")


def _score(path: Path, bundle: RunBundle) -> list[Score]:
    run = bundle.run
    try:
        found = scores_of(run.benchmark, bundle.rows(), run.settings, run.seed)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        place = f"{path}: runs/{run.id}/outcomes.jsonl"
        raise BundleError(f"{place}: no outcomes of {run.benchmark} ({error!r})") from error
    return [score.model_copy(update={"model": run.model}) for score in found]


def _check_scores(path: Path, bundle: RunBundle, scored: Sequence[Score]) -> None:
    """Refuse scores that are not those of the outcomes.

    Raises:
        BundleError: Names the first one.
    """
    if not bundle.scores and bundle.run.status != "finished":
        return
    place = f"{path}: runs/{bundle.run.id}/scores.json"
    told = {_key(score): score for score in bundle.scores}
    if len(told) != len({_key(score) for score in scored}):
        raise BundleError(f"{place}: {len(told)} scores, the outcomes give {len(scored)}")
    for score in scored:
        other = told.get(_key(score))
        if other is None or other.n != score.n or not _is_same(other.value, score.value):
            name = " ".join(str(part) for part in _key(score) if part is not None)
            met = None if other is None else other.value
            raise BundleError(f"{place}: {name} is {met}, the outcomes give {score.value}")


def _key(score: Score) -> Key:
    return score.metric, score.task, score.language, score.subset, score.layer, score.setting


def _is_same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, abs_tol=TOLERANCE)


async def _store(
    database: Database, bundle: RunBundle, scored: Sequence[Score], origin: dict[str, str]
) -> None:
    record = bundle.run
    await items.put(database, record.item_set, bundle.items)
    async with database.begin() as connection:
        run = await runs.create(connection, record.new_run(origin))
        await outcomes.put(connection, run.id, bundle.outcomes())
        await failures.put(connection, run.id, bundle.failures)
        await scores.replace(connection, run.id, score_set(run), scored)
        await runs.set_status(
            connection, run.id, record.status, allowed_from=("queued",), reason=record.reason
        )
        tags = dict.fromkeys([*record.tags, IMPORTED])
        await runs.set_note(connection, run.id, record.note, tags)
