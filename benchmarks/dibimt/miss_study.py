"""Why does a translation hold neither a good nor a bad lemma? A sample for people to look at.

Export draws MISS outcomes of each language; people fill in a cause; import counts the causes.

Source: Campolungo et al. 2022 (DiBiMT), the study of 70 MISS items a language.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.benchmark import Item
from benchmarks.dibimt.lines import parse_record, read_lines
from benchmarks.errors import DataError

N_ITEMS = 70
"""Drawn of each language; all where there are fewer."""

Cause = Literal[
    "",
    "omitted_word",
    "tokenisation",
    "lemmatisation",
    "copied_source",
    "unrelated_translation",
    "missing_from_bad",
    "missing_from_good",
]
CAUSES: tuple[str, ...] = Cause.__args__[1:]  # type: ignore[attr-defined]  # of a Literal


class MissRecord(BaseModel):
    """One line of the study: a MISS, what was looked for, and its cause."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: str
    id: str
    sentence: str
    word: str
    lemma: str
    pos: str
    translation: str
    good: tuple[str, ...]
    bad: tuple[str, ...]
    copied: Literal["sentence", "word"] | None = None
    """What the translation took over from the English sentence, found automatically."""
    cause: Cause = ""
    """For people to fill in; a copy is filled in already and may be changed."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class CauseTable:
    """How often each cause was given in one language."""

    language: str
    counts: Mapping[str, int]
    """Every cause, also those nobody gave."""
    n_uncoded: int
    """Lines whose cause is still empty."""

    @property
    def shares(self) -> Mapping[str, float | None]:
        """Counts over coded lines; None without any."""
        n = sum(self.counts.values())
        return {cause: count / n if n else None for cause, count in self.counts.items()}


def draw_misses(
    judged: Iterable[tuple[Item, Mapping[str, Any]]], seed: int, n_items: int = N_ITEMS
) -> list[MissRecord]:
    """Draw MISS outcomes of each language.

    Args:
        judged: Items with the details of their outcomes, in any order.
        seed: Where the draw starts.
        n_items: How many of each language.

    Returns:
        Language by language, in random order, so that the first lines are a sample too.
    """
    by_language: dict[str, dict[str, MissRecord]] = {}
    for item, detail in judged:
        if detail.get("class") == "MISS":
            by_language.setdefault(item.language, {})[item.id] = _record(item, detail)
    drawn: list[MissRecord] = []
    for language in sorted(by_language):
        records = by_language[language]
        generator = random.Random(f"{seed}:{language}")
        names = generator.sample(sorted(records), min(n_items, len(records)))
        drawn += [records[name] for name in names]
    return drawn


def write_misses(records: Sequence[MissRecord], path: Path) -> None:
    """Write a study as JSON lines."""
    path.write_text("".join(f"{record.model_dump_json()}\n" for record in records), "utf-8")


def read_misses(path: Path) -> list[MissRecord]:
    """Read a study that people have filled in.

    Raises:
        DataError: A line is not as it was written, its cause is unknown, or it stands twice.
    """
    return [record for _, record in read_placed_misses(path)]


def read_placed_misses(path: Path) -> Iterator[tuple[str, MissRecord]]:
    """Yield the lines of a study with their places, for messages.

    Raises:
        DataError: As `read_misses`.
    """
    line_by_item: dict[tuple[str, str], int] = {}
    for number, payload in read_lines(path):
        record = parse_record(MissRecord, payload, path, number)
        place = f"{path}, line {number}"
        first = line_by_item.setdefault((record.language, record.id), number)
        if first != number:
            raise DataError(f"{place}: {record.id} stands in line {first} already")
        yield place, record


def tabulate_causes(records: Sequence[MissRecord]) -> list[CauseTable]:
    """Count the causes of each language."""
    tables = []
    for language in sorted({record.language for record in records}):
        given = Counter(str(each.cause) for each in records if each.language == language)
        tables.append(CauseTable(language, {cause: given[cause] for cause in CAUSES}, given[""]))
    return tables


def _record(item: Item, detail: Mapping[str, Any]) -> MissRecord:
    fields = item.fields
    return MissRecord(
        language=item.language,
        id=item.id,
        sentence=fields["sentence"],
        word=fields["word"],
        lemma=fields["lemma"],
        pos=str(item.subset),
        translation=detail["translation"],
        good=tuple(entry["lemma"] for entry in fields["good"]),
        bad=tuple(entry["lemma"] for entry in fields["bad"]),
        copied=detail["copied"],
        cause="copied_source" if detail["copied"] else "",
    )
