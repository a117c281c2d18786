"""Pair wrong translations of one system with right ones of the same sentence.

Source: Campolungo et al. 2022 (DiBiMT), model errors: 50 BAD items a system and language, each with
a GOOD translation by another system or a person.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.benchmark import Item
from benchmarks.dibimt.judge import Judge
from benchmarks.dibimt.translations import HUMAN, Translations, key_of


def draw_pairs(
    items: Sequence[Item], translations: Translations, judge: Judge, n_errors: int, seed: int
) -> Mapping[str, dict[str, Any]]:
    """Draw BAD items and find a GOOD translation of each.

    Args:
        items: All of one language, so that a limit on the run does not change the draw.
        translations: Of the system and of those that may be right.
        judge: Decides which translations are BAD and GOOD; people's corrections are taken as right.
        n_errors: How many BAD items are drawn; all where there are fewer.
        seed: Where the draw starts.

    Returns:
        By item id, in JSON values; `good` is None where nobody has a right translation.
    """
    own = translations.texts_by_system[translations.system]
    bad = {
        item.id: item
        for item in items
        if (text := own.get(key_of(item.language, item.id))) is not None
        and judge.judge(item, text).detail["class"] == "BAD"
    }
    language = items[0].language if items else ""
    generator = random.Random(f"{seed}:{translations.system}:{language}")
    drawn = generator.sample(sorted(bad), min(n_errors, len(bad)))
    return {name: _pair(bad[name], translations, judge) for name in drawn}


def _pair(item: Item, translations: Translations, judge: Judge) -> dict[str, Any]:
    key = key_of(item.language, item.id)
    good, source = _first_good(item, key, translations, judge)
    return {
        "system": translations.system,
        "bad": translations.texts_by_system[translations.system][key],
        "good": good,
        "good_from": source,
    }


def _first_good(
    item: Item, key: str, translations: Translations, judge: Judge
) -> tuple[str | None, str | None]:
    for name in translations.priority:
        if name == HUMAN:
            text, is_good = translations.corrections.get(key), True
        else:
            text = translations.texts_by_system[name].get(key)
            is_good = text is not None and judge.judge(item, text).detail["class"] == "GOOD"
        if text is not None and is_good:
            return text, name
    return None, None
