"""Can a linear probe tell acceptable from unacceptable sentences, at each layer?

One probe a language × negative type × layer, on good sentences followed by bad ones; every sentence
is decided by a probe that has not seen it, with folds by sentence and by property. Beside it stand
a control task (a random label for every concept; what a probe can memorise) and a bag of words.

Source: He et al. 2025 (arXiv:2502.19737), Neuro; Hewitt & Liang 2019 (arXiv:1909.03368), control
tasks. Defined as the exact optimum (see `probe`), not as what a solver reaches.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.benchmark import Case, Outcome
from benchmarks.errors import ReplayError
from benchmarks.xcomps.folds import N_FOLDS
from benchmarks.xcomps.layers import Decisions, Tell, decide_layers, decide_words
from benchmarks.xcomps.probe import ProbeError
from benchmarks.xcomps.probe_set import Answered, Pair, ProbeSet, by_probe, find_pairs, probe_set
from benchmarks.xcomps.rows import BoolArray
from benchmarks.xcomps.settings import XcompsSettings
from benchmarks.xcomps.tensors import FileReader, TensorReader

MAX_SENTENCES = 200_000
"""Of one probe; one layer of more would need over 3 GB at a width of 4,096."""


def conclude(
    settings: XcompsSettings,
    answered: Iterable[Answered],
    read_tensor: TensorReader | None = None,
    n_threads: int | None = None,
    tell: Tell | None = None,
) -> Iterator[tuple[Case, Outcome]]:
    """Fit every probe and yield each pair's out-of-fold decisions.

    Args:
        settings: Folds and seed.
        answered: The cases with the responses of both sentences; a case without any is passed over.
        read_tensor: How a tensor is read from where it rests; from its file if None.
        n_threads: At a time; as many as there are processors if None.
        tell: Is told how far the work is, from this thread.
    """
    read_tensor = read_tensor or FileReader()
    for of_probe in by_probe(answered).values():
        n_sentences = 2 * len(of_probe)
        if n_sentences > MAX_SENTENCES:
            reason = f"{n_sentences} sentences, limit {MAX_SENTENCES}; set a limit of items"
            yield from _undecided([case for case, _ in of_probe], reason)
            continue
        pairs, refused = find_pairs(of_probe, read_tensor)
        for case, reason in refused:
            yield from _undecided([case], reason)
        if len(pairs) < N_FOLDS:
            reason = f"{len(pairs)} pairs; {N_FOLDS} folds need {N_FOLDS}"
            yield from _undecided([pair.case for pair in pairs], reason)
            continue
        yield from _decide_pairs(pairs, settings, read_tensor, n_threads, tell)


def _decide_pairs(
    pairs: Sequence[Pair],
    settings: XcompsSettings,
    read_tensor: TensorReader,
    n_threads: int | None,
    tell: Tell | None,
) -> Iterator[tuple[Case, Outcome]]:
    cases = [pair.case for pair in pairs]
    try:
        of_probe = probe_set(pairs, settings.probe_seed, read_tensor)
        by_layer = decide_layers(of_probe, n_threads, tell)
        by_words = decide_words(of_probe)
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
    of_probe: ProbeSet,
    places: tuple[int, int],
    by_layer: Sequence[Decisions],
    by_words: Mapping[str, BoolArray],
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
                    "words": [int(by_words[name][at]) for at in places],
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
