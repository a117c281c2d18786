"""Which sense a source word has: from a file that a disambiguator wrote, or WordNet's glosses."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks.dtails.mining import SenseOf
from benchmarks.dtails.mining_corpus import LemmaPair, TagWord
from benchmarks.dtails.tables import read_text
from benchmarks.errors import DataError
from languages.word_senses import GlossSenses
from languages.wordnet import WordNet

_LAYOUT = '{"line": 0, "lemma": "bank", "sense": "any name"}'


def read_senses(path: Path) -> dict[tuple[int, str], str]:
    """Read JSON lines with the 0-based line of the corpus, the lemma, and its sense there.

    Raises:
        DataError: A line is something else, or names a word of a line twice.
    """
    found: dict[tuple[int, str], str] = {}
    for number, text in enumerate(read_text(path).split("\n"), start=1):
        if not text.strip():
            continue
        line, lemma, sense = _read_sense(f"{path}, line {number}", text)
        if (line, lemma) in found:
            raise DataError(f"{path}, line {number}: {lemma!r} of line {line} stands twice")
        found[line, lemma] = sense
    return found


def _read_sense(place: str, text: str) -> tuple[int, str, str]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: not JSON; a line is {_LAYOUT}") from error
    if not isinstance(record, dict):
        raise DataError(f"{place}: not an object; a line is {_LAYOUT}")
    line, lemma, sense = (record.get(name) for name in ("line", "lemma", "sense"))
    is_line = isinstance(line, int) and not isinstance(line, bool) and line >= 0
    if not is_line or not isinstance(lemma, str) or not isinstance(sense, str):
        raise DataError(f"{place}: a line is {_LAYOUT}")
    return int(str(line)), lemma.lower(), sense


def senses_from_file(senses: Mapping[tuple[int, str], str], pairs: Sequence[LemmaPair]) -> SenseOf:
    """Return the senses of a file, looked up by line and lemma."""
    by_number = {pair.number: pair for pair in pairs}

    def sense_of(number: int, place: int) -> str | None:
        return senses.get((number, by_number[number].source[place]))

    return sense_of


def senses_from_wordnet(wordnet: WordNet, pairs: Sequence[LemmaPair]) -> SenseOf:
    """Return senses guessed from glosses; words without a part of speech have none."""
    by_number = {pair.number: pair for pair in pairs}
    glosses = GlossSenses(wordnet)

    @cache
    def sense_of(number: int, place: int) -> str | None:
        pair = by_number[number]
        return glosses.sense(pair.source[place], pair.source_upos[place], pair.source)

    return sense_of


def tag_by_wordnet(wordnet: WordNet) -> TagWord:
    """Return a tagger that knows the words which WordNet has as one part of speech only."""

    @cache
    def tag_word(lemma: str) -> str | None:
        found = wordnet.parts_of_speech(lemma)
        return found[0] if len(found) == 1 else None

    return tag_word
