"""`polysense bench probe`: real activations, then probes and their peers on them."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Item
from services.bench.activations import ask_states, probe_sets
from services.bench.machine import bench_facts, n_cores
from services.bench.pairs import generated_items, items_of, sentences_of
from services.bench.probing import measure
from services.home import Home
from services.processes import scorers_for

BUDGET_S = 170.0
"""From the start, so that a slow machine still ends within 240 s."""
ASKING_S = 80.0
"""Of these; a slow machine's probes see fewer sentences."""
LEAST_BUDGET_S = 20.0
N_PAIRS = 340
"""Generated ones; as many as a negative type of the COMPS sample has."""


@dataclass(frozen=True, slots=True)
class ProbeBench:
    """What is timed."""

    model: str
    data: Path | None
    """A COMPS or XCOMPS folder; None: generated pairs."""
    n_pairs: int | None = None
    """The first ones of each negative type; None: all of a folder's."""

    def items(self) -> list[Item]:
        """Return the pairs.

        Raises:
            DataError: There are none, or fewer than are generated.
        """
        if self.data is None:
            return generated_items(self.n_pairs or N_PAIRS, seed=0)
        items = items_of(self.data)
        return items if self.n_pairs is None else _first(items, self.n_pairs)


def run(bench: ProbeBench, home: Home, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return what was measured.

    Raises:
        DataError: There are no such pairs.
        ServiceStartError: No scorer can be started for the model.
        ScorerError: It does not answer.
    """
    began = time.monotonic()
    items = bench.items()
    sentences = sentences_of(items)
    with scorers_for(home, [bench.model], tell) as urls:
        tell(f"hidden states of {len(sentences)} sentences by {bench.model}")
        left_s = ASKING_S - (time.monotonic() - began)
        asked = ask_states(urls[bench.model], home.scorer_key, sentences, left_s)
        facts, states = asyncio.run(asked)
    sets = probe_sets(items, states)
    tell(f"{facts.n_layers + 1} layers, {len(sets)} probes each")
    left_s = BUDGET_S - (time.monotonic() - began)
    return {
        **bench_facts("numpy", "scipy", "scikit-learn"),
        "device": "cpu",
        "dtype": facts.dtype,
        "model": facts.model,
        "n_sentences": len(states),
        "n_layers": facts.n_layers + 1,
        "width": facts.width,
        **measure(sets, max(LEAST_BUDGET_S, left_s), n_cores()),
    }


def _first(items: Sequence[Item], n_pairs: int) -> list[Item]:
    """Return the first pairs of each negative type."""
    seen: Counter[str | None] = Counter()
    found = []
    for item in items:
        seen[item.subset] += 1
        if seen[item.subset] <= n_pairs:
            found.append(item)
    return found
