"""A DiBiMT folder that a test can bend, and a judge with hand-workable lemmas."""

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.benchmark import Item
from languages.tokenisation import words
from languages.tokens import TokenLemmas

ITEM = {
    "id": "shot-1",
    "sentence": "She drank a shot of rum.",
    "word": "shot",
    "start": 12,
    "lemma": "shot",
    "pos": "NOUN",
    "synset": "drink",
    "languages": {
        "de": {
            "good": [{"lemma": "Kurzer", "synsets": ["drink"]}],
            "bad": [{"lemma": "Schuss", "synsets": ["firing"]}],
        },
        "es": {
            "good": [{"lemma": "chupito", "synsets": ["drink"]}],
            "bad": [{"lemma": "disparo", "synsets": ["firing"]}],
        },
    },
}
SENSES = {"lemma": "shot", "pos": "NOUN", "senses": ["firing", "pellet", "drink", "photo"]}


class FakeLemmatiser:
    """Words as they stand, with the lemmas a test gives them."""

    name = "fake"

    def __init__(
        self,
        lemmas: Mapping[str, tuple[str, ...]] | None = None,
        upos: Mapping[str, str] | None = None,
        contractions: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._lemmas = lemmas or {}
        self._upos = upos or {}
        self._contractions = contractions or {}

    def lemmas(self, text: str, language: str) -> list[TokenLemmas]:
        return [self._token(word.surface, word.start, word.end) for word in words(text, language)]

    def versions(self) -> Mapping[str, str]:
        return {"lemmatiser": "fake-1"}

    def _token(self, surface: str, start: int, end: int) -> TokenLemmas:
        parts = tuple(self._token(part, start, end) for part in self._contractions.get(surface, ()))
        lemmas = self._lemmas.get(surface, (surface,))
        return TokenLemmas(surface, lemmas, start, end, self._upos.get(surface), parts)


@pytest.fixture
def entry() -> Callable[..., dict[str, Any]]:
    """Return a function that makes an entry of an answer set."""
    return lambda lemma, *synsets, origin="wordnet": {
        "lemma": lemma,
        "synsets": list(synsets),
        "origin": origin,
    }


@pytest.fixture
def make_item(entry: Callable[..., dict[str, Any]]) -> Callable[..., Item]:
    """Return a function that makes an item of `shot` as a drink (μ = 3, δ = 4)."""

    def make(good: list[Any], bad: list[Any], language: str = "es", pos: str = "NOUN") -> Item:
        fields = {
            "sentence": ITEM["sentence"],
            "word": "shot",
            "start": 12,
            "lemma": "shot",
            "synset": "drink",
            "senses": SENSES["senses"],
            "good": [entry(one, "drink") if isinstance(one, str) else one for one in good],
            "bad": [entry(one, "firing") if isinstance(one, str) else one for one in bad],
        }
        return Item("shot-1", language, pos, "shot", fields)

    return make


@pytest.fixture
def fake_lemmatiser() -> type[FakeLemmatiser]:
    """Return the class, for a test to say which lemmas there are."""
    return FakeLemmatiser


@pytest.fixture
def item_line() -> dict[str, Any]:
    """Return a good line of `items.jsonl` that a test may bend."""
    return copy.deepcopy(ITEM)


@pytest.fixture
def senses_line() -> dict[str, Any]:
    """Return a good line of `senses.jsonl` that a test may bend."""
    return copy.deepcopy(SENSES)


@pytest.fixture
def write_folder(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes items and senses, as objects or as raw lines."""

    def write(items: list[Any] | None = None, senses: list[Any] | None = None) -> Path:
        for name, rows in (("items", items or [ITEM]), ("senses", senses or [SENSES])):
            lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
            (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def read_keys() -> Callable[[Path], dict[str, str]]:
    """Return a function that reads a replay file of translations."""

    def read(path: Path) -> dict[str, str]:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return {line["key"]: line["response"]["text"] for line in lines}

    return read
