"""Which family is a model of, and how many parameters has it?

Families are those of the paper's model table; the number is read in the model's name (`7B`, `560m`)
or, where a family has one size, taken from the table.
"""

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from metrics.errors import FigureError

OTHER = "other"
SIZE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s?([bm])(?:[^a-z]|\d|$)", re.IGNORECASE)
"""`7B`, `0.5b`, `560m`, also `7b1` (7.1 thousand million)."""
BLOOM_SIZE = re.compile(r"(?<![\d.])(\d+)b(\d)(?!\d)", re.IGNORECASE)


def family_of(model: str) -> str:
    """Return the family whose name the model's name holds, the longest if several; else other."""
    name = _plain(model)
    found = [family for family in _families() if _plain(family) in name]
    return max(found, key=len, default=OTHER)


def parameters_of(model: str, given: Mapping[str, float]) -> float | None:
    """Return how many thousand million parameters a model has; None where nothing tells.

    Args:
        model: Its name.
        given: What the caller says, by a part of the name.
    """
    for part, billions in given.items():
        if part in model:
            return billions
    name = re.split(r"[/\\]", model)[-1]
    if bloom := BLOOM_SIZE.search(name):
        return float(f"{bloom[1]}.{bloom[2]}")
    if size := SIZE.search(name):
        return float(size[1]) / (1 if size[2].lower() == "b" else 1000)
    known = _families().get(family_of(model), {}).get("parameters", [])
    return float(known[0]) if len(known) == 1 else None


def read_sizes(text: str) -> dict[str, float]:
    """Read `name:13+other:0.58`, thousand millions by a part of the model's name.

    Raises:
        FigureError: A size is no positive number.
    """
    return dict(_sizes(text))


def _sizes(text: str) -> Iterator[tuple[str, float]]:
    for each in text.split("+"):
        name, _, size = each.rpartition(":")
        if not each:
            continue
        if not name or not re.fullmatch(r"\d+(\.\d+)?", size) or float(size) == 0:
            raise FigureError(f"option sizes: {each!r}: expected name:number, such as mt0-xl:3.7")
        yield name, float(size)


def _families() -> dict[str, dict[str, Any]]:
    text = (files("benchmarks.stingray") / "models.json").read_text(encoding="utf-8")
    return {entry["family"]: entry for entry in json.loads(text)["models"]}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
