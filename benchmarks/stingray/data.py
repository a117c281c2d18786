"""Which files hold a language pair, and which items are in them?

The released layout has one file a configuration: `en_de` holds the false friends of a pair,
`en_de_common` its true cognates.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573); data StingrayBench/StingrayBench, CC-BY-SA-4.0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.benchmark import Item, Selection
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.stingray.files import SUFFIXES, read_cells, row_word
from benchmarks.stingray.prompts import LANGUAGE_NAMES
from benchmarks.stingray.rows import COLUMNS, Row, cognate_words, read_row

PAIRS = ("id_tl", "id_ms", "zh_ja", "en_de")
"""In the order of the authors' code; L1 is the language named first."""
FALSE_FRIEND = "false_friend"
TRUE_COGNATE = "true_cognate"
SUFFIX_BY_SUBSET = {FALSE_FRIEND: "", TRUE_COGNATE: "_common"}


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The file of one configuration."""

    config: str
    """As request keys spell it: `en_de_common`."""
    pair: str
    subset: str
    path: Path


def config_files(folder: Path) -> dict[str, list[ConfigFile]]:
    """Return the files of every pair that the folder has, false friends first.

    Raises:
        DataError: The folder is missing, holds none, or holds a configuration twice.
    """
    if not folder.is_dir():
        raise DataError(f"no data folder at {folder}")
    found: dict[str, list[ConfigFile]] = {}
    for pair in PAIRS:
        for subset, suffix in SUFFIX_BY_SUBSET.items():
            paths = [
                path for kind in SUFFIXES if (path := folder / f"{pair}{suffix}.{kind}").is_file()
            ]
            if len(paths) > 1:
                raise DataError(f"{folder} holds both {paths[0].name} and {paths[1].name}")
            for path in paths:
                found.setdefault(pair, []).append(ConfigFile(pair + suffix, pair, subset, path))
    if not found:
        names = ", ".join(f"{pair}[_common]" for pair in PAIRS)
        raise DataError(f"{folder} has no file {names} with ending {', '.join(SUFFIXES)}")
    return found


def chosen_files(folder: Path, languages: Sequence[str]) -> list[ConfigFile]:
    """Return the files of the pairs asked for; of all of them if none is.

    Raises:
        UnknownNameError: The folder does not have a pair.
    """
    found = config_files(folder)
    for language in languages:
        if language not in found:
            raise UnknownNameError(
                f"language {language!r} is not in the data; allowed: {', '.join(found)}"
            )
    return [file for pair in found if not languages or pair in languages for file in found[pair]]


def read_items(folder: Path, selection: Selection) -> Iterator[Item]:
    """Read the items of the chosen pairs, each pair's first `limit` ones.

    Raises:
        DataError: A file or row is not as its authors lay it out.
        UnknownNameError: The folder does not have a pair.
    """
    files = chosen_files(folder, selection.languages)
    for pair in dict.fromkeys(file.pair for file in files):
        of_pair = (item for file in files if file.pair == pair for item in _file_items(file))
        yield from islice(of_pair, selection.limit)


def read_rows(file: ConfigFile) -> Iterator[Row]:
    """Read the rows of one configuration.

    Raises:
        DataError: The file or a row is not as its authors lay it out.
    """
    is_cognate = file.subset == TRUE_COGNATE
    word = row_word(file.path)
    for line, cells in read_cells(file.path, COLUMNS):
        place = f"{file.path}, {word} {line}"
        yield read_row(cells, place, line, is_cognate=is_cognate)


def words_of(row: Row, subset: str) -> tuple[str, str]:
    """Return the word as L1 and as L2 spell it.

    Raises:
        DataError: A cognate's row does not name two.
    """
    if subset == FALSE_FRIEND:
        return row.word, row.word
    try:
        return cognate_words(row.word)
    except ValueError as error:
        raise DataError(f"{row.place}: {error}") from error


def _file_items(file: ConfigFile) -> Iterator[Item]:
    codes = file.pair.split("_")
    for number, row in enumerate(read_rows(file)):
        yield Item(
            id=f"{file.config}/{number}",
            language=file.pair,
            subset=file.subset,
            unit=f"{file.config}/{row.word.casefold()}",
            fields={
                "word": row.word,
                "words": list(words_of(row, file.subset)),
                "sentences": list(row.sentences),
                "languages": [LANGUAGE_NAMES[code] for code in codes],
                "gold": row.gold,
                "usage": list(row.usage),
                "sense": row.sense,
            },
        )
