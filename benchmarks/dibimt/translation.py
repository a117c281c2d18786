"""Ask for a translation: of a translation system, or of a generating model in words."""

from collections.abc import Collection, Sequence

from benchmarks.benchmark import Case
from benchmarks.dibimt.prompts import LANGUAGE_NAMES, asked_styles, styles, translation_templates
from benchmarks.dibimt.settings import DibimtSettings
from benchmarks.dibimt.translations import key_of
from benchmarks.errors import SettingError
from benchmarks.requests import Request, RequestKind, TranslateRequest
from benchmarks.translation_prompts import translation_request


def kind(settings: DibimtSettings) -> RequestKind:
    """Return the kind of request that asks for a translation."""
    is_asked = settings.translate_by == "generation"
    return RequestKind.GENERATE if is_asked else RequestKind.TRANSLATE


def variants(settings: DibimtSettings) -> tuple[str, ...]:
    """Return the prompt styles to ask in; the headline's, and a system's only one, is empty."""
    if settings.translate_by == "translation":
        return ("",)
    return (
        "",
        *asked_styles(translation_templates(settings.prompt_file), settings.prompt_style)[1:],
    )


def request(case: Case, settings: DibimtSettings) -> Request:
    """Return what asks for the translation of a case."""
    item = case.item
    key = "/".join(filter(None, (key_of(item.language, item.id), case.variant)))
    text = item.fields["sentence"]
    if settings.translate_by == "translation":
        return TranslateRequest(
            key=key,
            text=text,
            source_language="en",
            target_language=item.language,
            n_beams=settings.n_beams,
        )
    templates = translation_templates(settings.prompt_file)
    own = "source" if settings.prompt_style == "all" else settings.prompt_style
    name = LANGUAGE_NAMES.get(item.language, item.language)
    template = templates.get(case.variant or own, templates["source"])
    return translation_request(key, template, text, name, settings.max_new_tokens)


def check_own_templates(settings: DibimtSettings, tasks: Sequence[str]) -> None:
    """Refuse a prompt file without the template of a task that is to be asked with it.

    Raises:
        SettingError: Names the task and the template.
    """
    if not settings.prompt_file:
        return
    needed: dict[str, tuple[str, Collection[str]]] = {
        "model_errors": ("model_errors", styles(settings.prompt_file))
    }
    if settings.translate_by == "generation":
        needed["translate"] = ("translation", translation_templates(settings.prompt_file))
    for task in tasks:
        template, found = needed.get(task, ("", {"file": ""}))
        if "file" not in found:
            raise SettingError(
                f"setting prompt_file: no template {template!r}, with which the task {task} asks;"
                " add it, or leave the task out with --task"
            )
