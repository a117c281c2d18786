"""Apply what annotators say about answer sets: lemmas to add, lemmas to remove.

A removed good lemma moves to `removed` and is judged as bad from then on.

Source: Campolungo et al. 2022 (DiBiMT), annotation of the answer sets.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from benchmarks.dibimt.lines import parse_record, read_lines
from benchmarks.dibimt.notation import entry_key
from benchmarks.dibimt.records import Answers, ItemRecord, Lexicalisation
from benchmarks.errors import DataError


class ReviewRecord(BaseModel):
    """One line of a review: one item in one language."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str
    language: str
    add_good: list[str] = []
    """May be written in the annotators' notation."""
    add_bad: list[str] = []
    remove_good: list[str] = []
    discuss: bool = False


Reviews = Mapping[tuple[str, str], ReviewRecord]
"""By item and language."""


def read_reviews(path: Path) -> Reviews:
    """Read a review file.

    Raises:
        DataError: A line is not as the README says, or an item stands twice in one language.
    """
    found: dict[tuple[str, str], ReviewRecord] = {}
    for number, payload in read_lines(path):
        record = parse_record(ReviewRecord, payload, path, number)
        if (record.id, record.language) in found:
            message = f"{record.id} in {record.language} was reviewed already"
            raise DataError(f"{path}, line {number}: {message}")
        found[record.id, record.language] = record
    return found


def apply_reviews(items: Sequence[ItemRecord], reviews: Reviews) -> list[ItemRecord]:
    """Return the items with every review applied.

    Raises:
        DataError: A review names an item, a language or a lemma there is none of.
    """
    known = {(item.id, language) for item in items for language in item.languages}
    if unknown := sorted(set(reviews) - known):
        raise DataError(f"a review of {unknown[0][0]} in {unknown[0][1]}: there is no such item")
    return [_review_item(item, reviews) for item in items]


def _review_item(item: ItemRecord, reviews: Reviews) -> ItemRecord:
    own = {name: reviews[item.id, name] for name in item.languages if (item.id, name) in reviews}
    languages = {
        name: _review_answers(answers, own[name], item) if name in own else answers
        for name, answers in item.languages.items()
    }
    is_open = any(review.discuss for review in own.values())
    tags = ["DISCUSS"] if is_open and not item.tags else item.tags
    return item.model_copy(update={"languages": languages, "tags": tags})


def _review_answers(answers: Answers, review: ReviewRecord, item: ItemRecord) -> Answers:
    place = f"the review of {item.id} in {review.language}"
    removed = {_key(lemma, item.pos, place) for lemma in review.remove_good}
    good = {_key(entry.lemma, item.pos, place): entry for entry in answers.good}
    if missing := removed - good.keys():
        raise DataError(f"{place} removes {min(missing)!r}, which is not among the good lemmas")
    kept = [entry for key, entry in good.items() if key not in removed]
    taken = [entry for key, entry in good.items() if key in removed]
    known_bad = {_key(entry.lemma, item.pos, place) for entry in answers.bad}
    new_good = _new(review.add_good, set(good) - removed, item.pos, place)
    new_bad = _new(review.add_bad, known_bad, item.pos, place)
    return Answers(
        good=[*kept, *new_good],
        bad=[*answers.bad, *new_bad],
        removed=[*answers.removed, *taken],
    )


def _new(lemmas: Sequence[str], known: set[str], pos: str, place: str) -> list[Lexicalisation]:
    """Return entries for the lemmas that are not known yet."""
    fresh = {_key(lemma, pos, place): lemma for lemma in lemmas}
    return [
        Lexicalisation(lemma=lemma, origin="annotator")
        for key, lemma in fresh.items()
        if key not in known
    ]


def _key(lemma: str, pos: str, place: str) -> str:
    try:
        return entry_key(lemma, pos)
    except ValueError as error:
        raise DataError(f"{place}: {error}") from error
