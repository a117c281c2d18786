"""What a worker keeps open: benchmark and model of each run it works on."""

import asyncio
import json
from collections import OrderedDict

from benchmarks.catalog import open_benchmark
from benchmarks.requests import RequestKind
from orchestrator.ask import Asker
from orchestrator.budget import Purse
from orchestrator.errors import ProviderRefusedError
from orchestrator.manifest import model_facts
from orchestrator.prices import Price
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.opening import Opening
from orchestrator.providers.provider import Provider
from orchestrator.resources import Resources
from orchestrator.spec import RunSpec, parse_model
from orchestrator.work import RunContext
from storage.database import Database
from storage.records import Run

MAX_OPEN = 16


class RunContexts:
    """Opens each run once a process, and closes the one that was longest unused."""

    def __init__(self, database: Database, resources: Resources) -> None:
        self.database = database
        self._resources = resources
        self._open: OrderedDict[str, RunContext] = OrderedDict()
        self._lock = asyncio.Lock()

    @property
    def silence_s(self) -> float:
        """For how long a model may be silent before somebody is told."""
        return self._resources.silence_s

    async def get(self, run: Run) -> RunContext:
        """Return the context of a run, opened if need be.

        Raises:
            ProviderUnavailableError: The model cannot be reached.
            ProviderRefusedError: The model is not the one that the run was planned with.
        """
        async with self._lock:
            if run.id not in self._open:
                self._open[run.id] = await self._make(run)
                while len(self._open) > MAX_OPEN:
                    await _close(self._open.popitem(last=False)[1])
            self._open.move_to_end(run.id)
            return self._open[run.id]

    async def drop(self, run_id: str) -> None:
        """Close one run's context, if it is open."""
        async with self._lock:
            context = self._open.pop(run_id, None)
            if context is not None:
                await _close(context)

    async def close(self) -> None:
        """Close all of them."""
        for run_id in list(self._open):
            await self.drop(run_id)

    async def _make(self, run: Run) -> RunContext:
        spec = RunSpec.model_validate(run.spec)
        benchmark = open_benchmark(run.benchmark, run.settings)
        purse = Purse(self.database, run.id)
        provider = await open_provider(
            run.model, self._resources, _known(run, spec, self.database, purse)
        )
        if provider is None:
            baseline = parse_model(run.model).argument
            return RunContext(self.database, run, benchmark, asker=None, baseline=baseline)
        check_identity(run, provider)
        asker = Asker(self.database, provider, "" if spec.use_cache else run.id, purse)
        return RunContext(self.database, run, benchmark, asker)


def _known(run: Run, spec: RunSpec, database: Database, purse: Purse) -> Opening:
    """Return what a provider is told whose model was tried when the run was planned."""
    price = run.manifest.get("price")
    return Opening(
        settings=spec.provider_settings,
        kinds=frozenset(RequestKind(kind) for kind in run.manifest["model"].get("identities", ())),
        is_known=True,
        price=None if price is None else Price.model_validate(price),
        database=database,
        purse=purse,
    )


def check_identity(run: Run, provider: Provider) -> None:
    """Refuse to go on with another model than the one the run began with.

    Raises:
        ProviderRefusedError: Its identity differs from the manifest's.
    """
    planned = run.manifest["model"]
    found = model_facts(run.model, provider, list(planned["identities"]))
    if json.dumps(found, sort_keys=True) != json.dumps(planned, sort_keys=True):
        changed = _changed(planned["identities"], found["identities"])
        raise ProviderRefusedError(
            f"model {run.model} is not the one this run began with: {changed} differs"
        )


def _changed(planned: dict[str, dict[str, str]], found: dict[str, dict[str, str]]) -> str:
    names = {
        name
        for kind in planned
        for name in planned[kind] | found.get(kind, {})
        if planned[kind].get(name) != found.get(kind, {}).get(name)
    }
    return ", ".join(sorted(names)) or "its kinds of request"


async def _close(context: RunContext) -> None:
    if context.asker is not None:
        await context.asker.provider.close()
