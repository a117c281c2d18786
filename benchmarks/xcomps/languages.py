"""Which class and family does a language of XCOMPS belong to?"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LANGUAGES_FILE = Path(__file__).parent / "languages.json"

WITHOUT_SPACES = frozenset({"ja", "zh"})
"""Written without spaces between words; what sentences share is found by characters."""


@cache
def language_table() -> Mapping[str, Mapping[str, str]]:
    """Return the columns `typology` and `family` by language; English has neither."""
    table: dict[str, dict[str, str]] = json.loads(LANGUAGES_FILE.read_text(encoding="utf-8"))[
        "languages"
    ]
    return table


def typology_of(language: str) -> str | None:
    """Return analytic, inflectional or agglutinative; None for a language in no class."""
    return language_table().get(language, {}).get("typology")
