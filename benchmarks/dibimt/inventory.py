"""What a wordnet in several languages says: the words of a synset and the synsets of a word.

Reads the tab files of the Open Multilingual Wordnet (`wn-data-<code>.tab`): a comment line with the
wordnet's name, then lines `synset <TAB> [code:]lemma <TAB> word`; other relations are left out.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.errors import DataError


@dataclass
class Inventory:
    """The words of one language and their synsets, both ways."""

    words_by_synset: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    synsets_by_word: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, synset: str, word: str) -> None:
        """Note that a word lexicalises a synset, once."""
        if word not in self.words_by_synset[synset]:
            self.words_by_synset[synset].append(word)
            self.synsets_by_word[word].append(synset)

    def words(self, synset: str) -> list[str]:
        """Return the words of a synset in the order of the file."""
        return list(self.words_by_synset.get(synset, ()))

    def synsets(self, word: str) -> list[str]:
        """Return the synsets of a word in the order of the file."""
        return list(self.synsets_by_word.get(word, ()))


Inventories = Mapping[str, Inventory]
"""By language."""


def read_tab_file(path: Path) -> Inventory:
    """Read one language's wordnet; synset ids become `wn:<offset><letter>`.

    Raises:
        DataError: The file is missing, empty, or a line is not of this layout.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start})") from error
    inventory = Inventory()
    for number, line in enumerate(lines, start=1):
        if line.startswith("#") or not line.strip():
            continue
        parts = line.split("\t")
        if len(parts) < 3:
            raise DataError(f"{path}, line {number}: {len(parts)} columns; 3 are needed")
        if parts[1].rpartition(":")[2] == "lemma" and parts[2].strip():
            word = parts[2].strip().replace("_", " ")
            inventory.add(_synset_id(parts[0], path, number), word)
    if not inventory.words_by_synset:
        raise DataError(f"{path}: no line gives a lemma to a synset")
    return inventory


def _synset_id(text: str, path: Path, number: int) -> str:
    offset, _, letter = text.strip().partition("-")
    if not (offset.isdigit() and len(offset) == 8 and letter in ("n", "v", "a", "r", "s")):
        raise DataError(f"{path}, line {number}: {text!r} is no synset; 01234567-n is expected")
    return f"wn:{offset}{'a' if letter == 's' else letter}"
