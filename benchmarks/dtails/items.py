"""Make items of a language's expert rows, each with all that is needed to ask and judge it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Item
from benchmarks.dtails.data import EXPERT, TRAIN, Row, language_folder, read_rows
from benchmarks.dtails.frequency import most_frequent, read_label_counts
from benchmarks.dtails.rules import read_prompts, train_sha256, variations_by_concept
from benchmarks.dtails.rules_artefact import read_artefact, rules_of
from benchmarks.dtails.settings import DtailsSettings

Extras = Mapping[str, Mapping[str, Any]]
"""By concept: fields that its items have besides those of their rows."""


def read_items(
    folder: Path, language: str, limit: int | None, settings: DtailsSettings
) -> Iterator[Item]:
    """Yield a language's items; the frequency baseline counts whole files whatever the limit.

    Raises:
        DataError: A file is missing, or a row is not as its authors lay it out.
        SettingError: The rules do not fit.
    """
    place = language_folder(folder, language)
    rows = read_rows(place / EXPERT)
    counts = read_label_counts(place, settings.frequency_from)
    extras = _rules_fields(folder, language, rows[:limit], settings)
    for row in rows[:limit]:
        frequency = most_frequent(row.variations, counts.get(row.concept, {}))
        fields = {
            "source": row.source,
            "target": row.target,
            "variations": list(row.variations),
            "label": row.label,
            "frequency": frequency,
            **extras.get(row.concept, {}),
        }
        yield Item(str(row.number), language, None, row.concept, fields)


def rules_cautions(folder: Path, languages: Sequence[str], settings: DtailsSettings) -> list[str]:
    """Return what a user should know of the rules artefact a run reads, language by language.

    Raises:
        SettingError: It cannot be read. What it lacks is told when items are read.
    """
    path = Path(settings.rules)
    artefact = read_artefact(path)
    found = []
    for language in languages:
        if language not in artefact.languages:
            continue
        known = artefact.languages[language]
        place = language_folder(folder, language)
        asked = variations_by_concept(read_rows(place / EXPERT))
        rules = [each.rules for concept, each in known.concepts.items() if concept in asked]
        n_usable = sum(each is not None for each in rules)
        if n_usable < len(rules):
            become = "asked without" if settings.invalid_rules == "plain" else "unscored"
            found.append(
                f"rules={path}: {n_usable} of {len(rules)} concepts in {language} have usable"
                f" rules; the others are {become} (invalid_rules={settings.invalid_rules})"
            )
        if known.data_sha256 != train_sha256(folder, language):
            found.append(
                f"rules={path}: those for {language} were made from another train file than"
                f" {place / TRAIN}"
            )
    return found


def _rules_fields(
    folder: Path, language: str, rows: Sequence[Row], settings: DtailsSettings
) -> Extras:
    """Return `rules` (a text, or None: invalid), or `rules_prompt` where they are to be made."""
    if settings.rules == "none":
        return {}
    if settings.rules == "self":
        made = read_prompts(folder, language, settings)
        return {concept: {"rules_prompt": asdict(prompt)} for concept, prompt in made.items()}
    path = Path(settings.rules)
    texts = rules_of(read_artefact(path), path, language, variations_by_concept(rows))
    return {concept: {"rules": text} for concept, text in texts.items()}
