"""Are two spellings one form? The rules by which the paper calls words of a pair the same."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

_FAMILIES_FILE = Path(__file__).parent / "han_families.json"


@cache
def _head_by_character() -> Mapping[str, str]:
    """Return for every character of a family the family's first one."""
    lines = json.loads(_FAMILIES_FILE.read_text(encoding="utf-8"))["families"]
    families = (family for line in lines for family in line.split())
    return {character: family[0] for family in families for character in family}


def fold_han(text: str) -> str:
    """Return a text in which the national forms of one Chinese character are the same."""
    head = _head_by_character()
    return "".join(head.get(character, character) for character in text)


def edit_distance(a: str, b: str) -> int:
    """Return the least number of inserted, deleted and replaced characters."""
    row = list(range(len(b) + 1))
    for i, character in enumerate(a, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            diagonal, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, diagonal + (character != other)),
            )
    return row[len(b)]


FormRule = Callable[[str, str], bool]

FORM_RULES: Mapping[str, tuple[str, FormRule]] = {
    "id_ms": ("identical", lambda a, b: a == b),
    "id_tl": ("at most one edit apart", lambda a, b: edit_distance(a, b) <= 1),
    "en_de": (
        "at most one edit apart after case folding",
        lambda a, b: edit_distance(a.casefold(), b.casefold()) <= 1,
    ),
    "zh_ja": ("written with characters of one origin", lambda a, b: fold_han(a) == fold_han(b)),
}
"""By pair: the rule in words, and whether two spellings keep it.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573); the paper's own Apel/Epal breaks the second.
"""
