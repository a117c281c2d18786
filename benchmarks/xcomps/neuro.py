"""Can a linear probe tell acceptable from unacceptable sentences, at each layer?

One probe a language × negative type × layer, on good sentences followed by bad ones; every sentence
is decided by a probe that has not seen it, with folds by sentence and by property. Beside it stand
a control task (a random label for every concept; what a probe can memorise) and a bag of words.

Source: He et al. 2025 (arXiv:2502.19737), Neuro; Hewitt & Liang 2019 (arXiv:1909.03368), control
tasks. Defined as the exact optimum (see `probe`), not as what a solver reaches.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no stubs

from benchmarks.benchmark import Case, Outcome
from benchmarks.errors import ReplayError
from benchmarks.xcomps.folds import N_FOLDS
from benchmarks.xcomps.probe import ProbeError, decide, gram_matrix
from benchmarks.xcomps.probe_set import (
    Answered,
    BoolArray,
    ProbeSet,
    by_probe,
    probe_set,
    read_pairs,
)
from benchmarks.xcomps.settings import XcompsSettings
from benchmarks.xcomps.tensors import TensorReader, read_states

MAX_SENTENCES = 10_000
"""More would need tens of GB for the inner products of one probe."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """Out-of-fold decisions of one probe and of its control, by the name of the folds."""

    main: Mapping[str, BoolArray]
    control: Mapping[str, BoolArray]


def conclude(
    settings: XcompsSettings,
    answered: Iterable[Answered],
    read_tensor: TensorReader = read_states,
    n_threads: int | None = None,
) -> Iterator[tuple[Case, Outcome]]:
    """Fit every probe and yield each pair's out-of-fold decisions.

    Args:
        settings: Folds and seed.
        answered: The cases with the responses of both sentences; a case without any is passed over.
        read_tensor: How a tensor is read from where it rests.
        n_threads: Layers at a time, one thread each; as many as there are processors if None.
    """
    for of_probe in by_probe(answered).values():
        n_sentences = 2 * len(of_probe)
        if n_sentences > MAX_SENTENCES:
            reason = f"{n_sentences} sentences, limit {MAX_SENTENCES}; set a limit of items"
            yield from _undecided([case for case, _ in of_probe], reason)
            continue
        pairs, refused = read_pairs(of_probe, read_tensor)
        for case, reason in refused:
            yield from _undecided([case], reason)
        if pairs:
            yield from _decide_pairs(pairs, settings, n_threads)


def decide_layer(vectors: NDArray[np.floating], of_probe: ProbeSet) -> Decisions:
    """Return what the probe of one layer says, with one Gram matrix for all its fits."""
    gram = gram_matrix(vectors)
    known = {name: folds for name, folds in of_probe.folds.items() if folds is not None}
    return Decisions(
        main={name: decide(gram, of_probe.labels, folds) for name, folds in known.items()},
        control={
            name: decide(gram, of_probe.control_labels, folds) for name, folds in known.items()
        },
    )


def decide_layers(of_probe: ProbeSet, n_threads: int | None = None) -> list[Decisions]:
    """Return what the probe of every layer says; one thread a layer, layers side by side."""
    # More threads for one fit only wait for each other.
    n_workers = min(of_probe.n_layers, n_threads or os.cpu_count() or 1)
    with threadpool_limits(1), ThreadPoolExecutor(n_workers) as pool:
        numbers = range(of_probe.n_layers)
        return list(pool.map(lambda at: decide_layer(of_probe.layer(at), of_probe), numbers))


def _decide_pairs(
    pairs: Sequence[Any], settings: XcompsSettings, n_threads: int | None
) -> Iterator[tuple[Case, Outcome]]:
    cases = [case for case, _ in pairs]
    if len(cases) < N_FOLDS:
        yield from _undecided(cases, f"{len(cases)} pairs; {N_FOLDS} folds need {N_FOLDS}")
        return
    try:
        of_probe = probe_set(pairs, settings.probe_seed)
        by_layer = decide_layers(of_probe, n_threads)
        by_words = decide_layer(of_probe.words, of_probe)
    except (ProbeError, ReplayError) as error:
        yield from _undecided(cases, str(error))
        return
    repeated, two_labelled = of_probe.repeated(), of_probe.two_labelled()
    for number, case in enumerate(cases):
        places = of_probe.places(number)
        detail = {
            "n_layers": of_probe.n_layers,
            "control_labels": [int(of_probe.control_labels[at]) for at in places],
            "is_repeated": [repeated[at] for at in places],
            "has_both_labels": [two_labelled[at] for at in places],
            "folds": dict(_by_folds(of_probe, places, by_layer, by_words)),
        }
        yield case, _outcome(detail, settings.folds)


def _by_folds(
    of_probe: ProbeSet, places: tuple[int, int], by_layer: Sequence[Decisions], by_words: Decisions
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield for each kind of folds what was decided of the two sentences of a pair."""
    for name, folds in of_probe.folds.items():
        if folds is not None:
            yield (
                name,
                {
                    "fold": [int(folds[at]) for at in places],
                    "decisions": [
                        _bits(layer.main[name][at] for layer in by_layer) for at in places
                    ],
                    "control": [
                        _bits(layer.control[name][at] for layer in by_layer) for at in places
                    ],
                    "words": [int(by_words.main[name][at]) for at in places],
                },
            )


def _outcome(detail: Mapping[str, Any], default_folds: str) -> Outcome:
    """Return a pair's decisions; its value is the share of right ones over layers and sentences."""
    found = detail["folds"].get(default_folds)
    if found is None:
        reason = f"fewer than {N_FOLDS} properties for folds by group"
        return Outcome(None, is_valid=False, detail={**detail, "not_asked": reason})
    good, bad = found["decisions"]
    value = (good.count("1") + bad.count("0")) / (2 * detail["n_layers"])
    return Outcome(value, detail=detail, baselines={"chance": 0.5})


def _bits(decisions: Iterable[np.bool_]) -> str:
    """Write one decision a layer, 1 for acceptable, the embeddings first."""
    return "".join("1" if decision else "0" for decision in decisions)


def _undecided(cases: Iterable[Case], reason: str) -> Iterator[tuple[Case, Outcome]]:
    for case in cases:
        yield case, Outcome(None, is_valid=False, detail={"not_asked": reason})
