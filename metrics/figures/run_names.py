"""What is each run called in a figure, so that no two are called the same?"""

from collections import Counter
from collections.abc import Sequence

from metrics.figures.figure import FigureRun


def run_names(runs: Sequence[FigureRun]) -> list[str]:
    """Return the model of each run; where a model was run twice, with the end of the run's id."""
    times = Counter(run.model for run in runs)
    names = [
        run.model if times[run.model] == 1 else f"{run.model} ({run.run_id[-6:]})" for run in runs
    ]
    again = Counter(names)
    return [
        name if again[name] == 1 else f"{name} #{number}"
        for number, name in enumerate(names, start=1)
    ]
