"""What do the probes of all layers decide? Some layers at a time, as many as memory allows."""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has no stubs

from benchmarks.xcomps.probe import Probe, is_dual
from benchmarks.xcomps.probe_set import ProbeSet
from benchmarks.xcomps.rows import BoolArray, Rows, Vectors, merge_rows
from benchmarks.xcomps.tensors import Tensors

MEMORY_BYTES = 2 * 2**30
"""What the layers in work at one time may need together, unless one layer alone needs more."""
GRAM_BYTES = 20
"""A pair of vectors in the systems of a dual probe: the Gram matrix, a fold's part, its factor."""
SQUARE_BYTES = 16
"""A pair of dimensions in the systems of a primal probe."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Out-of-fold decisions of one probe and of its control, by the name of the folds."""

    main: Mapping[str, BoolArray]
    control: Mapping[str, BoolArray]


def decide_layers(
    of_probe: ProbeSet, n_threads: int | None = None, tell: Tell | None = None
) -> list[Decisions]:
    """Return what the probe of every layer says.

    Layers stand side by side with one thread each, since more threads for one fit mostly wait for
    each other; only where memory does not allow as many layers do they share the threads.

    Args:
        of_probe: The sentences and their states.
        n_threads: As many as there are processors if None.
        tell: Is told how far the work is.
    """
    n_threads = n_threads or os.cpu_count() or 1
    tensors = of_probe.tensors
    n_at_once = _n_layers_at_once(tensors)
    n_workers = min(tensors.n_layers, n_threads, n_at_once)
    found: list[Decisions] = []
    with (
        threadpool_limits(max(1, n_threads // n_workers)),
        ThreadPoolExecutor(n_workers) as pool,
    ):
        for block in tensors.layer_blocks(max(n_at_once, 1)):
            for decisions in pool.map(lambda vectors: decide_layer(vectors, of_probe), block):
                found.append(decisions)
                if tell is not None:
                    tell(f"{of_probe.title}: probing layer {len(found)} of {tensors.n_layers}")
    return found


def decide_layer(vectors: Vectors, of_probe: ProbeSet) -> Decisions:
    """Return what the probe of one layer says.

    Args:
        vectors: Shape (n_tensors, width).
        of_probe: Whose `tensor_of` says which vector each sentence has.
    """
    probe = Probe(merge_rows(vectors, of_probe.tensor_of))
    main, control = {}, {}
    for name, folds in _known_folds(of_probe):
        label_sets = (of_probe.labels, of_probe.control_labels)
        main[name], control[name] = probe.decide(label_sets, folds)
    return Decisions(main, control)


def decide_words(of_probe: ProbeSet) -> Mapping[str, BoolArray]:
    """Return what the probe of the bags of words says, by the name of the folds."""
    rows = Rows(of_probe.words, np.arange(len(of_probe.sentences)))
    with threadpool_limits(1):
        probe = Probe(rows)
        return {
            name: probe.decide([of_probe.labels], folds)[0]
            for name, folds in _known_folds(of_probe)
        }


def _known_folds(of_probe: ProbeSet) -> Iterator[tuple[str, np.ndarray]]:
    for name, folds in of_probe.folds.items():
        if folds is not None:
            yield name, folds


def _n_layers_at_once(tensors: Tensors) -> int:
    n_vectors, width = len(tensors.places), tensors.width
    # The vectors once, once more where some are merged, and in double precision.
    of_vectors = n_vectors * width * (2 * tensors.dtype.itemsize + 8)
    is_by_vector = is_dual(n_vectors, width)
    of_system = GRAM_BYTES * n_vectors**2 if is_by_vector else SQUARE_BYTES * width**2
    return max(1, MEMORY_BYTES // (of_vectors + of_system))
