"""Fold spellings that differ without a difference in meaning."""

import unicodedata

_SAME = str.maketrans({"ß": "ss", "ẞ": "SS", "ё": "е", "Ё": "Е", "\u200c": None, "\u00ad": None})
"""Sharp s, Russian yo, and two characters that are not seen: ZWNJ and the soft hyphen."""


def fold(text: str, casefold: bool = False) -> str:
    """Return the text in NFC with ß as ss, ё as е, and without ZWNJ and soft hyphens.

    Args:
        text: Any text.
        casefold: Whether upper and lower case become one.
    """
    folded = unicodedata.normalize("NFC", text).translate(_SAME)
    return folded.casefold() if casefold else folded
