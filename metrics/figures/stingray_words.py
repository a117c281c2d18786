"""What the figures of StingrayBench say in words: names of subsets, findings."""

from collections.abc import Mapping, Sequence

from metrics.figures.stingray_points import PlotPoint
from metrics.stingray_formulas import cognate_bias, cognate_comprehension

SUBSETS: Mapping[str, str] = {"true_cognate": "true cognates", "false_friend": "false friends"}
"""From left to right."""


def plot_finding(points: Sequence[tuple[str, PlotPoint]]) -> str:
    """Say, for each panel, who comprehends most and least, and which way they lean."""
    panels = dict.fromkeys((point.group, point.subset) for _, point in points)
    sentences = []
    for group, subset in panels:
        place = ", ".join(word for word in (*group, SUBSETS.get(subset, subset)) if word)
        of_panel = [
            (cognate_comprehension(point.l1.value, point.l2.value), name,
             cognate_bias(point.l1.value, point.l2.value))
            for name, point in points
            if (point.group, point.subset) == (group, subset)
            and point.l1.value is not None and point.l2.value is not None
        ]  # fmt: skip
        sentences.append(f"{place[:1].upper()}{place[1:]}: {_extremes(of_panel)}.")
    return "Accuracy on L1 against accuracy on L2. " + " ".join(sentences)


def _extremes(of_panel: Sequence[tuple[float, str, float | None]]) -> str:
    if not of_panel:
        return "no run has a value"
    best, worst = max(of_panel), min(of_panel)
    text = f"{best[1]} comprehends most, {100 * best[0]:.0f} of 100, {_lean(best[2])}"
    if len(of_panel) > 1:
        text += f"; {worst[1]} least, {100 * worst[0]:.0f}, {_lean(worst[2])}"
    return text


def _lean(bias: float | None) -> str:
    if bias is None:
        return "without a bias"
    if abs(bias) < 0.005:
        return "even"
    return f"leaning {abs(bias):.2f} to {'L1' if bias < 0 else 'L2'}"
