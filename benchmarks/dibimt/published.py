"""What does the paper report? The values that are at hand, shown beside one's own.

Source: Campolungo et al. 2022 (ACL 2022, pages 4331-4352).
"""

import json
from dataclasses import dataclass
from pathlib import Path

PUBLISHED = Path(__file__).parent / "published.json"


@dataclass(frozen=True, slots=True)
class Published:
    """One number of the paper."""

    table: str
    system: str
    metric: str
    setting: str | None
    value: float


def published_values() -> tuple[Published, ...]:
    """Return the paper's scores; the cells of Tables 3 to 6 are not among them."""
    found = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return tuple(
        Published(each["table"], each["system"], "accuracy", f"items={each['items']}", accuracy)
        for each in found["wsd"]
        for accuracy in (each["accuracy"],)
    )
