"""Lexical selection as a conversation: rules if the model is to write them, question, one retry."""

from collections.abc import Mapping

from benchmarks.benchmark import Case, Item
from benchmarks.dtails.answers import marked_text
from benchmarks.dtails.names import language_name
from benchmarks.dtails.prompts import STYLES, Templates, messages, own_templates, shuffled
from benchmarks.dtails.rules import rules_request
from benchmarks.dtails.rules_artefact import rules_text
from benchmarks.dtails.rules_prompts import (
    MAX_TRIES,
    RulesFormatError,
    RulesPrompt,
    parse_rules,
)
from benchmarks.dtails.settings import DtailsSettings
from benchmarks.requests import GenerateRequest, Request
from benchmarks.responses import Response, TextResponse

RETRY = "/retry"
INVALID = "invalid"
"""Stands for the rules of a concept whose every try failed."""


def styles(settings: DtailsSettings) -> tuple[str, ...]:
    """Return the prompt styles of a run, the headline's first."""
    if settings.prompt_style != "all":
        return (settings.prompt_style,)
    return (*STYLES, "file") if settings.prompt_file else tuple(STYLES)


def templates_of(style: str, settings: DtailsSettings) -> Templates:
    """Return the templates of a style."""
    return own_templates(settings.prompt_file) if style == "file" else STYLES[style]


def templates_for(case: Case, settings: DtailsSettings) -> Templates:
    """Return the templates that a case is asked with."""
    return templates_of(style_of(case.variant) or styles(settings)[0], settings)


def style_of(variant: str) -> str:
    """Return the style in a variant's name (`seed1.short`, `short`); empty for the headline's."""
    return variant.partition(".")[2] if variant.startswith("seed") else variant


def variant_name(seed: int, style: str, settings: DtailsSettings) -> str:
    """Return `seed1`, or `seed1.short` for a style that is not the headline's."""
    return f"seed{seed}" if style == styles(settings)[0] else f"seed{seed}.{style}"


def shown_variations(case: Case) -> list[str]:
    """Return the variations in the order the case shows them."""
    seed = int(case.variant.partition(".")[0].removeprefix("seed"))
    item = case.item
    return shuffled(item.fields["variations"], seed, item.language, item.id)


def next_requests(
    case: Case, responses: Mapping[str, Response], settings: DtailsSettings
) -> tuple[Request, ...]:
    """Return what is to be asked next, given what was answered so far; nothing at the end."""
    rules: str | None = None
    if "rules_prompt" in case.item.fields:
        errors, rules = read_rules(case.item, responses)
        if rules is None:
            prompt = rules_prompt(case.item)
            return (rules_request(prompt, case.item.language, errors, settings),)
    elif "rules" in case.item.fields:
        rules = case.item.fields["rules"] or INVALID
    if rules == INVALID:
        if settings.invalid_rules == "unscored":
            return ()
        rules = None
    first = responses.get(case.variant)
    if first is None:
        return (_question(case, rules, settings, is_retry=False),)
    if case.variant + RETRY in responses or marked_text(text_of(first)) is not None:
        return ()
    return (_question(case, rules, settings, is_retry=True),)


def rules_prompt(item: Item) -> RulesPrompt:
    """Return the prompt that an item carries for its concept's rules."""
    fields = item.fields["rules_prompt"]
    return RulesPrompt(**{**fields, "variations": tuple(fields["variations"])})


def read_rules(item: Item, responses: Mapping[str, Response]) -> tuple[list[str], str | None]:
    """Return the errors of the tries so far, and the rules: None while a try is left."""
    errors: list[str] = []
    while len(errors) < MAX_TRIES:
        answer = responses.get("rules" + RETRY * len(errors))
        if answer is None:
            return errors, None
        try:
            found = parse_rules(text_of(answer), item.fields["variations"])
        except RulesFormatError as error:
            errors.append(str(error))
            continue
        return errors, rules_text(found)
    return errors, INVALID


def text_of(response: Response) -> str:
    """Return a generated or translated text."""
    if not isinstance(response, TextResponse):
        raise TypeError(f"expected a text, met {type(response).__name__}")
    return response.text


def _question(
    case: Case, rules: str | None, settings: DtailsSettings, *, is_retry: bool
) -> GenerateRequest:
    item, variant = case.item, case.variant
    values = {
        "concept": item.unit,
        "source": item.fields["source"],
        "variations": str(shown_variations(case)),
        "language": language_name(item.language),
    }
    if rules is not None:
        values["rules"] = rules
    suffix = RETRY if is_retry else ""
    return GenerateRequest(
        key=f"dtails/select/{item.language}/{item.id}/{variant}{suffix}",
        part=variant + suffix,
        messages=messages(
            templates_for(case, settings),
            values,
            has_system_role=settings.system_role == "on",
            retry=settings.retry_position if is_retry else "",
        ),
        max_new_tokens=settings.max_new_tokens,
    )
