"""What does the paper report? Reference values that are shown beside one's own.

Source: Ousidhoum et al. 2024 (arXiv:2402.08638), Table 11.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PUBLISHED = Path(__file__).parent / "published.json"


@dataclass(frozen=True, slots=True)
class Published:
    """One cell of a table of the paper."""

    table: str
    system: str
    training: str
    """`none`, or `tuned`: one model tuned on all languages' train sets together."""
    language: str
    metric: str
    value: float


def published_values() -> Iterator[Published]:
    """Return the paper's scores, cell by cell; all on test but Spanish, which is on dev."""
    found = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    for table in found["tables"]:
        for language, value in table["values"].items():
            yield Published(
                table["table"], table["system"], table["training"], language, found["metric"], value
            )
