"""What arithmetic leaves of a zero is stored as zero."""

import math

import numpy as np

from metrics.estimated import without_rounding_noise
from metrics.score import Score
from metrics.statistics.recording import Ranked


def test_negative_and_tiny_zeros_become_plain_zeros_and_nothing_else_changes():
    score = Score(
        benchmark="b",
        metric="cognate_bias",
        value=-0.0,
        ci_low=-2e-13,
        ci_high=0.25,
        se=None,
        n=4,
        baselines={"chance": -0.0, "none": None, "yes": -1.0},
    )

    cleaned = without_rounding_noise(score)

    assert math.copysign(1, cleaned.value) == math.copysign(1, cleaned.ci_low) == 1
    assert str(cleaned.baselines["chance"]) == "0.0"
    assert cleaned == score.model_copy(update={"ci_low": 0.0})


def test_the_sample_behind_a_score_is_kept():
    sample = Ranked(("p1",), np.array([0.1]), np.array([0.2]))
    score = Score(benchmark="b", metric="m", value=-0.0, n=1).made_from(sample)

    assert without_rounding_noise(score).sample is sample
