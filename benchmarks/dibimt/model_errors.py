"""Ask a model how likely it finds a wrong and a right translation, and compare the two.

Source: Campolungo et al. 2022 (DiBiMT), model errors; perplexity = exp(-Σ log p / target tokens,
the end of the sentence among them), given the source.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.benchmark import Case, Outcome
from benchmarks.dibimt.prompts import (
    Style,
    asked_styles,
    error_prompt,
    styles,
    translation_templates,
)
from benchmarks.dibimt.settings import DibimtSettings
from benchmarks.prompt_file import template_hash
from benchmarks.requests import LogProbRequest
from benchmarks.responses import LogProbResponse, Response

SIDES = ("good", "bad")
MAX_EXPONENT = 700.0
"""Above it a perplexity is no finite number; two are still told apart by their means."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a model finds one translation."""

    nats_per_token: float
    """-Σ log p / tokens."""
    n_tokens: int
    is_end_scored: bool
    """Whether the end of the sentence was told apart; if not, it is in the tokens or unknown."""

    @property
    def perplexity(self) -> float | None:
        """The exponential of the mean; None where that is no finite number."""
        is_finite = self.nats_per_token <= MAX_EXPONENT
        return math.exp(self.nats_per_token) if is_finite else None


def error_variants(settings: DibimtSettings) -> tuple[str, ...]:
    """Return the prompt styles to ask in; the default one is the empty variant."""
    return ("", *asked_styles(styles(settings.prompt_file), settings.prompt_style)[1:])


def prompt_hashes(settings: DibimtSettings) -> Mapping[str, str]:
    """Return the checksum of every template a run may ask with."""
    errors = styles(settings.prompt_file)
    texts = {
        f"{name}/model_errors": errors[name].template
        for name in asked_styles(errors, settings.prompt_style)
    }
    if settings.translate_by == "generation":
        words = translation_templates(settings.prompt_file)
        chosen = asked_styles(words, settings.prompt_style)
        texts |= {f"{name}/translation": words[name] for name in chosen}
    return {name: template_hash(text) for name, text in texts.items()}


def error_requests(case: Case, settings: DibimtSettings) -> tuple[LogProbRequest, ...]:
    """Return one request a translation; none for an item that was not drawn or has no pair."""
    pair = case.item.fields.get("pair")
    if pair is None or pair["good"] is None:
        return ()
    style = _style_of(case, settings)
    base = "/".join(filter(None, ("dibimt/model_errors", case.item.language, case.item.id)))
    prefix = f"{base}/{case.variant}" if case.variant else base
    return tuple(
        LogProbRequest(
            key=f"{prefix}/{side}",
            part=side,
            context=error_prompt(style, case.item.fields["sentence"], case.item.language),
            continuations=(style.joiner + pair[side],),
            bos_policy=settings.bos_policy,
            chat_template=settings.chat_template,
            source_language="en",
            target_language=case.item.language,
        )
        for side in SIDES
    )


def judge_errors(case: Case, responses: Mapping[str, Response]) -> Outcome:
    """Return 1 where the wrong translation is strictly likelier, 0 where it is not."""
    pair = case.item.fields.get("pair")
    if pair is None or pair["good"] is None:
        why = "not drawn" if pair is None else "no right translation"
        return Outcome(None, detail={"is_paired": False, "why": why})
    found = {side: likelihood(responses[side]) for side in SIDES}
    detail = {"is_paired": True, "pair": pair, **_as_json(found)}
    good, bad = found["good"], found["bad"]
    if good is None or bad is None:
        return Outcome(None, is_valid=False, detail={**detail, "why": "no number of tokens"})
    return Outcome(float(bad.nats_per_token < good.nats_per_token), detail=detail)


def likelihood(response: Response) -> Likelihood | None:
    """Return a translation's mean over its tokens; None where their number is not known.

    Where the end of the sentence comes apart from the sum it is added; else the sum and its tokens
    are taken as they are.
    """
    if not isinstance(response, LogProbResponse):
        raise TypeError(f"log-probabilities are needed, not a {type(response).__name__}")
    if response.n_tokens is None:
        return None
    total, n_tokens = response.sums[0], response.n_tokens[0]
    end = response.eos_log_probs[0] if response.eos_log_probs is not None else None
    if end is not None:
        total, n_tokens = total + end, n_tokens + 1
    return Likelihood(-total / n_tokens, n_tokens, end is not None) if n_tokens > 0 else None


def _style_of(case: Case, settings: DibimtSettings) -> Style:
    style = "source" if settings.prompt_style == "all" else settings.prompt_style
    known = styles(settings.prompt_file)
    return known.get(case.variant or style, known["source"])


def _as_json(found: Mapping[str, Likelihood | None]) -> dict[str, dict[str, float | None] | None]:
    return {
        f"{side}_likelihood": None
        if each is None
        else {
            "perplexity": each.perplexity,
            "nats_per_token": each.nats_per_token,
            "n_tokens": each.n_tokens,
            "is_end_scored": each.is_end_scored,
        }
        for side, each in found.items()
    }
