"""The vLLM backend on a fake engine: one whose log-probabilities can be worked by hand."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from scorer.backend import GenerationSettings, TokenRow
from scorer.backends import load_backend
from scorer.backends.fake import FakeBackend
from scorer.backends.options import LoadOptions
from scorer.backends.vllm import Engine, VllmBackend
from scorer.backends.vllm_loading import check_servable, greedy_settings
from scorer.backends.vllm_prompts import MAX_LABELS
from scorer.errors import (
    BackendError,
    EngineClosedError,
    ModelNotFoundError,
    OutOfMemoryError,
    UnknownTokenError,
    UnsupportedRequestError,
)
from scorer.weights import ModelFolder

END = 9


class DeadError(Exception):
    """What the fake engine raises when it has died."""


class FullError(Exception):
    """What it raises when a call is too large for it."""


class FakeVllm:
    """Token t after n others costs t + n / 100 nats; it writes 7, 8, 9 and so on."""

    def __init__(self, *, max_prompts=1000, dies_at=None, leaves_out=None):
        self.asked = []
        self.max_prompts, self.dies_at, self.leaves_out = max_prompts, dies_at, leaves_out
        self.is_shut_down = False

    async def generate(self, prompt, sampling_params, request_id):
        ids = prompt["prompt_token_ids"]
        self.asked.append((ids, sampling_params))
        if self.dies_at == request_id:
            raise DeadError
        if len(self.asked) > self.max_prompts:
            self.asked.clear()
            raise FullError
        own = None
        if sampling_params.get("prompt_logprobs") is not None:
            n_top = sampling_params["prompt_logprobs"]
            places = (self.place({*range(n_top), ids[n]}, n) for n in range(1, len(ids)))
            own = [None, *places]
        labels = sampling_params.get("logprob_token_ids", [])
        labels = labels or range(sampling_params.get("logprobs", 0))
        after = [self.place(labels, len(ids))]
        settings_ends = sampling_params.get("stop_token_ids", [])
        new = list(range(7, 7 + sampling_params["max_tokens"]))
        ends = [n for n, token in enumerate(new, 1) if token in settings_ends]
        new = new[: ends[0] if ends else None]
        yield SimpleNamespace(
            prompt_logprobs=own, outputs=[SimpleNamespace(token_ids=new, logprobs=after)]
        )

    def place(self, tokens, n_before):
        return {
            token: SimpleNamespace(logprob=-(token + n_before / 100))
            for token in tokens
            if token != self.leaves_out
        }

    def shutdown(self):
        self.is_shut_down = True


def told(error):
    if isinstance(error, DeadError):
        return EngineClosedError("the engine has ended")
    return OutOfMemoryError("out of memory")


@pytest.fixture
def open_backend():
    """A function that makes a backend which starts these processes, one after another."""
    opened = []

    def open_backend(*processes, takes_labels=True):
        waiting = iter(processes)
        engine = Engine(
            open=lambda: next(waiting),
            sampling_params=dict,
            failures=(DeadError, FullError),
            told=told,
            takes_labels=takes_labels,
        )
        fake = FakeBackend()
        info = fake.info.model_copy(update={"vocabulary_size": 500})
        opened.append(VllmBackend(info, fake.tokenizer, engine, {"stop_token_ids": [END]}))
        return opened[-1]

    yield open_backend
    for backend in opened:
        backend.close()


def by_hand(row):
    return [-(token + n / 100) for n, token in enumerate(row.ids)][row.n_given :]


@pytest.mark.parametrize("takes_labels", [True, False])
def test_every_scored_token_has_the_engines_log_prob_in_any_order(open_backend, takes_labels):
    source = random.Random(0)
    rows = [
        TokenRow(tuple(source.randrange(20) for _ in range(source.randint(2, 9))), 1)
        for _ in range(20)
    ]
    rows += [TokenRow(row.ids, len(row.ids) - 1) for row in rows[:5]] + rows[:3]
    backend = open_backend(FakeVllm(), takes_labels=takes_labels)

    found = backend.log_probs(rows[::-1])[::-1]

    for row, values in zip(rows, found, strict=True):
        np.testing.assert_allclose(values, by_hand(row))


def test_labels_of_one_prompt_are_one_question_that_scores_nothing_else(open_backend):
    process = FakeVllm()
    backend = open_backend(process)

    found = backend.log_probs([TokenRow((1, 2, 3, label), 3) for label in (4, 5, 6)])

    # 4 + 3/100, 5 + 3/100, 6 + 3/100
    assert [values.tolist() for values in found] == [[-4.03], [-5.03], [-6.03]]
    ((ids, settings),) = process.asked
    assert ids == [1, 2, 3]
    assert settings["logprob_token_ids"] == [4, 5, 6]
    assert "prompt_logprobs" not in settings


def test_more_labels_than_the_engine_takes_are_several_questions(open_backend):
    process = FakeVllm()
    backend = open_backend(process)

    found = backend.log_probs([TokenRow((1, label), 1) for label in range(MAX_LABELS + 2)])

    assert [len(settings["logprob_token_ids"]) for _, settings in process.asked] == [MAX_LABELS, 2]
    assert len(found) == MAX_LABELS + 2


def test_nothing_that_is_scored_is_read_from_a_cache(open_backend):
    process = FakeVllm()
    backend = open_backend(process)

    backend.log_probs([TokenRow((1, 2, 3), 1)])
    backend.top_tokens([TokenRow((1, 2, 3), 1)], 2)

    assert all(settings["skip_reading_prefix_cache"] for _, settings in process.asked)
    assert all(settings["prompt_logprobs"] in (0, 2) for _, settings in process.asked)


def test_the_likeliest_tokens_come_first(open_backend):
    backend = open_backend(FakeVllm())

    (places,) = backend.top_tokens([TokenRow((1, 2, 3), 2)], 2)

    # After two tokens: 0 costs .02, 1 costs 1.02.
    assert places == [[(0, -0.02), (1, -1.02)]]


def test_a_full_memory_halves_the_call(open_backend):
    backend = open_backend(FakeVllm(max_prompts=3))
    rows = [TokenRow((n, n + 1), 1) for n in range(7)]

    found = backend.log_probs(rows)

    assert [values.tolist() for values in found] == [by_hand(row) for row in rows]


def test_an_engine_that_died_is_told_and_started_anew_for_the_next_call(open_backend):
    dead, fresh = FakeVllm(dies_at="1"), FakeVllm()
    backend = open_backend(dead, fresh)
    rows = [TokenRow((n, n + 1), 1) for n in range(3)]

    with pytest.raises(EngineClosedError, match="has ended"):
        backend.log_probs(rows)
    again = backend.log_probs(rows)

    assert dead.is_shut_down
    assert [values.tolist() for values in again] == [by_hand(row) for row in rows]
    backend.close()
    assert fresh.is_shut_down


def test_a_token_that_the_engine_left_out_is_an_error_and_no_zero(open_backend):
    backend = open_backend(FakeVllm(leaves_out=5))

    with pytest.raises(BackendError, match="no log-probability of token 5"):
        backend.log_probs([TokenRow((1, 5, 2), 1)])


def test_a_token_without_an_embedding_never_reaches_the_engine(open_backend):
    process = FakeVllm()
    backend = open_backend(process)

    with pytest.raises(UnknownTokenError, match="token id 500"):
        backend.log_probs([TokenRow((1, 500), 1)])
    assert process.asked == []


def test_texts_end_where_the_model_ends_them_and_equal_ones_are_written_once(open_backend):
    process = FakeVllm()
    backend = open_backend(process)
    rows = [TokenRow((1, 2)), TokenRow((3,)), TokenRow((1, 2))]

    whole = backend.generate(rows, GenerationSettings(max_new_tokens=5))
    cut = backend.generate(rows[:1], GenerationSettings(max_new_tokens=1))

    assert [new.ids for new in whole] == [(7, 8)] * 3
    assert whole[0].is_finished
    assert (cut[0].ids, cut[0].is_finished) == ((7,), False)
    assert [ids for ids, _ in process.asked] == [[1, 2], [3], [1, 2]]


def test_a_draw_has_a_seed_of_its_own_row(open_backend):
    process = FakeVllm()
    backend = open_backend(process)
    settings = GenerationSettings(max_new_tokens=2, temperature=1.0, seed=3)

    backend.generate([TokenRow((1,)), TokenRow((2,))], settings)
    backend.generate([TokenRow((2,))], settings)

    one, other, again = [settings["seed"] for _, settings in process.asked]
    assert one != other == again


@pytest.mark.parametrize("extra", [{"n_beams": 2}, {"no_repeat_ngram_size": 3}])
def test_what_vllm_lacks_is_refused_and_not_ignored(open_backend, extra):
    backend = open_backend(FakeVllm())

    with pytest.raises(UnsupportedRequestError, match="the torch backend has both"):
        backend.generate([TokenRow((1,))], GenerationSettings(**extra))
    with pytest.raises(UnsupportedRequestError, match="the torch backend serves them"):
        backend.hidden_states([TokenRow((1,))], (0,), "last")


def test_without_the_package_the_backend_says_what_is_missing(tmp_path):
    options = LoadOptions(cache=tmp_path, backend="vllm")

    with pytest.raises(ModelNotFoundError, match=r"needs the package vllm.*of its own"):
        load_backend("demo-decoder", options)


@pytest.mark.parametrize(
    ("facts", "dtype", "what"),
    [
        ({"is_encoder_decoder": True}, "auto", "is an encoder-decoder"),
        ({"architectures": ["BertForMaskedLM"]}, "auto", "is an encoder"),
        ({"architectures": ["LlamaForCausalLM"]}, "int8", "in 8 bits"),
    ],
)
def test_what_only_torch_serves_is_refused_with_a_pointer_to_it(facts, dtype, what, tmp_path):
    folder = ModelFolder("hf:m", tmp_path, "local", "hash")
    config = SimpleNamespace(**{"is_encoder_decoder": False, **facts})

    with pytest.raises(ModelNotFoundError, match=f"{what}.*the torch backend serves it"):
        check_servable(folder, config, LoadOptions(cache=tmp_path, dtype=dtype))


def test_the_makers_ends_and_penalties_are_kept(tmp_path):
    (tmp_path / "config.json").write_text('{"eos_token_id": 1}')
    (tmp_path / "generation_config.json").write_text(
        '{"eos_token_id": [4, 2], "repetition_penalty": 1.05, "temperature": 0.7}'
    )

    assert greedy_settings(tmp_path, 3) == {
        "stop_token_ids": [2, 3, 4],
        "repetition_penalty": 1.05,
    }
