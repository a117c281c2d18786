"""Which request does a pair need? One a case: a comparison by an encoder, or a question.

A variant names a question that is not the default one: `scale`, `number.swapped`.
"""

from benchmarks.benchmark import Case
from benchmarks.requests import GenerateRequest, Request, SimilarityRequest
from benchmarks.semrel.prompts import DEFAULT_STYLE, rating_messages, styles
from benchmarks.semrel.settings import SemrelSettings

SWAPPED = "swapped"


def variants(settings: SemrelSettings) -> tuple[str, ...]:
    """Return the variants of a pair, the default style and order first."""
    if settings.inference != "rating" or settings.prompt_style != "all":
        return ("",)
    others = [name for name in styles(settings.prompt_file) if name != DEFAULT_STYLE]
    more = [variant for name in others for variant in (name, f"{name}.{SWAPPED}")]
    return ("", f"{DEFAULT_STYLE}.{SWAPPED}", *more)


def request_of(case: Case, settings: SemrelSettings) -> Request:
    """Return the one request of a case."""
    parts = ("semrel", case.task, case.item.language, case.item.id, case.variant)
    key = "/".join(filter(None, parts))
    text_a, text_b = case.item.fields["text_a"], case.item.fields["text_b"]
    if settings.inference == "similarity":
        return SimilarityRequest(
            key=key,
            text_a=text_a,
            text_b=text_b,
            measure=settings.measure,
            pooling=settings.pooling,
            layer=settings.layer,
        )
    default = DEFAULT_STYLE if settings.prompt_style == "all" else settings.prompt_style
    style, _, order = case.variant.partition(".")
    first, second = (text_b, text_a) if order == SWAPPED else (text_a, text_b)
    template = styles(settings.prompt_file)[style or default]
    return GenerateRequest(
        key=key,
        messages=rating_messages(template, first, second),
        max_new_tokens=settings.max_new_tokens,
        chat_template=settings.chat_template,
    )
