"""The senses of English words in WordNet's order, read from its own index files.

Senses stand by how often they were tagged in SemCor; those that were never tagged follow in an
order that says nothing about frequency. The files are Debian's packages `wordnet-base` and
`wordnet-sense-index`, or `dict/` of WordNet 3.0 or 3.1.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from languages.errors import BackendUnavailableError, LanguageError

PLACES = (Path("/usr/share/wordnet"), Path("/usr/local/WordNet-3.0/dict"))
_LETTERS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_FILES = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}


@dataclass(frozen=True, slots=True)
class Senses:
    """The senses of one English (lemma, part of speech), most frequent first."""

    lemma: str
    pos: str
    synsets: tuple[str, ...]
    """Ids such as `wn:00122661n`: the offset in the data file and the part of speech."""
    n_tagged: int
    """So many of the first senses were seen in SemCor; the order of the rest is not frequency."""
    counts: tuple[int, ...] | None
    """How often each sense was tagged; None without the sense index."""

    @property
    def delta(self) -> int:
        """The number of senses.

        Source: Campolungo et al. 2022 (DiBiMT), polysemy degree of a (lemma, POS).
        """
        return len(self.synsets)

    def mu(self, synset: str) -> int | None:
        """Return the 1-based place of a sense by frequency; None if it is not one of these.

        Source: Campolungo et al. 2022 (DiBiMT), sense index of a (lemma, POS).
        """
        return self.synsets.index(synset) + 1 if synset in self.synsets else None

    def is_frequency_known(self, synset: str) -> bool:
        """Return whether the sense's place rests on counts."""
        return synset in self.synsets[: self.n_tagged]


class WordNet:
    """A folder with WordNet's index files; each is read once, when it is first needed."""

    def __init__(self, folder: Path) -> None:
        """Keep the folder.

        Raises:
            BackendUnavailableError: It holds no `index.noun` and `index.verb`.
        """
        missing = [name for name in ("index.noun", "index.verb") if not (folder / name).is_file()]
        if missing:
            raise BackendUnavailableError(f"no {' and '.join(missing)} of WordNet in {folder}")
        self.folder = folder
        self._index: dict[str, dict[str, tuple[tuple[str, ...], int]]] = {}

    def senses(self, lemma: str, pos: str) -> Senses | None:
        """Return the senses of a lemma, or None if WordNet lacks it.

        Args:
            lemma: In any case; words of a multi-word lemma joined by spaces or underscores.
            pos: NOUN, VERB, ADJ or ADV.

        Raises:
            LanguageError: The part of speech is another, or an index line cannot be read.
        """
        if pos not in _FILES:
            raise LanguageError(f"part of speech {pos!r}; allowed: {', '.join(_FILES)}")
        if pos not in self._index:
            self._index[pos] = dict(self._read_index(pos))
        entry = self._index[pos].get(_key(lemma))
        if entry is None:
            return None
        offsets, n_tagged = entry
        synsets = tuple(f"wn:{offset}{_LETTERS[pos]}" for offset in offsets)
        return Senses(lemma, pos, synsets, n_tagged, self._counts_of(lemma, pos, len(synsets)))

    def parts_of_speech(self, lemma: str) -> tuple[str, ...]:
        """Return the parts of speech under which WordNet has a lemma."""
        return tuple(
            pos
            for pos, name in _FILES.items()
            if (self.folder / f"index.{name}").is_file() and self.senses(lemma, pos) is not None
        )

    def gloss(self, synset: str) -> str | None:
        """Return a synset's definition and examples; None without the data file or the synset."""
        offset, letter = synset.removeprefix("wn:")[:-1], synset[-1:]
        pos = next((pos for pos, known in _LETTERS.items() if known == letter), None)
        if pos is None or not offset.isdigit():
            return None
        path = self.folder / f"data.{_FILES[pos]}"
        if not path.is_file():
            return None
        with path.open("rb") as file:
            file.seek(int(offset))
            line = file.readline().decode("ascii", "replace")
        return line.partition("| ")[2].strip() if line.startswith(offset) else None

    def _read_index(self, pos: str) -> Iterator[tuple[str, tuple[tuple[str, ...], int]]]:
        """Yield (lemma, (synset offsets, senses with a count)); licence lines start with spaces."""
        path = self.folder / f"index.{_FILES[pos]}"
        if not path.is_file():
            raise BackendUnavailableError(f"no {path.name} of WordNet in {self.folder}")
        lines = path.read_text("ascii", "replace").splitlines()
        for number, line in enumerate(lines, start=1):
            if line.startswith(" ") or not line:
                continue
            parts = line.split()
            try:
                n_senses = int(parts[2])
                n_tagged = int(parts[4 + int(parts[3]) + 1])
            except (IndexError, ValueError) as error:
                raise LanguageError(f"{path}, line {number}: not an index line") from error
            yield parts[0], (tuple(parts[len(parts) - n_senses :]), n_tagged)

    def _counts_of(self, lemma: str, pos: str, n_senses: int) -> tuple[int, ...] | None:
        counted = self._counts
        if counted is None:
            return None
        return tuple(
            counted.get((_key(lemma), _LETTERS[pos], number), 0)
            for number in range(1, n_senses + 1)
        )

    @cached_property
    def _counts(self) -> dict[tuple[str, str, int], int] | None:
        """Return tag counts by (lemma, letter, sense number), from whichever file has them."""
        for name, columns in (("cntlist.rev", (0, 1, 2)), ("index.sense", (0, 2, 3))):
            path = self.folder / name
            if path.is_file():
                lines = path.read_text("ascii", "replace").splitlines()
                return {_sense(line.split(), columns): int(line.split()[-1]) for line in lines}
        return None


def _sense(parts: Sequence[str], columns: tuple[int, int, int]) -> tuple[str, str, int]:
    """Return (lemma, letter, sense number) of a line whose sense key is `lemma%1:04:00::`."""
    lemma, _, rest = parts[columns[0]].partition("%")
    return (
        lemma,
        {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}[rest[0]],
        int(parts[columns[1]]),
    )


def _key(lemma: str) -> str:
    return lemma.strip().lower().replace(" ", "_")


def open_wordnet(folder: Path | None = None) -> WordNet:
    """Return WordNet from a folder, else from where its packages put it.

    Raises:
        BackendUnavailableError: It is in none of these places.
    """
    if folder is not None:
        return WordNet(folder)
    for place in PLACES:
        if (place / "index.noun").is_file():
            return WordNet(place)
    raise BackendUnavailableError(
        f"no WordNet in {' or '.join(os.fspath(place) for place in PLACES)};"
        " install Debian's wordnet-base and wordnet-sense-index, or give its folder"
    )
