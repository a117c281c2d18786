"""Rules of DTAiLS, written by a model: concept by concept, up to three tries, through the cache."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.dtails.data import TRAIN, chosen_languages, language_folder
from benchmarks.dtails.rules import RulesDialogue, language_rules, read_prompts, rules_dialogue
from benchmarks.dtails.rules_artefact import ConceptRules, RulesArtefact
from benchmarks.dtails.rules_prompts import VERSION, RulesPrompt
from benchmarks.dtails.settings import DtailsSettings
from benchmarks.requests import GenerateRequest
from benchmarks.responses import TextResponse
from orchestrator.ask import Asker
from orchestrator.providers.provider import Answer, Unanswered
from services.cli.asking import name_of, open_generator
from services.cli.exits import UsageError
from services.cli.store import open_store
from services.home import Home

N_AT_ONCE = 8
"""Concepts whose requests go to the model in one call."""
OnConcepts = Callable[[int], None]
"""Called with the number of concepts that have just been done."""
Prompts = Mapping[str, Mapping[str, RulesPrompt]]
"""By language and concept."""


@dataclass(frozen=True)
class RulesJob:
    """Whose rules are made from what, by which model."""

    data: Path
    languages: Sequence[str]
    """Empty: all of the data."""
    model: str
    settings: DtailsSettings


@dataclass
class Dialogues:
    """The conversations about some concepts, as far as they have come."""

    open: dict[str, tuple[RulesDialogue, GenerateRequest]] = field(default_factory=dict)
    """By concept, with the request that waits for an answer."""
    last_texts: dict[str, str] = field(default_factory=dict)
    done: dict[str, ConceptRules] = field(default_factory=dict)
    unanswered: dict[str, str] = field(default_factory=dict)
    """Why there is no answer, by request key."""

    def start(self, concept: str, dialogue: RulesDialogue) -> None:
        """Begin a conversation."""
        self.open[concept] = (dialogue, next(dialogue))

    def hear(self, concept: str, answer: Answer) -> None:
        """Go on with an answer; where a recording lacks a retry, the answer before it stands."""
        dialogue, request = self.open.pop(concept)
        if isinstance(answer, Unanswered):
            is_retry = not answer.is_recorded and concept in self.last_texts
            text = self.last_texts[concept] if is_retry else None
        else:
            text = answer.text if isinstance(answer, TextResponse) else None
        if text is None:
            self.unanswered[request.key] = getattr(answer, "detail", "the answer is no text")
            return
        self.last_texts[concept] = text
        try:
            self.open[concept] = (dialogue, dialogue.send(text))
        except StopIteration as end:
            self.done[concept] = end.value


def read_all_prompts(job: RulesJob) -> Prompts:
    """Return the prompt of every concept of every language.

    Raises:
        BenchmarkError: The data lack a language or cannot be read.
        UsageError: A language has no train file, so that no sentence could be shown.
    """
    languages = chosen_languages(job.data, job.languages)
    files = {language: language_folder(job.data, language) / TRAIN for language in languages}
    missing = [language for language, file in files.items() if not file.is_file()]
    if missing and job.settings.rules_sentences:
        rest = ", ".join(language for language in languages if language not in missing) or "none"
        raise UsageError(
            f"no {files[missing[0]]}: rules for {', '.join(missing)} would rest on no sentence;"
            f" languages with a train file: {rest}; rules_sentences=0 asks for rules from memory"
        )
    return {language: read_prompts(job.data, language, job.settings) for language in languages}


async def make_rules(
    home: Home, job: RulesJob, prompts: Prompts, on_concepts: OnConcepts
) -> tuple[RulesArtefact, dict[str, str]]:
    """Ask a model for the rules of every concept.

    Returns:
        The rules, and why a request had no answer, by key; its concept is left out of the rules.

    Raises:
        UsageError: The model cannot generate.
        ProviderUnavailableError: The model cannot be reached.
    """
    unanswered: dict[str, str] = {}
    languages = {}
    async with open_store(home) as database, open_generator(home, job.model) as provider:
        asker = Asker(database, provider)
        for language, found in prompts.items():
            dialogues = Dialogues()
            concepts = list(found)
            for first in range(0, len(concepts), N_AT_ONCE):
                chunk = concepts[first : first + N_AT_ONCE]
                for concept in chunk:
                    dialogues.start(concept, rules_dialogue(found[concept], language, job.settings))
                await _talk(asker, dialogues)
                on_concepts(len(chunk))
            unanswered |= dialogues.unanswered
            languages[language] = language_rules(job.data, language, job.settings, dialogues.done)
        author = name_of(provider)
    return RulesArtefact(author=author, prompt_version=VERSION, languages=languages), unanswered


async def _talk(asker: Asker, dialogues: Dialogues) -> None:
    """Ask what waits for an answer until nothing does."""
    while dialogues.open:
        waiting = {concept: request for concept, (_, request) in dialogues.open.items()}
        answered = await asker.ask(list(waiting.values()))
        for concept, request in waiting.items():
            dialogues.hear(concept, answered[request.key].answer)
