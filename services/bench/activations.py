"""The hidden states that a probe bench needs: of a running scorer, or of one started for it."""

import time
from collections.abc import Mapping, Sequence

from benchmarks.benchmark import Case, Item
from benchmarks.errors import ReplayError
from benchmarks.responses import TensorResponse
from benchmarks.xcomps.probe_set import ProbeSet, by_probe, find_pairs, probe_set
from benchmarks.xcomps.tensors import ALL_LAYERS, States
from scorer.client import ScorerClient
from scorer.errors import ScorerError
from scorer.schemas import Capabilities, FailedItem, HiddenStatesRequest

TEXTS_A_CALL = 128
PROBE_SEED = 42


async def ask_states(
    url: str, key: str | None, sentences: Sequence[str], budget_s: float
) -> tuple[Capabilities, Mapping[str, States]]:
    """Ask a scorer for the last token's states at every layer.

    Returns:
        What it says of itself, and the states by sentence; those that it cannot answer, or not in
        time, are left out.

    Raises:
        ScorerError: It does not answer.
    """
    found: dict[str, States] = {}
    async with ScorerClient(url, api_key=key) as client:
        capabilities = await client.capabilities()
        deadline = time.monotonic() + budget_s
        for first in range(0, len(sentences), TEXTS_A_CALL):
            if found and time.monotonic() > deadline:
                break
            texts = list(sentences[first : first + TEXTS_A_CALL])
            answer = await client.hidden_states(HiddenStatesRequest(texts=texts, pooling="last"))
            for text, states in zip(texts, answer.states, strict=True):
                if not isinstance(states, FailedItem):
                    found[text] = states
    if not found:
        raise ScorerError(f"{capabilities.model} has no hidden states of these sentences")
    return capabilities, found


def probe_sets(items: Sequence[Item], states: Mapping[str, States]) -> list[ProbeSet]:
    """Return what each probe sees: the pairs of one negative type."""

    def read(response: TensorResponse, layers: slice = ALL_LAYERS) -> States:
        if response.tensor not in states:
            raise ReplayError(f"no states of {response.tensor!r}")
        return states[response.tensor][layers]

    answered = []
    for item in items:
        good, bad = (TensorResponse(file="", tensor=text) for text in item.fields["sentences"])
        answered.append((Case(item, "neuro"), {"acceptable": good, "unacceptable": bad}))
    found = [find_pairs(of_probe, read)[0] for of_probe in by_probe(answered).values()]
    return [probe_set(pairs, PROBE_SEED, read) for pairs in found if pairs]
