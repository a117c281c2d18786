"""How fast are our probes beside scikit-learn's, on the same activations, in the same sitting?

Layer by layer in turn, so that a machine's moods hit all alike: our probe with everything it needs
(merging, Gram matrix, every kind of folds, main and control labels), scikit-learn's default solver
on the same fits, and scikit-learn's Newton solver at a tolerance of 1e-8, whose decisions are the
yardstick for both. One thread each; then, once more, all cores each.
"""

import multiprocessing
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no stubs

from benchmarks.xcomps.layers import Decisions, decide_layer
from benchmarks.xcomps.probe import TIE
from benchmarks.xcomps.probe_set import ProbeSet
from benchmarks.xcomps.rows import BoolArray, FloatArray, IntArray, Vectors

GOLDEN = 0.6180339887498949
"""Its multiples, less their whole parts, spread evenly however many are taken."""
LAYERS_A_CORE = 3
"""In the part with all cores."""
SAFETY = 1.5
"""What that part may take longer than it should."""
REST_S = 0.2
SOLVERS: Mapping[str, Mapping[str, Any]] = {
    "sklearn_lbfgs": {},
    "sklearn_newton_cholesky_1e-8": {"solver": "newton-cholesky", "tol": 1e-8},
}
DEFAULT_PEER, EXACT_PEER = SOLVERS
MAX_ITERATIONS = 10_000

Fits = list[tuple[IntArray, BoolArray]]
"""Folds and labels: each pair is one fit a fold."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The activations of one layer of one set."""

    of_probe: ProbeSet
    vectors: Vectors
    """Shape (n_tensors, width)."""

    @property
    def of_sentences(self) -> Vectors:
        """Return one vector a sentence, as scikit-learn wants them."""
        return self.vectors[self.of_probe.tensor_of]

    @property
    def fits(self) -> Fits:
        """Return what is fitted."""
        known = [folds for folds in self.of_probe.folds.values() if folds is not None]
        labels = (self.of_probe.labels, self.of_probe.control_labels)
        return [(folds, chosen) for folds in known for chosen in labels]

    @property
    def n_fits(self) -> int:
        """Return how many fits there are."""
        return sum(len(np.unique(folds)) for folds, _ in self.fits)


@dataclass(slots=True)
class Sitting:
    """What was timed, one core each."""

    n_layers: int = 0
    n_fits: int = 0
    n_decisions: int = 0
    own_s: float = 0.0
    peer_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SOLVERS, 0.0))
    n_ties: int = 0
    """Decisions on a score of 0 but for rounding, by scikit-learn at a tolerance of 1e-8."""
    n_flips: int = 0
    """Other decisions of ours that are not those of scikit-learn at a tolerance of 1e-8."""
    n_default_flips: int = 0
    """The same of scikit-learn's default."""
    longest_s: float = 0.0


def measure(sets: Sequence[ProbeSet], budget_s: float, n_cores: int) -> dict[str, Any]:
    """Time as many layers as the budget allows, spread over all of them; at least one.

    Args:
        sets: Their hidden states in memory.
        budget_s: For everything.
        n_cores: In the part with all cores.
    """
    deadline = time.monotonic() + budget_s
    sitting = Sitting()
    spawn = multiprocessing.get_context("spawn")
    with (
        threadpool_limits(1),
        ProcessPoolExecutor(n_cores, spawn, initializer=_warm_up) as processes,
    ):
        list(processes.map(_rest, range(n_cores)))
        for layer in _spread(sets):
            _time_layer(layer, sitting)
            together_s = SAFETY * LAYERS_A_CORE * sitting.peer_s[DEFAULT_PEER] / sitting.n_layers
            if time.monotonic() + sitting.longest_s + together_s > deadline:
                break
        chosen = list(islice(_spread(sets), LAYERS_A_CORE * n_cores))
        together = _time_together(chosen, n_cores, processes)
    return {**_told(sitting), "all_cores": together}


def scores_by_sklearn(vectors: Vectors, fits: Fits, options: Mapping[str, Any]) -> list[FloatArray]:
    """Return scikit-learn's out-of-fold scores, shape (n_sentences,) for each kind of fit."""
    found = []
    for folds, labels in fits:
        scores = np.zeros(len(labels))
        for fold in np.unique(folds):
            tested = folds == fold
            known = labels[~tested]
            if known.all() or not known.any():
                scores[tested] = 1.0 if known[0] else -1.0
                continue
            model = LogisticRegression(max_iter=MAX_ITERATIONS, **options)
            model.fit(vectors[~tested], known)
            scores[tested] = model.decision_function(vectors[tested])
        found.append(scores)
    return found


