"""Which tuples and which pairs do annotators of a Best-Worst Scaling file dispute?

Paper: Ousidhoum et al. 2024 (arXiv:2402.08638), section 3.4.
"""

from pathlib import Path
from typing import Any

from benchmarks.semrel.bws import read_bws
from metrics.bws import Disagreement, pair_disagreements, tuple_disagreements


def disagreement_report(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return every tuple and every pair of a file, the most disputed first.

    Returns:
        `tuples` (each with the texts of its `pairs`) and `pairs` (each a `pair`), with
        n_annotations and, for `best` and `worst`, the share of two annotators of a tuple who
        differ; None where no tuple has two annotations.

    Raises:
        DataError: The file cannot be read.
    """
    file = read_bws(path)
    texts = file.text_by_pair
    tuples = [
        {"pairs": [texts[key] for key in keys], **_facts(found)}
        for keys, found in tuple_disagreements(file.annotations).items()
    ]
    pairs = [
        {"pair": texts[key], **_facts(found)}
        for key, found in pair_disagreements(file.annotations).items()
    ]
    return {"tuples": sorted(tuples, key=_rank), "pairs": sorted(pairs, key=_rank)}


def _facts(found: Disagreement) -> dict[str, Any]:
    return {"n_annotations": found.n, "best": found.best, "worst": found.worst}


def _rank(row: dict[str, Any]) -> float:
    """Return what sorts the most disputed first; what one person annotated comes last."""
    known = [row[name] for name in ("best", "worst") if row[name] is not None]
    return -sum(known) if known else 1.0
