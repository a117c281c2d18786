"""Made-up answers of every kind: plain ones, odd ones, and pieces of the item itself."""

import random
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from benchmarks.benchmark import Benchmark, Case
from benchmarks.conformance.subject import name_of, require
from benchmarks.requests import (
    EmbedRequest,
    GenerateRequest,
    HiddenStatesRequest,
    LogProbRequest,
    Request,
    RequestKind,
    SimilarityRequest,
    TranslateRequest,
)
from benchmarks.responses import (
    LogProbResponse,
    Response,
    TensorResponse,
    TextResponse,
    ValueResponse,
    VectorResponse,
)

MAX_ROUNDS = 32
"""As many as the orchestrator bears."""
ODD_TEXTS = (
    "", " ", "\n\t\r", "\x00", "\u200b\ufeff", "A", "a.", "Answer: B", "A and B", "C or A",
    "yes no", "YES", "No.", "0.5", "1", "-3", "1.5", "0,7", "1e999", "nan", "-inf", "٣", "½", "1/0",
    "5 / 10", "```", "``````", "```x``` ```y``` ```z```", "`", "'", '"""', "[", "[" * 3000, "{}",
    "{'a': [1]}", '{"a": {"b": null}}', "null", "None", "%s %(x)s {0} {}", "\\", "\\u0041",
    "(?P<x>", "<b>A</b>", "ﬃ ǅ ẞ İ ı", "e\u0301\u0301\u0301", "ירושלים", "مرحبا", "ภาษาไทย",
    "日本語の文です。", "我不知道。", "नमस्ते", "👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈",
)  # fmt: skip
LONG_TEXTS = ("word " * 4000, "字" * 20_000, "a" * 20_000, "\n" * 5000)
ALPHABET = "aAbBcC019 .,:;!?'\"`-_/\\()[]{}<>|\n\téßñİжשمกあ漢字\u0301\u200d🙂"
N_RANDOM_TEXTS = 20
MAX_RANDOM_LENGTH = 40
MAX_ITEM_TEXTS = 12
N_SHAPES = 10
WRITTEN_KINDS = frozenset({RequestKind.GENERATE, RequestKind.TRANSLATE})


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was asked of one case, and answered, by part."""

    asked: tuple[Request, ...]
    responses: Mapping[str, Response]


def texts_for(case: Case, kinds: AbstractSet[RequestKind]) -> list[str]:
    """Return short texts that a judge must bear; the same each time.

    Where no text is asked for, only the shapes of numbers differ, and there are few.
    """
    if not kinds & WRITTEN_KINDS:
        return [""] * N_SHAPES
    generator = random.Random(f"{case.item.language}:{case.item.id}")
    made = [
        "".join(generator.choices(ALPHABET, k=generator.randint(1, MAX_RANDOM_LENGTH)))
        for _ in range(N_RANDOM_TEXTS)
    ]
    own = list(dict.fromkeys(_texts_in(case.item.fields)))[:MAX_ITEM_TEXTS]
    return [*own, *(f" {text.upper()}." for text in own), *ODD_TEXTS, *made]


def answer(request: Request, number: int, text: str) -> Response:
    """Return an answer that fits a request.

    Args:
        request: Of any kind.
        number: Numbers of odd shapes differ by it.
        text: What a model that writes would write.
    """
    match request:
        case GenerateRequest() | TranslateRequest():
            return TextResponse(text=text, is_finished=number % 2 == 0)
        case LogProbRequest():
            return _log_probs(len(request.continuations), number)
        case SimilarityRequest():
            return ValueResponse(value=(0.0, 1.0, 0.5, 0.7)[number % 4])
        case EmbedRequest():
            return VectorResponse(vector=((0.0, 0.0), (1.0, -1.0))[number % 2])
        case HiddenStatesRequest():
            return TensorResponse(file="states.safetensors", tensor=str(number))


def converse(
    benchmark: Benchmark, case: Case, seed: int, number: int = 0, text: str = "A"
) -> Conversation:
    """Ask a case and answer until it asks nothing new.

    Raises:
        BrokenPromiseError: It asks again and again.
    """
    asked: dict[str, Request] = {}
    responses: dict[str, Response] = {}
    new: Sequence[Request] = benchmark.requests(case, seed)
    for _ in range(MAX_ROUNDS):
        for request in new:
            asked[request.key] = request
            responses[request.part] = answer(request, number, text)
        if not new:
            return Conversation(tuple(asked.values()), responses)
        again = benchmark.follow_up(case, seed, responses)
        new = [request for request in again if request.key not in asked]
    require(False, f"{name_of(case)} asks again after {MAX_ROUNDS} rounds, answered {text[:40]!r}")
    raise AssertionError("unreachable")


def _log_probs(n_continuations: int, number: int) -> LogProbResponse:
    """Return rising, falling, equal, tiny and huge sums; some without a number of tokens."""
    shapes = (
        [-1.0 - at for at in range(n_continuations)],
        [-9.0 + at for at in range(n_continuations)],
        [-2.5] * n_continuations,
        [0.0] * n_continuations,
        [-1e6 * (at + 1) for at in range(n_continuations)],
    )
    sums = shapes[number % len(shapes)]
    n_tokens = None if number % 2 else [at + 1 for at in range(n_continuations)]
    return LogProbResponse.model_validate({"sums": sums, "n_tokens": n_tokens})


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts_in(each)
