"""What would a word-sense-disambiguation system get? First sense, or a file of predictions.

A system that names the right sense counts as GOOD and one that names another as BAD, so that every
score of the translations has its counterpart.
"""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.benchmark import Item, Outcome
from benchmarks.dibimt.judge import sense_detail
from benchmarks.dibimt.lines import parse_record, read_lines
from benchmarks.dibimt.records import PredictionRecord
from benchmarks.errors import DataError

FIRST_SENSE = "first-sense"
WSD = "wsd"


def read_predictions(path: Path) -> Mapping[str, str]:
    """Return the predicted synset by item id.

    Raises:
        DataError: The file is missing or a line is not as the README says.
    """
    found: dict[str, str] = {}
    for number, payload in read_lines(path):
        record = parse_record(PredictionRecord, payload, path, number)
        if record.id in found:
            raise DataError(f"{path}, line {number}: the id {record.id!r} stands twice")
        found[record.id] = record.synset
    return found


def first_sense(item: Item) -> str:
    """Return the commonest sense of the item's word: right exactly where μ is 1."""
    return str(item.fields["senses"][0])


def baseline_values(item: Item) -> dict[str, float | None]:
    """Return what each baseline would get on an item; None where it has no prediction."""
    values: dict[str, float | None] = {FIRST_SENSE: _is_right(item, first_sense(item))}
    if "predicted" in item.fields:
        values[WSD] = _is_right(item, item.fields["predicted"])
    return values


def baseline_outcome(item: Item, name: str) -> Outcome:
    """Answer an item by a baseline; the sense it names is what a translation would express."""
    sense = first_sense(item) if name == FIRST_SENSE else item.fields.get("predicted")
    value = _is_right(item, sense)
    if sense is None:
        return Outcome(None, is_valid=False, detail={"predicted": None, **sense_detail(item, None)})
    verdict = "GOOD" if value else "BAD"
    senses = sense_detail(item, None if value else [sense])
    matched = {"lemma": None, "synsets": [sense]}
    detail = {"class": verdict, "predicted": sense, "matched": matched, **senses}
    return Outcome(value, detail=detail, baselines=baseline_values(item))


def _is_right(item: Item, sense: str | None) -> float | None:
    return None if sense is None else float(sense == item.fields["synset"])
