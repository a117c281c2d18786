"""What annotators answer in the two studies, as JSON lines.

Study `rules`: one line an annotator and concept: are variations missing, which do not mean the
concept, which rules are correct? Study `sentences`: one line an annotator and sentence: which
variation fits, and how sure? Answers are null until they are given.

Source: Barua et al. 2024 (DTAiLS), both annotation studies.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from benchmarks.dtails.data import Row
from benchmarks.dtails.tables import read_text
from benchmarks.errors import DataError
from benchmarks.validation import first_problem

Confidence = Literal["Absolutely sure", "Likely but uncertain", "No idea"]
AnnotatorId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,16}$")]
"""Anonymous: letters, digits, `_` and `-`; no name, no address."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    annotator: AnnotatorId
    language: str
    concept: str
    variations: tuple[str, ...] = Field(min_length=1)


class RulesLine(_Line):
    """One annotator's answers about one concept."""

    study: Literal["rules"] = "rules"
    rules: dict[str, str] = Field(default_factory=dict)
    """Shown beside the variations; may be empty."""
    is_any_missing: bool | None = None
    """Whether a key variation is missing."""
    missing: tuple[str, ...] = ()
    """Which, in the annotator's words."""
    wrong_variations: tuple[str, ...] | None = None
    """Those that do not mean the concept; an empty list says that all do."""
    rule_is_correct: dict[str, bool | None] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        named = {*(self.wrong_variations or ()), *self.rules, *self.rule_is_correct}
        if unknown := sorted(named - set(self.variations)):
            raise ValueError(f"{unknown[0]!r} is none of the variations {list(self.variations)}")
        if unshown := sorted(set(self.rule_is_correct) - set(self.rules)):
            shown = ", ".join(map(repr, self.rules)) or "none"
            raise ValueError(
                f"rule_is_correct answers for {unshown[0]!r}, whose rule was not shown; shown:"
                f" {shown}"
            )
        return self


class SentenceLine(_Line):
    """One annotator's choice for one sentence."""

    study: Literal["sentences"] = "sentences"
    item: int = Field(ge=0)
    """0-based row of the candidate test set."""
    source: str
    choice: str | None = None
    confidence: Confidence | None = None
    label: str | None = None
    """The variation of the original pair; never shown to annotators, added afterwards."""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        for name in (self.choice, self.label):
            if name is not None and name not in self.variations:
                raise ValueError(f"{name!r} is none of the variations {list(self.variations)}")
        return self


AnnotationLine = Annotated[RulesLine | SentenceLine, Field(discriminator="study")]
_ADAPTER: TypeAdapter[RulesLine | SentenceLine] = TypeAdapter(AnnotationLine)


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of an annotation file and where it stands."""

    line: RulesLine | SentenceLine
    place: str


def read_annotations(path: Path) -> list[RulesLine | SentenceLine]:
    """Read answers of one study or both.

    Raises:
        DataError: A line cannot be read, someone answers a question twice, or is in both studies.
    """
    return [placed.line for placed in read_placed([path])]


def read_placed(paths: Iterable[Path]) -> list[Placed]:
    """Read the answers of several files, as if they were one.

    Raises:
        DataError: As `read_annotations`; a file without an answer is refused too.
    """
    found: list[Placed] = []
    place_by_question: dict[tuple[str, ...], str] = {}
    study_by_annotator: dict[str, str] = {}
    for path in paths:
        n_before = len(found)
        for number, text in enumerate(read_text(path).split("\n"), start=1):
            if not text.strip():
                continue
            place = f"{path}, line {number}"
            line = _read_line(place, text)
            first = place_by_question.setdefault(_question(line), place)
            if first != place:
                first = first.removeprefix(f"{path}, ")
                raise DataError(f"{place}: {line.annotator} answers the question of {first} again")
            if study_by_annotator.setdefault(line.annotator, line.study) != line.study:
                raise DataError(f"{place}: annotator {line.annotator} is in both studies")
            found.append(Placed(line, place))
        if len(found) == n_before:
            raise DataError(f"{path}: no annotation")
    return found


def _read_line(place: str, text: str) -> RulesLine | SentenceLine:
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        raise DataError(f"{place}: {first_problem(error)}") from error


def _question(line: RulesLine | SentenceLine) -> tuple[str, ...]:
    item = str(line.item) if isinstance(line, SentenceLine) else line.concept
    return (line.study, line.annotator, line.language, item)


def annotations_text(lines: Iterable[RulesLine | SentenceLine]) -> str:
    """Return the lines of a file for annotators or of their answers, without labels unless set."""
    dumped = (
        line.model_dump(mode="json", exclude={"label"} if _is_unlabelled(line) else None)
        for line in lines
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in dumped)


def _is_unlabelled(line: RulesLine | SentenceLine) -> bool:
    return isinstance(line, SentenceLine) and line.label is None


def add_labels(placed: Iterable[Placed], rows: Sequence[Row], language: str) -> list[SentenceLine]:
    """Return the answers about sentences with the labels of the candidate rows they are about.

    Args:
        placed: Answers; those of the other study are passed over.
        rows: The candidate test set that was annotated.
        language: Of the candidates.

    Raises:
        DataError: There is no such row, or the answer is about another sentence.
    """
    labelled = []
    for each in placed:
        line = each.line
        if not isinstance(line, SentenceLine):
            continue
        if line.language != language or line.item >= len(rows):
            raise DataError(f"{each.place}: no candidate row {line.item} in {line.language!r}")
        row = rows[line.item]
        if (line.source, sorted(line.variations)) != (row.source, sorted(row.variations)):
            raise DataError(f"{each.place}: candidate row {line.item} is another sentence")
        labelled.append(SentenceLine.model_validate({**line.model_dump(), "label": row.label}))
    return labelled


def is_answered(line: RulesLine | SentenceLine) -> bool:
    """Return whether an annotator has answered every part of a question."""
    if isinstance(line, SentenceLine):
        return line.choice is not None and line.confidence is not None
    parts = (line.is_any_missing, line.wrong_variations, *line.rule_is_correct.values())
    return all(part is not None for part in parts)
