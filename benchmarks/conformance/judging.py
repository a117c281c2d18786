"""Promises on what answers are worth: any answer at all has an outcome, the same each time."""

import json
import math

from benchmarks.benchmark import Concluding, Outcome
from benchmarks.conformance.answers import LONG_TEXTS, converse, texts_for
from benchmarks.conformance.subject import Subject, doing, name_of, require


def it_judges_every_answer(subject: Subject) -> None:
    """An odd answer is wrong or unreadable, and never an error; the same whoever judges."""
    other = subject.open()
    long_for = {case.task: case for case in subject.cases(subject.chosen)}
    for case in subject.cases(subject.chosen):
        kinds = subject.benchmark.kinds(case.task)
        longer = LONG_TEXTS if long_for[case.task] == case else ()
        for number, text in enumerate([*texts_for(case, kinds), *longer]):
            where = f"{name_of(case)}, answered {text[:40]!r}"
            with doing(f"judge of {where},"):
                responses = converse(subject.benchmark, case, 0, number, text).responses
                outcome = subject.benchmark.judge(case, 0, responses)
                again = other.judge(case, 0, responses)
            if outcome is None:
                concluded = getattr(subject.found, "concluded_tasks", ())
                is_open = isinstance(subject.benchmark, Concluding) and case.task in concluded
                require(is_open, f"{where}: judge decides nothing, and no conclude does")
                continue
            _check_outcome(outcome, where)
            require(again == outcome, f"{where}: judged otherwise when bound anew")


def its_baselines_answer(subject: Subject) -> None:
    """Every named baseline answers every case of its tasks."""
    for name, tasks in subject.benchmark.baselines().items():
        unknown = sorted(set(tasks) - set(subject.benchmark.tasks))
        require(not unknown and bool(tasks), f"baseline {name} answers the tasks {list(tasks)}")
        for case in subject.cases(subject.items):
            if case.task in tasks:
                with doing(f"baseline {name} of {name_of(case)}"):
                    outcome = subject.benchmark.baseline(case, name)
                _check_outcome(outcome, f"baseline {name} of {name_of(case)}")


def is_value(value: object) -> bool:
    """Say whether a value is None or a number from 0 to 1."""
    if value is None:
        return True
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(float(str(value))) and 0 <= float(str(value)) <= 1


def _check_outcome(outcome: object, where: str) -> None:
    require(isinstance(outcome, Outcome), f"{where}: {type(outcome).__name__}, needed an Outcome")
    if not isinstance(outcome, Outcome):
        return
    require(is_value(outcome.value), f"{where}: value {outcome.value!r}, allowed: None, or 0 to 1")
    valid: object = outcome.is_valid
    require(isinstance(valid, bool), f"{where}: is_valid is {valid!r}")
    for name, value in outcome.baselines.items():
        require(is_value(value), f"{where}: baseline {name} is {value!r}, allowed: None, or 0 to 1")
    with doing(f"writing the detail of {where} as JSON"):
        json.dumps(dict(outcome.detail), allow_nan=False)
