"""From what a user asks to a run in the store: checked, with its items, cells and manifest."""

import asyncio
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ulid import ULID

from benchmarks.benchmark import Benchmark, Case, Cautioning, Item, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.errors import DataError
from benchmarks.requests import Request
from orchestrator.demands import check_demands, check_refusals, price_facts
from orchestrator.manifest import data_facts, manifest, model_facts
from orchestrator.plan import (
    Cell,
    TaskChoice,
    cells,
    check_tasks,
    choose_baseline_tasks,
    choose_tasks,
)
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.opening import Opening
from orchestrator.providers.provider import ChoosyProvider, Provider
from orchestrator.providers.replay import ReplayProvider
from orchestrator.resources import Resources
from orchestrator.spec import RunSpec, parse_model
from storage import items as stored_items
from storage.database import Database
from storage.records import NewRun

N_NAMED_KEYS = 3


@dataclass(frozen=True)
class Source:
    """Which data a run reads: everything that can be checked before a model is there."""

    benchmark: Benchmark
    folder: Path
    languages: tuple[str, ...]
    selection: Selection

    def items(self) -> Iterator[Item]:
        """Read the items in data order."""
        return self.benchmark.items(self.folder, self.selection)


@dataclass(frozen=True)
class Plan:
    """A run that is ready to be stored, and what the user should hear first."""

    run: NewRun
    skipped: dict[str, str]
    """Tasks the model cannot serve, with the reason."""
    warnings: list[str] = field(default_factory=list)


def open_source(spec: RunSpec) -> Source:
    """Check a spec's benchmark, settings, tasks, folder and languages.

    Raises:
        BenchmarkError: One of them does not exist.
        WrongUseError: No model has a name like that.
    """
    parse_model(spec.model)
    benchmark = open_benchmark(spec.benchmark, spec.benchmark_settings)
    check_tasks(benchmark, spec.tasks)
    folder = benchmark.sample if spec.data is None else Path(spec.data)
    if not folder.is_dir():
        raise DataError(f"no data folder at {folder}")
    found = benchmark.languages(folder)
    if missing := [language for language in spec.languages if language not in found]:
        raise DataError(f"language {missing[0]!r} is not in {folder}; it has: {', '.join(found)}")
    selection = Selection(languages=spec.languages, limit=spec.limit)
    return Source(benchmark, folder, spec.languages or found, selection)


async def make_plan(
    database: Database, spec: RunSpec, resources: Resources, idempotency_key: str | None = None
) -> Plan:
    """Check everything about a run and store its items; the run itself is not stored yet.

    Raises:
        BenchmarkError: The data, a name or a setting is wrong.
        WrongUseError: The model cannot serve what is asked.
        ProviderUnavailableError: The model cannot be reached.
    """
    source = await asyncio.to_thread(open_source, spec)
    provider = await open_provider(spec.model, resources, opening_of(spec, source.benchmark))
    try:
        return await _plan(database, spec, source, provider, idempotency_key)
    finally:
        if provider is not None:
            await provider.close()


def opening_of(spec: RunSpec, benchmark: Benchmark, *, is_dry: bool = False) -> Opening:
    """Return what a provider is told when a run is planned; dry, that nothing will be asked."""
    kinds = {kind for task in spec.tasks or benchmark.tasks for kind in benchmark.kinds(task)}
    return Opening(settings=spec.provider_settings, kinds=frozenset(kinds), is_dry=is_dry)


async def _plan(
    database: Database,
    spec: RunSpec,
    source: Source,
    provider: Provider | None,
    idempotency_key: str | None,
) -> Plan:
    choice = _choose(source.benchmark, spec, provider)
    kinds = {kind for task in choice.tasks for kind in source.benchmark.kinds(task)}
    if provider is not None:
        check_demands(source.benchmark.settings, spec.model, provider, kinds)
    warnings = await asyncio.to_thread(_cautions, source, choice.tasks)
    cautions = {"cautions": list(warnings)} if warnings else {}
    run_cells = cells(source.benchmark, choice.tasks, spec.seed)
    item_set, n_items = await asyncio.to_thread(fingerprint_items, source.items())
    if n_items == 0:
        raise DataError(f"{source.folder} has no items for {', '.join(source.languages)}")
    seed = spec.seed if spec.seed is not None else 0
    if isinstance(provider, ReplayProvider):
        requests = all_requests(source.benchmark, source.items(), run_cells, seed)
        unknown = await asyncio.to_thread(provider.unknown_keys, requests)
        warnings += _unknown_key_warning(unknown)
    if isinstance(provider, ChoosyProvider):
        requests = all_requests(source.benchmark, source.items(), run_cells, seed)
        await asyncio.to_thread(check_refusals, spec.model, provider, requests)
    await stored_items.put(database, item_set, source.items())
    run = NewRun(
        id=str(ULID()),
        benchmark=spec.benchmark,
        model=spec.model,
        spec=spec.model_dump(mode="json"),
        manifest={
            **manifest(
                spec,
                source.benchmark,
                run_cells,
                model_facts(spec.model, provider, [str(kind) for kind in kinds]),
                await asyncio.to_thread(
                    data_facts, source.benchmark, source.folder, source.languages
                ),
            ),
            **price_facts(spec, provider),
            **cautions,
        },
        item_set=item_set,
        n_items=n_items,
        cells=run_cells,
        settings=source.benchmark.settings.model_dump(mode="json"),
        seed=seed,
        idempotency_key=idempotency_key,
    )
    return Plan(run=run, skipped=choice.skipped, warnings=warnings)


def _cautions(source: Source, tasks: Sequence[str]) -> list[str]:
    benchmark = source.benchmark
    if not isinstance(benchmark, Cautioning):
        return []
    return list(benchmark.cautions(source.folder, source.languages, tasks))


def all_requests(
    benchmark: Benchmark, items: Iterable[Item], run_cells: Iterable[Cell], seed: int
) -> Iterator[Request]:
    """Make the first requests of every case, item by item."""
    run_cells = tuple(run_cells)
    for item in items:
        for task, variant in run_cells:
            yield from benchmark.requests(Case(item, task, variant), seed)


def _choose(benchmark: Benchmark, spec: RunSpec, provider: Provider | None) -> TaskChoice:
    if provider is None:
        name = parse_model(spec.model).argument
        return choose_baseline_tasks(benchmark, spec.tasks, name)
    return choose_tasks(benchmark, spec.tasks, provider.kinds, spec.model)


def fingerprint_items(items: Iterable[Item]) -> tuple[str, int]:
    """Return a hash of all items in order, and their number."""
    digest = hashlib.sha256()
    n_items = 0
    for item in items:
        text = json.dumps(asdict(item), sort_keys=True, ensure_ascii=True)
        digest.update(text.encode() + b"\n")
        n_items += 1
    return digest.hexdigest(), n_items


def _unknown_key_warning(unknown: list[str]) -> list[str]:
    if not unknown:
        return []
    named = ", ".join(unknown[:N_NAMED_KEYS])
    more = ", …" if len(unknown) > N_NAMED_KEYS else ""
    return [f"ignored {len(unknown)} recorded keys that no request has: {named}{more}"]
