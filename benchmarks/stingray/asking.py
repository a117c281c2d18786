"""Which requests does a case need? One a case: a question with its labels.

A variant names what is asked more than once: the side of a usage question (`L1`), and, where all
prompt styles are asked, those that are not the default (`L1.paper`, `released.l2-first`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.benchmark import Case
from benchmarks.requests import GenerateRequest, LogProbRequest, Message
from benchmarks.stingray.answers import SIDES
from benchmarks.stingray.data import TRUE_COGNATE
from benchmarks.stingray.prompts import (
    ANSWER_CUE,
    SEMANTIC_LABELS,
    USAGE_LABELS,
    Sentence,
    semantic_prompt,
    styles,
    usage_prompt,
)
from benchmarks.stingray.settings import StingraySettings

API_SEED = 23
"""What the authors send to API models."""
ORDERS = ("l1-first", "l2-first")


@dataclass(frozen=True, slots=True)
class Way:
    """How one case is asked."""

    style: str
    order: str
    side: str
    """L1 or L2 in the usage task, else empty."""

    @property
    def is_swapped(self) -> bool:
        """Whether the sentence of L2 stands at A."""
        return self.order == "l2-first"


def variants(task: str, settings: StingraySettings) -> tuple[str, ...]:
    """Return the variants of a task, the ones of the default style and order first."""
    first = SIDES if task == "usage" else ("",)
    if settings.prompt_style != "all":
        return first
    names = list(styles(settings.prompt_file))
    if task == "usage":
        more = [f"{side}.{style}" for style in names[1:] for side in SIDES]
    else:
        ways = [(style, order) for style in names for order in ORDERS]
        more = [f"{style}.{order}" for style, order in ways[1:]]
    return (*first, *more)


def way_of(case: Case, settings: StingraySettings) -> Way:
    """Return the way a variant stands for."""
    style = "released" if settings.prompt_style == "all" else settings.prompt_style
    order = "l1-first" if settings.prompt_style == "all" else settings.option_order
    head, _, tail = case.variant.partition(".")
    if case.task == "usage":
        return Way(tail or style, order, head)
    return Way(head or style, tail or order, "")


def labels_of(task: str) -> tuple[str, ...]:
    """Return the labels a task's answer is chosen from, in the order in which ties are broken."""
    return SEMANTIC_LABELS if task == "semantic" else USAGE_LABELS


def request_of(case: Case, settings: StingraySettings) -> LogProbRequest | GenerateRequest:
    """Return the one request of a case."""
    is_generated = settings.inference == "generation"
    prompt = _prompt(case, settings, is_generated=is_generated)
    key = "/".join(filter(None, ("stingray", case.task, case.item.id, case.variant)))
    if is_generated:
        return GenerateRequest(
            key=key,
            messages=(Message(role="user", content=prompt),),
            max_new_tokens=settings.max_new_tokens,
            seed=API_SEED,
            chat_template=settings.chat_template,
            truncation=settings.truncation,
        )
    context, continuations = _join(prompt, labels_of(case.task), settings)
    return LogProbRequest(
        key=key,
        context=context,
        continuations=continuations,
        chat_template=settings.chat_template,
        truncation=settings.truncation,
    )


def _join(
    prompt: str, labels: Sequence[str], settings: StingraySettings
) -> tuple[str, tuple[str, ...]]:
    """Split the prompt with its answer into what is given and what is scored."""
    if settings.layout == "encoder-decoder":
        return prompt + ANSWER_CUE + " ", tuple(labels)
    if settings.chat_template:
        return prompt, tuple(labels)
    return prompt + ANSWER_CUE, tuple(f" {label}" for label in labels)


def _prompt(case: Case, settings: StingraySettings, *, is_generated: bool) -> str:
    way = way_of(case, settings)
    style = styles(settings.prompt_file)[way.style]
    fields = case.item.fields
    sentences = [
        Sentence(text, language)
        for text, language in zip(fields["sentences"], fields["languages"], strict=True)
    ]
    if case.task == "usage":
        side = SIDES.index(way.side)
        word = _usage_word(fields, case.item.subset, side, settings.cognate_word)
        return usage_prompt(style, word, sentences[side], is_generated=is_generated)
    at_a, at_b = reversed(sentences) if way.is_swapped else sentences
    return semantic_prompt(style, at_a, at_b, is_generated=is_generated)


def _usage_word(fields: Mapping[str, Any], subset: str | None, side: int, cognate: str) -> str:
    is_pair = subset == TRUE_COGNATE and cognate == "pair"
    return str(fields["word"] if is_pair else fields["words"][side])
