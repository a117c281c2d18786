import random
import threading

import numpy as np
import pytest
import torch

from scorer.backend import TokenRow
from scorer.backends.workers import run_batches
from scorer.errors import OutOfMemoryError

CPU = torch.device("cpu")


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_many_batches_are_run_by_threads_that_compute_alone(two_threads):
    seen = []

    def run(batch):
        seen.append((threading.current_thread().name[:5], torch.get_num_threads(), batch[0]))

    run_batches([[n] for n in range(8)], run, CPU)

    assert sorted(n for _, _, n in seen) == list(range(8))
    assert {(name, n_threads) for name, n_threads, _ in seen} == {("batch", 1)}
    assert torch.get_num_threads() == 2


def test_few_batches_get_all_threads_one_after_the_other(two_threads):
    seen = []

    run_batches([[1], [2]], lambda batch: seen.append(torch.get_num_threads()), CPU)

    assert seen == [2, 2]


def test_a_failure_in_a_thread_is_told(two_threads):
    def run(batch):
        if batch == [5]:
            raise OutOfMemoryError("full")

    with pytest.raises(OutOfMemoryError):
        run_batches([[n] for n in range(8)], run, CPU)


def test_answers_are_the_same_with_several_threads(two_threads, llama, bert):
    source = random.Random(0)
    rows = [
        TokenRow((0, *(source.randrange(400) for _ in range(source.randint(5, 60)))), 1)
        for _ in range(150)
    ]
    together = llama.log_probs(rows)
    states = llama.hidden_states(rows, (0, 1, 2, 3), "mean")
    texts = ["the cat " * source.randint(1, 20) for _ in range(120)]
    encoded = [TokenRow(ids) for ids in bert.tokenizer.encode_prompts(texts)]
    vectors = bert.hidden_states(encoded, (0, 1, 2), "mean")

    for at in range(0, len(rows), 10):
        np.testing.assert_allclose(llama.log_probs([rows[at]])[0], together[at], atol=1e-4)
        alone = llama.hidden_states([rows[at]], (0, 1, 2, 3), "mean")[0]
        np.testing.assert_allclose(alone, states[at], atol=1e-4)
    for at in range(0, len(encoded), 10):
        alone = bert.hidden_states([encoded[at]], (0, 1, 2), "mean")[0]
        np.testing.assert_allclose(alone, vectors[at], atol=1e-5)
