import json
import shutil

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer, BertModel

from scorer.backend import TokenRow
from scorer.backends.encoder import EncoderBackend
from scorer.backends.finetuning import Finetuning
from scorer.backends.gguf import convert_gguf
from scorer.errors import CheckpointError, TrainingDataError, TrainingStoppedError
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


def test_a_training_asked_to_end_keeps_every_step(base, tmp_path):
    train(base, tmp_path / "whole")
    done = []
    training = Finetuning(base, PAIRS, SETTINGS, "cpu")

    with pytest.raises(TrainingStoppedError, match="after step 6 of 18"):
        training.run(tmp_path / "new", lambda step, _: done.append(step), lambda: len(done) == 6)
    report = train(base, tmp_path / "new")

    assert report.n_resumed_steps == 6
    whole, new = weights_of(tmp_path / "whole"), weights_of(tmp_path / "new")
    for name, value in whole.items():
        torch.testing.assert_close(new[name], value)


def test_a_checkpoint_half_written_leaves_the_one_before(base, tmp_path):
    with pytest.raises(StopError):
        train(base, tmp_path / "new", stop_at=5)
    (tmp_path / "new.checkpoint.partial").write_bytes(b"half a")

    report = train(base, tmp_path / "new")

    assert report.n_resumed_steps == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new"]


def test_a_file_that_is_no_checkpoint_is_refused(base, tmp_path):
    (tmp_path / "new.checkpoint").write_bytes(b"something else")

    with pytest.raises(CheckpointError, match="is no checkpoint"):
        train(base, tmp_path / "new")


@pytest.fixture
def calm_base(bert_folder, options, tmp_path):
    """The same model without dropout: what is drawn depends on how texts are padded together."""
    folder = tmp_path / "calm"
    no_dropout = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    BertModel.from_pretrained(bert_folder, **no_dropout).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bert_folder).save_pretrained(folder)
    return find_model(f"hf:{folder}", options.cache, convert_gguf)


def plain_training(folder, order):
    """The published recipe as a plain loop: all of a batch padded together, the whole table."""
    model = AutoModel.from_pretrained(folder).train()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    kept = ("bias", "LayerNorm.weight")
    optimizer = torch.optim.AdamW(
        [
            {
                "params": [p for n, p in model.named_parameters() if n.endswith(kept) is is_kept],
                "weight_decay": 0.0 if is_kept else 0.01,
            }
            for is_kept in (True, False)
        ],
        lr=SETTINGS.learning_rate,
    )
    n_warm, n_all = SETTINGS.n_warm_up_steps, len(order)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: s / n_warm if s < n_warm else (n_all - s) / (n_all - n_warm)
    )

    def embed(texts):
        batch = tokenizer(texts, padding=True, truncation=False, return_tensors="pt")
        states = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        return (states * mask).sum(1) / mask.sum(1)

    for numbers in order:
        pairs = [PAIRS[number] for number in numbers]
        cosines = torch.cosine_similarity(
            embed([pair.text_a for pair in pairs]), embed([pair.text_b for pair in pairs])
        )
        wanted = torch.tensor([pair.score for pair in pairs])
        optimizer.zero_grad()
        ((cosines - wanted) ** 2).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model.state_dict()


def test_the_weights_are_those_of_a_plain_loop(calm_base, tmp_path):
    training = Finetuning(calm_base, PAIRS, SETTINGS, "cpu")
    order = [training._chosen(step) for step in range(training.n_steps)]

    training.run(tmp_path / "new", lambda *_: None)

    found, start = weights_of(tmp_path / "new"), weights_of(calm_base.folder)
    for name, value in plain_training(calm_base.folder, order).items():
        if name.endswith("key.bias"):
            continue  # It moves no attention: its gradient is rounding alone, made large by Adam.
        torch.testing.assert_close(found[name], value, atol=2e-5, rtol=2e-4)
    words = "embeddings.word_embeddings.weight"
    assert not torch.equal(found[words], start[words])


def test_a_row_that_no_text_uses_only_decays(calm_base, tmp_path):
    training = Finetuning(calm_base, PAIRS, SETTINGS, "cpu")
    used = {token for pair in training._texts for text in pair for token in text}
    unused = next(token for token in range(5, 300) if token not in used)

    training.run(tmp_path / "new", lambda *_: None)

    words = "embeddings.word_embeddings.weight"
    before, after = (weights_of(f)[words][unused] for f in (calm_base.folder, tmp_path / "new"))
    # The rates of 18 steps, 3 of them of warm-up, add up to 0/3 + 1/3 + 2/3 + (15 + … + 1)/15 = 9;
    # each shrinks a weight by its share of 2e-3 · 0.01: about 1 - 9 · 2e-5 are left.
    torch.testing.assert_close(after / before, torch.full((32,), 1 - 9 * 2e-5), atol=1e-6, rtol=0)


def test_texts_are_cut_to_the_length_that_the_makers_chose(base, options, tmp_path):
    folder = tmp_path / "short"
    shutil.copytree(base.folder, folder)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 4}')
    short = find_model(f"hf:{folder}", options.cache, convert_gguf)

    report = train(short, tmp_path / "new")

    assert report.n_cut_texts > 0
    assert (tmp_path / "new" / "sentence_bert_config.json").is_file()


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
