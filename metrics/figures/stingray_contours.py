"""The two families of lines behind a stingray plot: equal lean, and equal comprehension.

In percent: points of one 1 - |bias| lie on a ray from the origin, points of one comprehension c on
an arc of radius √2·c about it; both are cut at the square 0-100.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573), section 3.3 and Figure 4.
"""

import math
from collections.abc import Iterator
from typing import Any

from metrics.stingray_formulas import QUARTER_TURN

FULL = 100.0
EVENNESS = (0.25, 0.5, 0.75, 1.0)
"""1 - |bias| of the rays; 0 is on the axes."""
COMPREHENSION = (20.0, 40.0, 60.0, 80.0, 100.0)
N_STEPS = 24

Row = dict[str, Any]


def rays() -> Iterator[Row]:
    """Yield each ray's two ends, and its label at the outer one."""
    for evenness in EVENNESS:
        for sign in (-1, 1) if evenness < 1 else (1,):
            x, y = ray_end(sign * (1 - evenness))
            label = f"{evenness:g}" if evenness < 1 else None  # the corner has the arc's 100
            line = f"ray {sign * evenness}"
            yield {"line": line, "order": 0, "x": 0.0, "y": 0.0, "label": None}
            yield {"line": line, "order": 1, "x": x, "y": y, "label": label}


def ray_end(bias: float) -> tuple[float, float]:
    """Return where the ray of a bias leaves the square 0-100."""
    angle = QUARTER_TURN * (1 + bias)
    length = FULL / max(math.cos(angle), math.sin(angle))
    return length * math.cos(angle), length * math.sin(angle)


def arcs() -> Iterator[Row]:
    """Yield the points of each arc within the square, its label on the diagonal."""
    for comprehension in COMPREHENSION:
        radius = math.sqrt(2) * comprehension
        first = math.acos(min(1.0, FULL / radius))
        steps = N_STEPS if comprehension < FULL else 0
        for step in range(steps + 1):
            share = step / steps if steps else 0.5
            angle = first + (math.pi / 2 - 2 * first) * share
            at = radius * math.cos(angle), radius * math.sin(angle)
            label = f"{comprehension:g}" if share == 0.5 else None
            yield {"line": f"arc {comprehension}", "order": step, "x": at[0], "y": at[1],
                   "label": label}  # fmt: skip
