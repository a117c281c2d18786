"""Make rules: one conversation a concept, up to three tries, driven by whoever can reach a model.

`rules_dialogue` is a generator: it yields a request and is sent the answer's text, until it returns
the concept's rules. `answer_all` in the tests shows the few lines that drive it.
"""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

from benchmarks.dtails.data import EXPERT, TRAIN, Row, language_folder, read_rows
from benchmarks.dtails.rules_artefact import ConceptRules, LanguageRules
from benchmarks.dtails.rules_prompts import (
    MAX_NEW_TOKENS,
    MAX_TRIES,
    NO_REPEAT_NGRAM_SIZE,
    CountTokens,
    RulesFormatError,
    RulesPrompt,
    choose_sentences,
    count_words_and_marks,
    make_prompt,
    parse_rules,
)
from benchmarks.dtails.settings import DtailsSettings
from benchmarks.requests import GenerateRequest

RulesDialogue = Generator[GenerateRequest, str, ConceptRules]


def read_prompts(
    folder: Path,
    language: str,
    settings: DtailsSettings,
    count_tokens: CountTokens = count_words_and_marks,
) -> dict[str, RulesPrompt]:
    """Return the prompt of every concept of a language, in the order of its expert file.

    Sentences come from the train file; those that also stand in the expert file are left out.
    Without a train file the prompts show no sentences.

    Raises:
        DataError: A file cannot be read.
    """
    place = language_folder(folder, language)
    expert = read_rows(place / EXPERT)
    train = read_rows(place / TRAIN) if (place / TRAIN).is_file() else []
    tested = {(row.concept, row.source) for row in expert}
    seen = [row for row in train if (row.concept, row.source) not in tested]
    limits = (settings.rules_sentences, settings.rules_max_tokens)
    return {
        concept: make_prompt(
            concept, language, choose_sentences(seen, concept, variations, limits, count_tokens)
        )
        for concept, variations in variations_by_concept(expert).items()
    }


def variations_by_concept(rows: Sequence[Row]) -> dict[str, tuple[str, ...]]:
    """Return each concept's variations as they stand in its first row."""
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        found.setdefault(row.concept, row.variations)
    return found


def rules_request(
    prompt: RulesPrompt, language: str, errors: Sequence[str], settings: DtailsSettings
) -> GenerateRequest:
    """Return the request of the next try.

    Args:
        prompt: What to ask.
        language: Of the concept; part of the key.
        errors: What was wrong with each earlier try.
        settings: Whether the model has a system role.
    """
    retries = "/retry" * len(errors)
    return GenerateRequest(
        key=f"dtails/rules/{language}/{prompt.concept}{retries}",
        part=f"rules{retries}",
        messages=prompt.messages(errors, has_system_role=settings.system_role == "on"),
        max_new_tokens=MAX_NEW_TOKENS,
        no_repeat_ngram_size=NO_REPEAT_NGRAM_SIZE,
    )


def rules_dialogue(prompt: RulesPrompt, language: str, settings: DtailsSettings) -> RulesDialogue:
    """Yield requests, be sent the texts of their answers, return the concept's rules."""
    errors: list[str] = []
    while True:
        text = yield rules_request(prompt, language, errors, settings)
        try:
            rules = parse_rules(text, prompt.variations)
        except RulesFormatError as error:
            errors.append(str(error))
            if len(errors) < MAX_TRIES:
                continue
            return _concept_rules(prompt, None, errors)
        return _concept_rules(prompt, rules, errors)


def _concept_rules(
    prompt: RulesPrompt, rules: dict[str, str] | None, errors: Sequence[str]
) -> ConceptRules:
    return ConceptRules(
        variations=prompt.variations,
        rules=rules,
        error=errors[-1] if errors else None,
        n_tries=len(errors) + (rules is not None),
        n_sentences=prompt.n_sentences,
    )


def train_sha256(folder: Path, language: str) -> str | None:
    """Return the checksum of a language's train file; None where there is none."""
    train = language_folder(folder, language) / TRAIN
    return hashlib.sha256(train.read_bytes()).hexdigest() if train.is_file() else None


def language_rules(
    folder: Path, language: str, settings: DtailsSettings, concepts: Mapping[str, ConceptRules]
) -> LanguageRules:
    """Put a language's rules together with what they were made from."""
    return LanguageRules(
        data_sha256=train_sha256(folder, language),
        settings={
            "rules_sentences": settings.rules_sentences,
            "rules_max_tokens": settings.rules_max_tokens,
            "system_role": settings.system_role,
        },
        concepts=dict(concepts),
    )
