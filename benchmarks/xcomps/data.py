"""Which files hold a language, and which items are in them?

`comps_base*.jsonl` is English COMPS; `comps_<xx>.json` is a language of XCOMPS; a file
`comps_<xx>_*.json[l]` says its language in its name too. Several files of a language are read one
after the other, in the order of their names.

Source: He et al. 2025 (XCOMPS, MIT); Misra et al. 2023 (COMPS, arXiv:2210.01963, Apache-2.0).
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Item, Selection
from benchmarks.errors import DataError, UnknownNameError
from benchmarks.xcomps.records import Pair, Record, read_pair
from benchmarks.xcomps.shared_part import shared_part

_ENGLISH = re.compile(r"comps_base.*\.jsonl")
_OTHER = re.compile(r"comps_([a-z]{2,3})(?:_.*)?\.jsonl?")


def language_files(folder: Path) -> dict[str, list[Path]]:
    """Return the files of every language, languages and files in alphabetical order.

    Raises:
        DataError: The folder is missing or holds none.
    """
    if not folder.is_dir():
        raise DataError(f"no data folder at {folder}")
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        language = _language_of(path)
        if language is not None:
            found.setdefault(language, []).append(path)
    if not found:
        raise DataError(
            f"{folder} has no file comps_base*.jsonl, comps_<language>.json"
            " or comps_<language>_*.json[l]"
        )
    return dict(sorted(found.items()))


def chosen_files(folder: Path, languages: Sequence[str]) -> dict[str, list[Path]]:
    """Return the files of the languages asked for; of all of them if none is.

    Raises:
        UnknownNameError: The folder does not have a language.
    """
    found = language_files(folder)
    for language in languages:
        if language not in found:
            raise UnknownNameError(
                f"language {language!r} is not in the data; allowed: {', '.join(found)}"
            )
    return {name: found[name] for name in found if not languages or name in languages}


def read_items(folder: Path, selection: Selection) -> Iterator[Item]:
    """Read the items of the chosen languages, each language's first whole groups.

    A limit of N gives the groups that hold the first N items, whole.

    Raises:
        DataError: A file or record is not as its authors lay it out.
        UnknownNameError: The folder does not have a language.
    """
    for language, paths in chosen_files(folder, selection.languages).items():
        items = _language_items(language, paths)
        yield from items if selection.limit is None else _first_groups(items, selection.limit)


def read_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of one file.

    Raises:
        DataError: The file is empty or cannot be read, or a record is not as laid out.
    """
    for index, place, record in read_records(path):
        yield read_pair(record, index, place)


def read_records(path: Path) -> Iterator[tuple[str, str, Record]]:
    """Yield every record with its index and its place.

    Raises:
        DataError: The file is empty, is not UTF-8 or JSON, or holds what is no record.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    if not text.strip():
        raise DataError(f"{path} is empty")
    records = _json_lines(text, path) if path.suffix == ".jsonl" else _json_object(text, path)
    n_records = 0
    for index, place, record in records:
        n_records += 1
        if not isinstance(record, dict):
            raise DataError(f"{place}: a JSON object is needed")
        yield index, place, record
    if n_records == 0:
        raise DataError(f"{path} is empty: it holds no records")


def group_of(pair: Pair) -> str:
    """Return what the four pairs of a group share: property and acceptable concept.

    Where the file does not name them, the acceptable sentence stands for both.
    """
    if pair.property_name is not None and pair.concepts is not None:
        return f"{pair.property_name}|{pair.concepts[0]}"
    return pair.sentences[0]


def _language_of(path: Path) -> str | None:
    if not path.is_file():
        return None
    if _ENGLISH.fullmatch(path.name):
        return "en"
    found = _OTHER.fullmatch(path.name)
    return found[1] if found else None


def _language_items(language: str, paths: Sequence[Path]) -> list[Item]:
    place_by_id: dict[str, str] = {}
    property_by_group: dict[str, str] = {}
    items: list[Item] = []
    for path in paths:
        for index, place, record in read_records(path):
            pair = read_pair(record, index, place)
            earlier = place_by_id.setdefault(pair.id, place)
            if earlier != place:
                raise DataError(f"{place}: item {pair.id!r} stands in {earlier} already")
            items.append(_item(pair, language, property_by_group))
    return items


def _item(pair: Pair, language: str, property_by_group: dict[str, str]) -> Item:
    group = group_of(pair)
    shared = shared_part(*pair.sentences, language)
    named = pair.property_name or (shared.gapped if shared.prefix or shared.suffix else group)
    return Item(
        id=pair.id,
        language=language,
        subset=pair.negative_type,
        unit=group,
        fields={
            "sentences": list(pair.sentences),
            "property": property_by_group.setdefault(group, named),
            "concepts": list(pair.concepts) if pair.concepts else None,
            "prefixes": list(pair.prefixes) if pair.prefixes else None,
            "phrase": pair.phrase,
            "is_identical": pair.is_identical,
        },
    )


def _first_groups(items: Sequence[Item], limit: int) -> Iterator[Item]:
    wanted = {item.unit for item in items[:limit]}
    return (item for item in items if item.unit in wanted)


def _json_lines(text: str, path: Path) -> Iterator[tuple[str, str, Any]]:
    index = 0
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            place = f"{path}, line {line}"
            yield str(index), place, _parse(row, place)
            index += 1


def _json_object(text: str, path: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield the records of an object (index → record) or of an array."""
    found = _parse(text, str(path))
    if isinstance(found, list):
        found = {str(index): record for index, record in enumerate(found)}
    if not isinstance(found, dict):
        raise DataError(f"{path}: a JSON object (index → record) is needed")
    for index, record in found.items():
        yield index, f"{path}, record {index!r}", record


def _parse(text: str, place: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: not JSON: {error}") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} stands there twice")
    return found
