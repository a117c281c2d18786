"""Rules as a file: who wrote them, from which data, with which prompt; so that others may use them.

A JSON object: `schema`, `kind`, `author` (the model), `prompt_version`, and `languages`, each with
`data_sha256` (of the train file), `settings`, and `concepts`: variations, rules or null, the last
error, tries and sentences shown.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchmarks.errors import SettingError
from benchmarks.validation import first_problem


class ConceptRules(BaseModel):
    """The rules of one concept; None where every try failed and the concept is invalid."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variations: tuple[str, ...]
    rules: dict[str, str] | None
    error: str | None = None
    n_tries: int = Field(ge=1)
    n_sentences: int = Field(ge=0)

    @model_validator(mode="after")
    def _check_keys(self) -> "ConceptRules":
        if self.rules is not None and sorted(self.rules) != sorted(self.variations):
            raise ValueError(f"rules for {sorted(self.rules)}, allowed: {sorted(self.variations)}")
        return self


class LanguageRules(BaseModel):
    """The rules of one language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_sha256: str | None
    """Of the train file; None where there was none."""
    settings: dict[str, str | int]
    concepts: dict[str, ConceptRules]


class RulesArtefact(BaseModel):
    """A file of rules."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = Field(default=1, alias="schema")
    kind: Literal["dtails-rules"] = "dtails-rules"
    author: str
    """The model that wrote them, with its revision."""
    prompt_version: str
    languages: dict[str, LanguageRules]

    def to_json(self) -> str:
        """Return the file's text, the same for the same rules."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"


def read_artefact(path: Path) -> RulesArtefact:
    """Read a file of rules.

    Raises:
        SettingError: It is missing or is not a rules artefact.
    """
    try:
        return RulesArtefact.model_validate_json(path.read_bytes())
    except OSError as error:
        message = f"setting rules={path}: no such file; allowed: none, self, a rules artefact"
        raise SettingError(message) from error
    except ValidationError as error:
        message = f"setting rules={path}: not a rules artefact ({first_problem(error)})"
        raise SettingError(message) from error


def rules_of(
    artefact: RulesArtefact, path: Path, language: str, concepts: Mapping[str, Sequence[str]]
) -> dict[str, str | None]:
    """Return the text of each concept's rules as a prompt shows it; None where they are invalid.

    Args:
        artefact: The rules.
        path: Where they were read, for messages.
        language: Whose rules.
        concepts: From each concept asked about to its variations in the data.

    Raises:
        SettingError: The artefact lacks the language or a concept, or has other variations.
    """
    if language not in artefact.languages:
        has = ", ".join(artefact.languages) or "none"
        raise SettingError(f"setting rules={path}: no rules for {language!r}; it has: {has}")
    known = artefact.languages[language].concepts
    texts: dict[str, str | None] = {}
    for concept, variations in concepts.items():
        if concept not in known:
            raise SettingError(f"setting rules={path}: no rules for {concept!r} in {language}")
        found = known[concept]
        if sorted(found.variations) != sorted(variations):
            raise SettingError(
                f"setting rules={path}: {concept!r} in {language} has variations"
                f" {list(found.variations)}, but the data have {list(variations)}"
            )
        texts[concept] = None if found.rules is None else rules_text(found.rules)
    return texts


def rules_text(rules: Mapping[str, str]) -> str:
    """Return rules as the prompt shows them: the JSON object that the author model wrote."""
    return json.dumps(dict(rules), ensure_ascii=False)
