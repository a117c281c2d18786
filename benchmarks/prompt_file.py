"""A user's own prompts: read once, checked, and carried inside the settings from then on.

Workers never see the user's files, so the setting `prompt_file` takes a path and keeps the content:
canonical JSON with one text a template. Where that JSON is given itself, it is taken as it is.
"""

import hashlib
import json
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.validation import read_problem

MAX_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class TemplateFields:
    """The names in curly brackets that a template must hold, and those it may hold."""

    required: frozenset[str]
    optional: frozenset[str] = frozenset()


def embed_prompts(
    value: str, templates: Mapping[str, TemplateFields], *, needs_all: bool = True
) -> str:
    """Return the content of a prompt file as canonical JSON; an empty value stays empty.

    Args:
        value: A path, or the JSON itself.
        templates: What each template of the file must hold, by its name.
        needs_all: Whether the file must hold every one of them, or just one.

    Raises:
        ValueError: The file cannot be read, lacks a template, or a template a field.
    """
    if not value.strip():
        return ""
    text = value if value.lstrip().startswith("{") else _read(Path(value))
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"prompt file of {len(text)} characters, limit {MAX_CHARACTERS}")
    prompts = _parse(text)
    is_known = bool(prompts) and set(prompts) <= set(templates)
    if not is_known or (needs_all and len(prompts) < len(templates)):
        raise ValueError(
            f"prompt file holds {', '.join(sorted(prompts)) or 'nothing'};"
            f" {'needed' if needs_all else 'allowed'}: {', '.join(templates)}"
        )
    for name, template in prompts.items():
        _check_template(name, template, templates[name])
    return json.dumps(prompts, ensure_ascii=False, sort_keys=True)


def read_embedded(value: str) -> Mapping[str, str]:
    """Return the templates of an embedded prompt file by name; none of an empty value."""
    return _parse(value) if value else {}


def template_hash(template: str) -> str:
    """Return the checksum by which a manifest names a template."""
    return hashlib.sha256(template.encode()).hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"prompt file {path} cannot be read: {read_problem(error)}") from error


def _parse(text: str) -> dict[str, str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"prompt file is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError("prompt file must be a JSON object: template name → text")
    for name, template in found.items():
        if not isinstance(template, str) or not template.strip():
            raise ValueError(f"prompt file: {name} must be a text that is not blank")
    return found


def _check_template(name: str, template: str, fields: TemplateFields) -> None:
    """Refuse anything in curly brackets but a plain, known name."""
    try:
        parts = [part for part in string.Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        raise ValueError(f"prompt file: {name}: {error}") from error
    found = {str(part[1]) for part in parts}
    allowed = fields.required | fields.optional
    if unknown := sorted(found - allowed) or [str(p[1]) for p in parts if p[2] or p[3]]:
        names = ", ".join(f"{{{field}}}" for field in sorted(allowed))
        raise ValueError(f"prompt file: {name} holds {{{unknown[0]}}}; allowed: {names}")
    if missing := sorted(fields.required - found):
        raise ValueError(f"prompt file: {name} lacks {{{missing[0]}}}")
