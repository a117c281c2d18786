import pytest
from pydantic import ValidationError

from benchmarks.responses import LogProbResponse


def test_token_log_probs_are_summed_up():
    response = LogProbResponse.model_validate({"log_probs": [[-1.0, -0.5], [-2.0]]})

    assert response.sums == (-1.5, -2.0)
    assert response.n_tokens == (2, 1)


@pytest.mark.parametrize(
    "payload",
    [
        {"log_probs": [[]]},
        {"sums": []},
        {"sums": [-1.0], "n_tokens": [0]},
        {"sums": [-1.0], "n_tokens": [-3]},
        {"sums": [-1.0, -2.0], "n_tokens": [3]},
        {"sums": [-1.0], "log_probs": [[-1.0, -1.0]]},
        {"sums": [-2.0], "log_probs": [[-1.0, -1.0]], "n_tokens": [3]},
        {"sums": [float("nan")]},
        {"sums": [True]},
        {"sums": ["-1.0"]},
    ],
)
def test_numbers_that_are_missing_or_contradict_each_other_are_refused(payload):
    with pytest.raises(ValidationError):
        LogProbResponse.model_validate(payload)


def test_sums_that_were_rounded_still_agree_with_their_tokens():
    response = LogProbResponse.model_validate(
        {"log_probs": [[-1.2345, -0.5]], "sums": [-1.73], "n_tokens": [2]}
    )

    assert response.sums == (-1.73,)
