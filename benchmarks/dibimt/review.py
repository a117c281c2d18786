"""Apply what annotators say about answer sets: lemmas to add, lemmas to remove.

A removed good lemma moves to `removed` and is judged as bad from then on; a bad lemma that is added
to the good ones leaves the bad ones. An item whose review is closed in every language is no longer
open for discussion.

Source: Campolungo et al. 2022 (DiBiMT), annotation of the answer sets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    sentence: str = ""
    word: str = ""
    synset: str = ""
    good: list[str] = []
    bad: list[str] = []
    """These five show the annotator what there is; they are not read back."""


@dataclass(frozen=True, slots=True)
class Review:
    """A line of a review and where it stands."""

    record: ReviewRecord
    place: str


Reviews = Mapping[tuple[str, str], Review]
"""By item and language."""


def review_lines(items: Sequence[ItemRecord]) -> list[ReviewRecord]:
    """Return the lines for annotators to fill in, language by language."""
    languages = sorted({language for item in items for language in item.languages})
    return [
        _blank(item, language)
        for language in languages
        for item in items
        if language in item.languages
    ]


def read_reviews(path: Path) -> Reviews:
    """Read a review file.

    Raises:
        DataError: A line is not as the README says, or an item stands twice in one language.
    """
    found: dict[tuple[str, str], Review] = {}
    for number, payload in read_lines(path):
        record = parse_record(ReviewRecord, payload, path, number)
        place = f"{path}, line {number}: the review of {record.id} in {record.language}"
        if (record.id, record.language) in found:
            raise DataError(f"{place} stands there twice")
        found[record.id, record.language] = Review(record, place)
    return found


def apply_reviews(items: Sequence[ItemRecord], reviews: Reviews) -> list[ItemRecord]:
    """Return the items with every review applied.

    Raises:
        DataError: A review names an item, a language or a lemma there is none of.
    """
    known = {(item.id, language) for item in items for language in item.languages}
    if unknown := sorted(set(reviews) - known):
        raise DataError(f"{reviews[unknown[0]].place}: there is no such item")
    return [_review_item(item, reviews) for item in items]


def _review_item(item: ItemRecord, reviews: Reviews) -> ItemRecord:
    own = {name: reviews[item.id, name] for name in item.languages if (item.id, name) in reviews}
    languages = {
        name: _review_answers(answers, own[name], item) if name in own else answers
        for name, answers in item.languages.items()
    }
    is_open = any(review.record.discuss for review in own.values())
    is_closed = not is_open and len(own) == len(item.languages)
    tags = ["DISCUSS"] if is_open or (item.tags and not is_closed) else []
    return item.model_copy(update={"languages": languages, "tags": tags})


def _blank(item: ItemRecord, language: str) -> ReviewRecord:
    answers = item.languages[language]
    return ReviewRecord(
        id=item.id,
        language=language,
        sentence=item.sentence,
        word=item.word,
        synset=item.synset,
        good=[entry.lemma for entry in answers.good],
        bad=[entry.lemma for entry in (*answers.bad, *answers.removed)],
        discuss=bool(item.tags),
    )


def _review_answers(answers: Answers, given: Review, item: ItemRecord) -> Answers:
    review, place = given.record, given.place
    removed = {_key(lemma, item.pos, place) for lemma in review.remove_good}
    good = {_key(entry.lemma, item.pos, place): entry for entry in answers.good}
    if missing := removed - good.keys():
        raise DataError(f"{place} removes {min(missing)!r}, which is not among the good lemmas")
    added = {_key(lemma, item.pos, place): lemma for lemma in review.add_good}
    if both := removed & added.keys():
        raise DataError(f"{place} both removes and adds {added[min(both)]!r}")
    kept = {key: entry for key, entry in good.items() if key not in removed}
    new_good = _new(added, kept)
    bad = _without(answers.bad, new_good, item.pos, place)
    wrong = {_key(lemma, item.pos, place): lemma for lemma in review.add_bad}
    if both := wrong.keys() & (kept.keys() | new_good.keys()):
        raise DataError(f"{place} adds {wrong[min(both)]!r} to the bad lemmas, but it is good")
    taken = [entry for key, entry in good.items() if key in removed]
    earlier = _without(answers.removed, new_good, item.pos, place)
    return Answers(
        good=[*kept.values(), *new_good.values()],
        bad=[*bad.values(), *_new(wrong, bad).values()],
        removed=[*earlier.values(), *taken],
    )


def _new(lemmas: Mapping[str, str], known: Mapping[str, object]) -> dict[str, Lexicalisation]:
    """Return entries for the lemmas that are not known yet."""
    return {
        key: Lexicalisation(lemma=lemma, origin="annotator")
        for key, lemma in lemmas.items()
        if key not in known
    }


def _without(
    entries: Sequence[Lexicalisation], taken: Mapping[str, object], pos: str, place: str
) -> dict[str, Lexicalisation]:
    """Return the entries that are not among those taken, by key."""
    by_key = {_key(entry.lemma, pos, place): entry for entry in entries}
    return {key: entry for key, entry in by_key.items() if key not in taken}


def _key(lemma: str, pos: str, place: str) -> str:
    try:
        return entry_key(lemma, pos)
    except ValueError as error:
        raise DataError(f"{place}: {error}") from error
