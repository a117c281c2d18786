"""Which requests does a case need? Two sentences, or one prompt in both orders of its options."""

from dataclasses import dataclass

from benchmarks.benchmark import Case
from benchmarks.requests import HiddenStatesRequest, LogProbRequest, Request
from benchmarks.xcomps.prompts import LABELS, Choice, prompt_of
from benchmarks.xcomps.settings import XcompsSettings
from benchmarks.xcomps.shared_part import GAP, shared_part

SENTENCE_PARTS = ("acceptable", "unacceptable")
ORDER_PARTS = ("order1", "order2")
"""order1 shows the acceptable sentence first, order2 the other."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a case cannot be asked."""

    reason: str
    is_left_out: bool = False
    """Whether the case has no right answer; it then counts neither as asked nor as unscored."""


IDENTICAL = Refusal("the two sentences are identical", is_left_out=True)
NO_OPTIONS = Refusal("the two options cannot be found in the sentences")
NO_TEMPLATE = Refusal("no Meta template for this language")
NO_SHARED_PHRASE = Refusal("the sentences share no phrase after their concepts")

Asked = tuple[Request, ...] | Refusal


def requests_of(case: Case, settings: XcompsSettings) -> Asked:
    """Return the requests of a case, or why it has none."""
    if case.item.fields["is_identical"]:
        return IDENTICAL
    match case.task:
        case "meta":
            return _meta(case, settings)
        case "neuro":
            return _neuro(case, settings)
        case _:
            return _direct(case, settings)


def variants(task: str, settings: XcompsSettings) -> tuple[str, ...]:
    """Return the prompt styles of the Meta task; the run's own is the empty variant, first."""
    if task != "meta" or settings.prompt_style != "all":
        return ("",)
    other = "labels" if settings.options == "concepts" else "concepts"
    return ("", other, *(("file",) if settings.prompt_file else ()))


def style_of(case: Case, settings: XcompsSettings) -> str:
    """Return the prompt style a variant stands for: concepts, labels or file."""
    return case.variant or ("file" if settings.prompt_style == "file" else settings.options)


def scored_texts(case: Case, settings: XcompsSettings) -> tuple[str, str] | None:
    """Return the text of each sentence that the Direct task scores; None where there is none."""
    found = _scored(case, settings)
    return None if found is None else (found[0][1], found[1][1])


def _key(case: Case, part: str) -> str:
    item = case.item
    names = ("xcomps", case.task, item.language, item.id, part, case.variant)
    return "/".join(filter(None, names))


def _direct(case: Case, settings: XcompsSettings) -> Asked:
    scored = _scored(case, settings)
    if scored is None:
        return NO_SHARED_PHRASE
    return tuple(
        LogProbRequest(
            key=_key(case, part),
            part=part,
            context=context,
            continuations=(f" {text}" if context and joiner else text,),
            bos_policy=settings.bos_policy,
        )
        for part, (context, text, joiner) in zip(SENTENCE_PARTS, scored, strict=True)
    )


def _scored(case: Case, settings: XcompsSettings) -> list[tuple[str, str, str]] | None:
    """Return context, scored text and what joins them, for each sentence."""
    fields, language = case.item.fields, case.item.language
    if settings.scoring == "sentence":
        return [("", text, "") for text in fields["sentences"]]
    shared = shared_part(fields["sentences"][0], fields["sentences"][1], language)
    if fields["prefixes"] and fields["phrase"]:
        return [(prefix, fields["phrase"], shared.joiner) for prefix in fields["prefixes"]]
    if not (shared.suffix and all(shared.options)):
        return None
    contexts = [
        shared.joiner.join(filter(None, (shared.prefix, option))) for option in shared.options
    ]
    return [(context, shared.suffix, shared.joiner) for context in contexts]


def _neuro(case: Case, settings: XcompsSettings) -> Asked:
    return tuple(
        HiddenStatesRequest(
            key=_key(case, part),
            part=part,
            text=text[:-1] if settings.drop_full_stop else text,
            pooling="last",
            bos_policy=settings.bos_policy,
        )
        for part, text in zip(SENTENCE_PARTS, case.item.fields["sentences"], strict=True)
    )


def _meta(case: Case, settings: XcompsSettings) -> Asked:
    fields = case.item.fields
    choice = _choice(case, is_labelled=_is_labelled(case, settings))
    if choice is None:
        return NO_OPTIONS
    first, second = fields["sentences"]
    turned = Choice((second, first), choice.options[::-1], choice.gapped)
    found = [
        _meta_request(case, settings, part, shown)
        for part, shown in zip(ORDER_PARTS, (choice, turned), strict=True)
    ]
    asked = tuple(request for request in found if request is not None)
    return asked if len(asked) == len(found) else NO_TEMPLATE


def _choice(case: Case, *, is_labelled: bool) -> Choice | None:
    """Return what the first order shows; None where the options cannot be told apart."""
    fields = case.item.fields
    first, second = fields["sentences"]
    shared = shared_part(first, second, case.item.language)
    gapped = shared.gapped
    if gapped == GAP and fields["phrase"]:
        gapped = shared.joiner.join((GAP, fields["phrase"]))
    if is_labelled:
        return Choice((first, second), (first, second), gapped)
    if not fields["concepts"] and not shared.has_both_options:
        return None
    acceptable, unacceptable = fields["concepts"] or shared.options
    if acceptable == unacceptable:
        return None
    return Choice((first, second), (acceptable, unacceptable), gapped)


def _is_labelled(case: Case, settings: XcompsSettings) -> bool:
    style = style_of(case, settings)
    return style == "labels" or (style == "file" and settings.options == "labels")


def _meta_request(
    case: Case, settings: XcompsSettings, part: str, choice: Choice
) -> LogProbRequest | None:
    style = style_of(case, settings)
    shown = LABELS if _is_labelled(case, settings) else choice.options
    filled = Choice(choice.sentences, shown, choice.gapped)
    prompt = prompt_of(case.item.language, style, filled, settings.prompt_file)
    if prompt is None:
        return None
    is_chat = settings.chat_template
    return LogProbRequest(
        key=_key(case, part),
        part=part,
        context=prompt.question if is_chat else prompt.question + prompt.cue,
        continuations=tuple(text if is_chat else prompt.joiner + text for text in shown),
        bos_policy=settings.bos_policy,
        chat_template=is_chat,
    )
