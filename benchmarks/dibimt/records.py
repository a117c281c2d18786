"""What stands in the files of a DiBiMT folder, one class a kind of line.

The JSON schemas beside this file are made from these classes; a test holds them together.

Source: Campolungo et al. 2022 ("DiBiMT: A Novel Benchmark for Measuring Word Sense
Disambiguation Biases in Machine Translation"); the benchmark is closed, so the layout is ours.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from benchmarks.dibimt.notation import ENTRY_PATTERN


def _whole(value: Any) -> Any:  # noqa: ANN401  # whatever JSON held
    """Return 2.0 as 2: JSON tells no whole numbers apart by their point."""
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value


Pos = Literal["NOUN", "VERB"]
Name = Annotated[str, Field(min_length=1, pattern=r"^\S+$")]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Number = Annotated[int, Field(ge=0), BeforeValidator(_whole)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Lexicalisation(_Record):
    """A lemma of the target language."""

    lemma: Annotated[Text, Field(json_schema_extra={"pattern": ENTRY_PATTERN})]
    """As the wordnet or an annotator spells it: `word`, `several words`, `a * wildcard`, or the
    annotators' `[candidate|Px]`."""
    synsets: list[Name] = []
    """Every synset the lemma has in that language; a good lemma's always hold the item's own."""
    origin: Literal["wordnet", "annotator"] = "wordnet"


class Answers(_Record):
    """The right and the wrong lexicalisations of one item in one target language; at least one."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [name], "properties": {name: {"minItems": 1}}}
                for name in ("good", "bad", "removed")
            ]
        }
    )

    good: list[Lexicalisation] = []
    bad: list[Lexicalisation] = []
    removed: list[Lexicalisation] = []
    """Good lemmas of the wordnet that annotators took away; they are judged as bad."""


class ItemRecord(_Record):
    """One line of `items.jsonl`: an English sentence whose target word has one sense."""

    id: Annotated[str, Field(min_length=1, pattern=r"^[^\s/]+$")]
    """Stands in request keys: no spaces, no slash; once in the file."""
    sentence: Text
    word: Text
    """The target as it is written in the sentence."""
    start: Number
    """0-based character at which `word` begins."""
    lemma: Text
    pos: Pos
    synset: Name
    """The sense meant; one of the lemma's in `senses.jsonl`."""
    source: str = ""
    """Where the sentence comes from."""
    tags: list[Literal["DISCUSS"]] = []
    """DISCUSS: annotators want to talk about it."""
    languages: Annotated[
        dict[str, Answers],
        Field(min_length=1, json_schema_extra={"propertyNames": {"pattern": "^[a-z]{2,3}$"}}),
    ]
    """By code."""


class SensesRecord(_Record):
    """One line of `senses.jsonl`: the senses of an English word, the commonest first."""

    lemma: Text
    pos: Pos
    senses: Annotated[list[Name], Field(min_length=1, json_schema_extra={"uniqueItems": True})]
    counts: list[Number] | None = None
    """How often each was met in a sense-tagged corpus; below the last count, order is arbitrary."""


class TranslationRecord(_Record):
    """One line of `translations/<system>.jsonl`: a replay line of the task `translate`."""

    class Response(_Record):
        """What the system answered."""

        text: str
        is_finished: bool = True

    key: Text
    """`dibimt/translate/<language>/<id>`."""
    response: Response


class CorrectionRecord(_Record):
    """One line of `corrections.jsonl`: a person's repair of one system's wrong translation."""

    system: Text
    key: Text
    text: Text


class PredictionRecord(_Record):
    """One line of a word-sense-disambiguation system's predictions."""

    id: Name
    synset: Name
