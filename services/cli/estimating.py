"""`run --estimate`: what a run would take, before anything is asked."""

import asyncio
import sys
from dataclasses import replace
from typing import Any

from orchestrator.errors import ProviderRefusedError, ProviderUnavailableError, WrongUseError
from orchestrator.estimate import Estimate, estimate
from orchestrator.plan import cells, choose_tasks
from orchestrator.planning import Source, all_requests, open_source, opening_of
from orchestrator.providers.catalog import PAID, open_provider
from orchestrator.providers.http_keys import MissingKeyError
from orchestrator.providers.http_translation import Allowance, HttpTranslator
from orchestrator.providers.provider import Provider
from orchestrator.resources import Resources
from orchestrator.spec import RunSpec, parse_model
from services.cli.printing import print_json
from services.cli.store import open_store
from services.home import Home
from services.processes import find_scorers, resources_of

SCHEMA = 1
UNTRIED = (MissingKeyError, ProviderUnavailableError, ProviderRefusedError)


async def show_estimate(home: Home, spec: RunSpec, *, as_json: bool) -> None:
    """Print requests, tokens or characters, the stored share and the cost of a run.

    Raises:
        WrongUseError: The model cannot serve what is asked.
    """
    source = await asyncio.to_thread(open_source, spec)
    notes: list[str] = []
    async with open_store(home) as database:
        endpoints = await asyncio.to_thread(find_scorers, home)
        provider = await _open(spec, source, resources_of(home, endpoints), notes)
        try:
            choice = choose_tasks(source.benchmark, spec.tasks, provider.kinds, spec.model)
            run_cells = cells(source.benchmark, choice.tasks, spec.seed)
            requests = all_requests(source.benchmark, source.items(), run_cells, spec.seed or 0)
            found = await estimate(
                database, provider, requests, "" if spec.use_cache else "not shared"
            )
            allowance = await _allowance(provider)
        finally:
            await provider.close()
    notes += [f"skipped task {task}: {reason}" for task, reason in choice.skipped.items()]
    document = _document(spec, found, allowance, notes)
    if as_json:
        print_json(document)
    else:
        _print(document)


async def _open(spec: RunSpec, source: Source, resources: Resources, notes: list[str]) -> Provider:
    """Open the model as a run would; where it cannot be tried, count without it."""
    opening = opening_of(spec, source.benchmark)
    try:
        provider = await open_provider(spec.model, resources, opening)
    except UNTRIED as error:
        if parse_model(spec.model).kind not in PAID:
            raise
        notes.append(f"the model was not tried: {error}")
        provider = await open_provider(spec.model, resources, replace(opening, is_dry=True))
    if provider is None:
        raise WrongUseError(f"--estimate: {spec.model} is computed and costs nothing")
    return provider


async def _allowance(provider: Provider) -> Allowance | None:
    if not isinstance(provider, HttpTranslator) or provider.opening.is_dry:
        return None
    return await provider.allowance()


def _document(
    spec: RunSpec, found: Estimate, allowance: Allowance | None, notes: list[str]
) -> dict[str, Any]:
    price = found.price
    if price is None and found.is_counted:
        notes.append(
            f"no price is known for {spec.model}: put one into a file that POLYSENSE_PRICES names"
        )
    return {
        "schema": SCHEMA,
        "benchmark": spec.benchmark,
        "model": spec.model,
        "n_requests": found.n_requests,
        "n_different": found.n_different,
        "n_stored": found.n_stored,
        "stored_share": found.n_stored / found.n_different if found.n_different else None,
        "n_to_ask": found.n_to_ask,
        "n_calls": found.n_calls if found.is_counted else None,
        "input_tokens": found.input_tokens if found.is_counted else None,
        "max_output_tokens": found.max_output_tokens if found.is_counted else None,
        "characters": found.characters if found.is_counted else None,
        "cost": found.cost(),
        "cost_at_most": found.cost(is_most=True),
        "currency": None if price is None else price.currency,
        "price_as_of": None if price is None else price.as_of.isoformat(),
        "allowance": None
        if allowance is None
        else {"n_used": allowance.n_used, "n_allowed": allowance.n_allowed},
        "notes": notes,
    }


def _print(document: dict[str, Any]) -> None:
    share = document["stored_share"]
    _tell(
        f"{document['n_requests']} requests, {document['n_different']} different,"
        f" {document['n_stored']} stored already" + ("" if share is None else f" ({share:.0%})")
    )
    if document["n_calls"] is not None:
        counted = (
            f"{document['characters']} characters"
            if document["characters"]
            else f"about {document['input_tokens']} tokens to read,"
            f" at most {document['max_output_tokens']} to write"
        )
        _tell(f"{document['n_to_ask']} to ask in {document['n_calls']} calls: {counted}")
    else:
        _tell(f"{document['n_to_ask']} to ask")
    if document["cost"] is not None:
        _tell(
            f"cost about {document['cost']:.4f}, at most {document['cost_at_most']:.4f}"
            f" {document['currency']} (list price of {document['price_as_of']})"
        )
    if document["allowance"] is not None:
        used, allowed = document["allowance"]["n_used"], document["allowance"]["n_allowed"]
        _tell(f"the key has used {used} of {allowed} characters")
    for note in document["notes"]:
        _tell(note)
    _tell("questions that are asked again come on top")


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
