"""What is the answer to a case worth, by every reading and on both sides?"""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.benchmark import Case, Outcome
from benchmarks.errors import UnknownNameError
from benchmarks.responses import LogProbResponse, Response, TextResponse
from benchmarks.stingray.answers import (
    PARSERS,
    SIDES,
    chance_side_verdicts,
    side_verdicts,
    swapped,
)
from benchmarks.stingray.asking import Way, labels_of

JUDGE_VERSION = "1"

ALWAYS: Mapping[str, tuple[str, str]] = {
    "always-yes": ("usage", "Yes"),
    "always-no": ("usage", "No"),
    "always-a": ("semantic", "A"),
    "always-b": ("semantic", "B"),
    "always-c": ("semantic", "C"),
}
"""The task each degenerate baseline answers, and its answer."""

BASELINES: Mapping[str, tuple[str, ...]] = {
    "chance": ("semantic", "usage"),
    **{name: (task,) for name, (task, _) in ALWAYS.items()},
}


def gold_of(case: Case) -> str:
    """Return the right label; of the semantic task with L1 at A."""
    if case.task == "semantic":
        return str(case.item.fields["gold"])
    return str(case.item.fields["usage"][SIDES.index(case.variant.partition(".")[0])])


def judge(case: Case, way: Way, parser: str, response: Response) -> Outcome:
    """Judge one response; an answer that cannot be read is wrong.

    Args:
        case: The item and how it was asked.
        way: What its variant stands for.
        parser: Which reading of a generated text counts.
        response: Sums in the order of the task's labels, or a text.
    """
    if isinstance(response, LogProbResponse):
        label, is_tie = _likeliest(response.sums, labels_of(case.task))
        return _outcome(case, way, {"": label}, "", {"is_tie": is_tie})
    if not isinstance(response, TextResponse):
        raise TypeError(f"{case.item.id}: a {type(response).__name__} answers no such request")
    labels = labels_of(case.task)
    shown = {name: parse(response.text, labels) for name, parse in PARSERS.items()}
    return _outcome(case, way, shown, parser, {"text": response.text})


def baseline(case: Case, name: str) -> Outcome:
    """Answer a case without a model; chance gets its expected value.

    Raises:
        UnknownNameError: There is no such baseline for the task.
    """
    if case.task not in BASELINES.get(name, ()):
        allowed = ", ".join(known for known, tasks in BASELINES.items() if case.task in tasks)
        raise UnknownNameError(f"unknown baseline {name!r} of {case.task}; allowed: {allowed}")
    gold = gold_of(case)
    if name == "chance":
        detail: dict[str, Any] = {"gold": gold, "predicted": None}
        if case.task == "semantic":
            detail["sides"] = chance_side_verdicts(gold)
        return Outcome(baseline_values(case)[name], detail=detail, baselines=baseline_values(case))
    answer = ALWAYS[name][1]
    return Outcome(
        float(answer == gold),
        detail={"gold": gold, "shown": answer, **_verdict(case, answer, gold)},
        baselines=baseline_values(case),
    )


def baseline_values(case: Case) -> dict[str, float | None]:
    """Return what every baseline of the task gets on a case."""
    gold = gold_of(case)
    values: dict[str, float | None] = {"chance": 1 / len(labels_of(case.task))}
    for name, (task, answer) in ALWAYS.items():
        if task == case.task:
            values[name] = float(answer == gold)
    return values


def _likeliest(sums: Sequence[float], labels: Sequence[str]) -> tuple[str, bool]:
    """Return the label of the greatest sum, the first one of a tie, and whether there was one."""
    best = max(sums)
    return labels[sums.index(best)], sums.count(best) > 1


def _outcome(
    case: Case, way: Way, shown: Mapping[str, str | None], parser: str, facts: Mapping[str, Any]
) -> Outcome:
    """Put together the verdict that counts and those of the other parsers."""
    gold = gold_of(case)
    unswapped = {
        name: swapped(label) if label is not None and way.is_swapped else label
        for name, label in shown.items()
    }
    verdicts = {name: _verdict(case, label, gold) for name, label in unswapped.items()}
    detail = {"gold": gold, "shown": shown[parser], **verdicts[parser], **facts}
    if len(verdicts) > 1:
        detail["by_parser"] = {
            name: {"shown": shown[name], **verdict} for name, verdict in verdicts.items()
        }
    if way.is_swapped:
        detail["gold_shown"] = swapped(gold)
    predicted = unswapped[parser]
    return Outcome(
        float(predicted == gold),
        is_valid=predicted is not None,
        detail=detail,
        baselines=baseline_values(case),
    )


def _verdict(case: Case, predicted: str | None, gold: str) -> dict[str, Any]:
    found: dict[str, Any] = {"predicted": predicted}
    if case.task == "semantic":
        found["sides"] = side_verdicts(predicted, gold)
    return found