def _spread(sets: Sequence[ProbeSet]) -> Iterator[Layer]:
    """Yield all layers of all sets, the first few from everywhere."""
    places = [(of_probe, number) for of_probe in sets for number in range(of_probe.n_layers)]
    order = sorted(range(len(places)), key=lambda at: at * GOLDEN % 1)
    blocks = {id(of_probe): next(of_probe.tensors.layer_blocks(10**6)) for of_probe in sets}
    for at in order:
        of_probe, number = places[at]
        yield Layer(of_probe, blocks[id(of_probe)][number])


def _time_layer(layer: Layer, sitting: Sitting) -> None:
    began = time.perf_counter()
    own = _in_order(decide_layer(layer.vectors, layer.of_probe), layer.of_probe)
    own_s = time.perf_counter() - began
    sitting.own_s += own_s
    found, whole_s = {}, own_s
    for name, options in SOLVERS.items():
        # The default gets single precision, as it lies in the file, in which it is faster.
        dtype = np.float64 if name == EXACT_PEER else layer.vectors.dtype
        vectors = layer.of_sentences.astype(dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            began = time.perf_counter()
            found[name] = scores_by_sklearn(vectors, layer.fits, options)
            took_s = time.perf_counter() - began
        sitting.peer_s[name] += took_s
        whole_s += took_s
    sitting.n_layers += 1
    sitting.n_fits += layer.n_fits
    sitting.longest_s = max(sitting.longest_s, whole_s)
    exact, default = np.concatenate(found[EXACT_PEER]), np.concatenate(found[DEFAULT_PEER])
    is_clear = np.abs(exact) > TIE
    sitting.n_decisions += len(exact)
    sitting.n_ties += int((~is_clear).sum())
    sitting.n_flips += int((np.concatenate(own) != (exact > 0))[is_clear].sum())
    sitting.n_default_flips += int(((default > 0) != (exact > 0))[is_clear].sum())


def _time_together(
    layers: Sequence[Layer], n_cores: int, processes: ProcessPoolExecutor
) -> dict[str, Any]:
    """Time all cores: our threads, and as many processes of scikit-learn, a layer each."""
    jobs = [(layer.of_sentences, layer.fits) for layer in layers]
    with ThreadPoolExecutor(n_cores) as threads:
        began = time.perf_counter()
        list(threads.map(lambda layer: decide_layer(layer.vectors, layer.of_probe), layers))
        own_s = time.perf_counter() - began
    began = time.perf_counter()
    list(processes.map(_score_by_default, jobs))
    peer_s = time.perf_counter() - began
    n_fits = sum(layer.n_fits for layer in layers)
    return {
        "n_cores": n_cores,
        "n_fits": n_fits,
        "fits_per_s": n_fits / own_s,
        "peers": {DEFAULT_PEER: {"fits_per_s": n_fits / peer_s, "ratio": peer_s / own_s}},
    }


def _warm_up() -> None:
    warnings.simplefilter("ignore")
    threadpool_limits(1)
    LogisticRegression().fit(np.arange(8.0).reshape(4, 2), [0, 1, 0, 1])


def _rest(number: int) -> int:
    """Leave time for every process to be asked, so that all of them are started."""
    time.sleep(REST_S)
    return number


def _score_by_default(job: tuple[Vectors, Fits]) -> None:
    scores_by_sklearn(*job, SOLVERS[DEFAULT_PEER])


def _in_order(decisions: Decisions, of_probe: ProbeSet) -> list[BoolArray]:
    """Return decisions in the order of a layer's fits."""
    known = [name for name, folds in of_probe.folds.items() if folds is not None]
    both = (decisions.main, decisions.control)
    return [kind[name] for name in known for kind in both]


def _told(sitting: Sitting) -> dict[str, Any]:
    return {
        "n_layers_timed": sitting.n_layers,
        "n_fits": sitting.n_fits,
        "fits_per_s": sitting.n_fits / sitting.own_s,
        "peers": {
            name: {"fits_per_s": sitting.n_fits / took_s, "ratio": took_s / sitting.own_s}
            for name, took_s in sitting.peer_s.items()
        },
        "n_decisions": sitting.n_decisions,
        "n_ties": sitting.n_ties,
        "n_flips_vs_exact": sitting.n_flips,
        "n_flips_of_sklearn_lbfgs": sitting.n_default_flips,
    }
