"""Which pairs of sentences does a bench ask? Those of a data folder, or generated ones."""

import random
from collections.abc import Sequence
from pathlib import Path

from benchmarks.benchmark import Item, Selection
from benchmarks.catalog import open_benchmark
from benchmarks.errors import DataError

KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "animals": (
        ("fox", "hen", "otter", "mole", "heron", "goat", "newt", "hare", "badger", "swan"),
        ("eats when it is hungry", "breathes air", "sleeps at night", "has a heart", "can be ill"),
    ),
    "tools": (
        ("chisel", "rake", "pair of pliers", "drill", "saw", "trowel", "file", "vice", "lathe"),
        ("is kept in a shed", "has a handle", "can be sharpened", "is used with care", "rusts"),
    ),
    "vehicles": (
        ("tram", "van", "sledge", "barge", "lorry", "glider", "bicycle", "ferry", "carriage"),
        (
            "carries people",
            "has a driver",
            "moves along a route",
            "needs repairs",
            "can break down",
        ),
    ),
    "dishes": (
        ("soup", "pie", "stew", "salad", "pancake", "omelette", "curry", "trifle", "porridge"),
        ("is served on a plate", "tastes of salt", "can be eaten", "gets cold", "has a recipe"),
    ),
    "garments": (
        ("scarf", "coat", "sock", "apron", "waistcoat", "glove", "shirt", "cape", "skirt"),
        ("is worn on the body", "is sewn of cloth", "can be washed", "keeps one warm", "wears out"),
    ),
    "buildings": (
        ("barn", "chapel", "mill", "school", "tower", "cottage", "hospital", "palace", "depot"),
        ("has a roof", "stands on a foundation", "has walls", "is entered by a door", "is built"),
    ),
}
"""Concepts and what is true of all of them, and of hardly any other kind."""
PLACES = ("", " in the north", " in the south", " in old stories", " as a rule")


def generated_items(n_pairs: int, seed: int) -> list[Item]:
    """Make pairs of one negative type: a concept its property fits, and one it does not fit.

    Raises:
        DataError: More are wanted than there are.
    """
    source = random.Random(seed)
    names = list(KINDS)
    facts = [
        (kind, concept, truth + place)
        for kind, (concepts, truths) in KINDS.items()
        for concept in concepts
        for truth in truths
        for place in PLACES
    ]
    if n_pairs > len(facts):
        raise DataError(f"{n_pairs} generated pairs are more than there are: {len(facts)}")
    return [
        _item(number, fact, source, names)
        for number, fact in enumerate(source.sample(facts, n_pairs))
    ]


def items_of(folder: Path) -> list[Item]:
    """Read the pairs of a COMPS or XCOMPS folder's first language; identical ones are left out.

    Raises:
        DataError: The folder does not hold any.
    """
    benchmark = open_benchmark("xcomps")
    languages = benchmark.languages(folder)[:1]
    items = benchmark.items(folder, Selection(languages=languages))
    return [item for item in items if not item.fields["is_identical"]]


def sentences_of(items: Sequence[Item]) -> list[str]:
    """Return every distinct sentence, in the order in which they come."""
    return list(dict.fromkeys(text for item in items for text in item.fields["sentences"]))


def _item(
    number: int, fact: tuple[str, str, str], source: random.Random, names: Sequence[str]
) -> Item:
    kind, concept, truth = fact
    other = source.choice(KINDS[source.choice([name for name in names if name != kind])][0])
    return Item(
        id=str(number),
        language="en",
        subset="random",
        unit=f"{concept}|{truth}",
        fields={
            "sentences": [f"A {concept} {truth}.", f"A {other} {truth}."],
            "concepts": [concept, other],
            "property": truth,
            "is_identical": False,
        },
    )
