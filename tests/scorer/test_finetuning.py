import json

import numpy as np
import pytest
import torch
from transformers import AutoModel

from scorer.backend import TokenRow
from scorer.backends.encoder import EncoderBackend
from scorer.backends.finetuning import Finetuning
from scorer.backends.gguf import convert_gguf
from scorer.errors import CheckpointError, TrainingDataError
from scorer.similarity import cosine
from scorer.training import FinetuneSettings, ScoredPair, read_pairs
from scorer.weights import find_model

PAIRS = [
    ScoredPair(text_a="the cat sat", text_b="the mat", score=0.9),
    ScoredPair(text_a="a dog", text_b="der Hund", score=0.8),
    ScoredPair(text_a="the cat", text_b="a sock has a heel", score=0.0),
    ScoredPair(text_a="die Katze", text_b="absorbs sweat", score=0.1),
    ScoredPair(text_a="ein Hund", text_b="the dog", score=1.0),
]
SETTINGS = FinetuneSettings(
    batch_size=2, n_epochs=6, n_warm_up_steps=3, learning_rate=2e-3, checkpoint_steps=4
)

LONG = FinetuneSettings(
    batch_size=2, n_epochs=40, n_warm_up_steps=3, learning_rate=1e-3, checkpoint_steps=50
)
"""Long enough for the loss to fall whatever the order in which a processor adds."""


class StopError(Exception):
    pass


@pytest.fixture
def base(bert_folder, options):
    return find_model(f"hf:{bert_folder}", options.cache, convert_gguf)


def train(base, out, settings=SETTINGS, stop_at=None):
    def on_step(step, loss):
        if step == stop_at:
            raise StopError

    return Finetuning(base, PAIRS, settings, "cpu").run(out, on_step)


def weights_of(folder):
    return AutoModel.from_pretrained(folder).state_dict()


def distance(backend):
    ids = backend.tokenizer.encode_prompts([text for p in PAIRS for text in (p.text_a, p.text_b)])
    states = backend.hidden_states([TokenRow(row) for row in ids], (2,), "mean")
    vectors = [state[0] for state in states]
    found = [cosine(a, b) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
    return float(np.mean((np.array(found) - [pair.score for pair in PAIRS]) ** 2))


def test_cosines_come_nearer_to_the_scores_and_the_new_folder_loads(base, options, tmp_path):
    report = train(base, tmp_path / "new", LONG)

    before = EncoderBackend(base, options)
    after = EncoderBackend(
        find_model(f"hf:{tmp_path / 'new'}", options.cache, convert_gguf), options
    )
    assert report.n_steps == 40 * 3
    assert report.last_epoch_loss < report.first_epoch_loss
    assert distance(after) < distance(before) / 2
    assert after.info.weights_sha256 != before.info.weights_sha256
    assert not (tmp_path / "new.checkpoint").exists()


def test_an_interrupted_training_goes_on_and_ends_the_same(base, tmp_path):
    train(base, tmp_path / "whole")
    with pytest.raises(StopError):
        train(base, tmp_path / "broken", stop_at=10)

    report = train(base, tmp_path / "broken")

    assert report.n_resumed_steps == 8
    whole, broken = weights_of(tmp_path / "whole"), weights_of(tmp_path / "broken")
    for name, value in whole.items():
        torch.testing.assert_close(broken[name], value)


def test_a_checkpoint_of_another_training_is_refused(base, tmp_path):
    with pytest.raises(StopError):
        train(base, tmp_path / "new", stop_at=5)
    other = FinetuneSettings(batch_size=2, n_epochs=6, learning_rate=1.0, checkpoint_steps=4)

    with pytest.raises(CheckpointError, match="learning_rate"):
        train(base, tmp_path / "new", settings=other)


def test_the_rate_goes_up_and_then_down_to_zero(base):
    training = Finetuning(base, PAIRS, SETTINGS, "cpu")

    rates = [training._rate(step) for step in range(training.n_steps)]

    assert rates[:4] == [0, 1 / 3, 2 / 3, 1]
    assert rates[-1] == pytest.approx(1 / 15)


def test_every_pair_stands_once_in_an_epoch(base):
    training = Finetuning(base, PAIRS, SETTINGS, "cpu")

    epochs = [
        [at for step in range(e * 3, e * 3 + 3) for at in training._chosen(step)] for e in (0, 1)
    ]

    assert [sorted(epoch) for epoch in epochs] == [list(range(5))] * 2
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize(
    ("lines", "met"),
    [
        (['{"text_a": "a", "text_b": "b", "score": 0.5}', "no json"], "line 2"),
        (['{"text_a": "a", "text_b": "b", "score": 1.5}'], "line 1: score"),
        (['{"text_a": "a", "score": 0.5}'], "line 1: text_b"),
        ([], "holds no pairs"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, lines, met):
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(lines))

    with pytest.raises(TrainingDataError, match=met):
        read_pairs(file)


def test_lines_are_read_as_pairs(tmp_path):
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(pair.model_dump()) + "\n" for pair in PAIRS))

    assert read_pairs(file) == PAIRS
