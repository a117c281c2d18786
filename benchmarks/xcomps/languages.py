"""To which class and family does a language of XCOMPS belong, and how much data has it?"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LANGUAGES_FILE = Path(__file__).parent / "languages.json"

WITHOUT_SPACES = frozenset({"ja", "zh"})
"""Written without spaces between words; what sentences share is found by characters."""


@cache
def language_table() -> Mapping[str, Mapping[str, str]]:
    """Return the columns `typology`, `family` and `resource` by language.

    English has only the last. `resource` is the class of Joshi et al. 2020 (ACL 2020), from
    `class 0` to `class 5`, the most.
    """
    table: dict[str, dict[str, str]] = json.loads(LANGUAGES_FILE.read_text(encoding="utf-8"))[
        "languages"
    ]
    return table


def typology_of(language: str) -> str | None:
    """Return analytic, inflectional or agglutinative; None for a language in no class."""
    return language_table().get(language, {}).get("typology")


def groups_of(column: str) -> Mapping[str, tuple[str, ...]]:
    """Return the languages of each group of a column; those without one are left out."""
    found: dict[str, tuple[str, ...]] = {}
    for language, columns in language_table().items():
        if column in columns:
            found[columns[column]] = (*found.get(columns[column], ()), language)
    return found
