"""What annotators answer in the two studies, as JSON lines.

Study `rules`: one line an annotator and concept: are variations missing, which do not mean the
concept, which rules are correct? Study `sentences`: one line an annotator and sentence: which
variation fits, and how sure? Answers are null until they are given.

Source: Barua et al. 2024 (DTAiLS), both annotation studies.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from benchmarks.dtails.tables import read_text
from benchmarks.errors import DataError

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


def read_annotations(path: Path) -> list[RulesLine | SentenceLine]:
    """Read answers of one study or both.

    Raises:
        DataError: A line cannot be read, someone answers a question twice, or is in both studies.
    """
    found: list[RulesLine | SentenceLine] = []
    line_by_question: dict[tuple[str, ...], int] = {}
    study_by_annotator: dict[str, str] = {}
    for number, text in enumerate(read_text(path).split("\n"), start=1):
        if not text.strip():
            continue
        place = f"{path}, line {number}"
        line = _read_line(place, text)
        question = _question(line)
        if question in line_by_question:
            first = line_by_question[question]
            raise DataError(f"{place}: {line.annotator} answers the question of line {first} again")
        line_by_question[question] = number
        if study_by_annotator.setdefault(line.annotator, line.study) != line.study:
            raise DataError(f"{place}: annotator {line.annotator} is in both studies")
        found.append(line)
    if not found:
        raise DataError(f"{path}: no annotation")
    return found


def _read_line(place: str, text: str) -> RulesLine | SentenceLine:
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DataError(f"{place}: {where}: {first['msg']}") from error


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


def add_labels(
    lines: Sequence[SentenceLine], label_by_item: Sequence[str], language: str
) -> list[SentenceLine]:
    """Return the answers with the labels of the candidate rows they are about.

    Raises:
        DataError: There is no such row.
    """
    labelled = []
    for line in lines:
        if line.language != language or line.item >= len(label_by_item):
            raise DataError(f"no candidate row {line.item} in {line.language!r}")
        data = {**line.model_dump(), "label": label_by_item[line.item]}
        labelled.append(SentenceLine.model_validate(data))
    return labelled
