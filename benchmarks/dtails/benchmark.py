"""DTAiLS: which of several translations of a word fits its sentence? Barua et al. 2024.

Two tasks: `select` shows the variations to a model that generates; `translate` looks for them in a
translation. Known gap: the released rules were written by GPT-4 and are not part of the data, so
another model's rules are a file that a run is given.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar

from benchmarks.benchmark import BenchmarkSettings, Case, CheckReport, Item, Outcome, Selection
from benchmarks.dtails import check, judge, prompts, selection
from benchmarks.dtails.data import EXPERT, TRAIN, chosen_languages, find_languages, language_folder
from benchmarks.dtails.frequency import counted_files
from benchmarks.dtails.items import read_items, rules_cautions
from benchmarks.dtails.names import SOURCE_CODE, language_name
from benchmarks.dtails.settings import DtailsSettings
from benchmarks.errors import UnknownNameError
from benchmarks.prompt_file import template_hash
from benchmarks.requests import Request, RequestKind, TranslateRequest
from benchmarks.responses import Response
from benchmarks.translation_prompts import translation_request, unused_style

SEEDS = (1, 2, 3)


class Dtails:
    """Lexical selection with variations of a concept."""

    name: ClassVar[str] = "dtails"
    title: ClassVar[str] = "DTAiLS: lexical selection in translation"
    paper: ClassVar[str] = "Barua et al. 2024 (arXiv:2411.05781)"
    unit: ClassVar[str] = "concept"
    tasks: ClassVar[tuple[str, ...]] = ("select", "translate")
    prompt_version: ClassVar[str] = prompts.VERSION
    judge_version: ClassVar[str] = judge.VERSION
    settings_class: ClassVar[type[BenchmarkSettings]] = DtailsSettings
    sample: ClassVar[Path] = Path(__file__).parent / "sample"
    settings: BenchmarkSettings

    def __init__(self, settings: BenchmarkSettings) -> None:
        """Bind the settings.

        Raises:
            SettingError: The lemmatiser does not exist or is not installed.
        """
        self.settings = self._chosen = DtailsSettings.model_validate(settings.model_dump())
        judge.lemmatiser_of(self._chosen)

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The checksum of every template this run may ask with."""
        return {
            f"{style}/{name}": template_hash(text)
            for style in selection.styles(self._chosen)
            for name, text in asdict(selection.templates_of(style, self._chosen)).items()
        }

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return the kinds of request the task sends under these settings."""
        if task == "select" or self._chosen.translate_by == "generation":
            return frozenset({RequestKind.GENERATE})
        return frozenset({RequestKind.TRANSLATE})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return one variant a style, and for `select`, which shuffles what it shows, a seed."""
        if task == "translate":
            is_asked = self._chosen.translate_by == "generation"
            return ("", *selection.styles(self._chosen)[1:]) if is_asked else ("",)
        seeds = SEEDS if seed is None else (seed,)
        return tuple(
            selection.variant_name(number, style, self._chosen)
            for style in selection.styles(self._chosen)
            for number in seeds
        )

    def languages(self, folder: Path) -> tuple[str, ...]:
        """Return the languages with an expert file, sorted."""
        return find_languages(folder)

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        """Return every file that items of these languages are read from."""
        found: list[Path] = []
        for language in languages:
            place = language_folder(folder, language)
            counted = counted_files(place, self._chosen.frequency_from)
            train = place / TRAIN
            shown = [train] if self._chosen.rules == "self" and train.is_file() else []
            found += dict.fromkeys([place / EXPERT, *counted, *shown])
        if self._chosen.rules not in {"none", "self"}:
            found.append(Path(self._chosen.rules))
        return found

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        """Read items in data order, language by language."""
        for language in chosen_languages(folder, selection.languages):
            yield from read_items(folder, language, selection.limit, self._chosen)

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        """Lint the data: counts against the paper's, leakage, suspicious rows."""
        return check.report(folder, chosen_languages(folder, languages))

    def cautions(
        self, folder: Path, languages: Sequence[str], tasks: Sequence[str]
    ) -> Sequence[str]:
        """Say where rules are missing or come from other data, or a style does nothing.

        Raises:
            SettingError: A prompt style does nothing in the whole run, or the rules do not fit.
        """
        chosen = self._chosen
        default = type(chosen).model_fields["prompt_style"].default
        found = unused_style(chosen.prompt_style, chosen.translate_by, default, tasks)
        if "select" in tasks and chosen.rules not in {"none", "self"}:
            found += rules_cautions(folder, languages, chosen)
        return found

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        """Return what must be asked first; the run's seed is in the variant's name."""
        del seed
        if case.task == "select":
            return selection.next_requests(case, {}, self._chosen)
        return (self._translation(case),)

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        """Return the next try for rules, the question itself once they are there, or its retry."""
        del seed
        return (
            selection.next_requests(case, responses, self._chosen) if case.task == "select" else ()
        )

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome:
        """Decide what the responses are worth."""
        del seed
        if case.task == "select":
            return judge.judge_selection(case, responses, self._chosen)
        return judge.judge_translation(case.item, responses[""], self._chosen)

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        """Return the degenerate baselines and the tasks each one answers."""
        return {"frequency": ("select",), "chance": ("select",)}

    def baseline(self, case: Case, name: str) -> Outcome:
        """Answer a case without a model.

        Raises:
            UnknownNameError: There is no such baseline.
        """
        worth = judge.baseline_values(case.item)
        if name not in worth:
            raise UnknownNameError(f"unknown baseline {name!r}; allowed: {', '.join(worth)}")
        predicted = case.item.fields["frequency"] if name == "frequency" else None
        detail = {"predicted": predicted, "gold": case.item.fields["label"]}
        return Outcome(worth[name], detail=detail, baselines=worth)

    def _translation(self, case: Case) -> Request:
        item = case.item
        key = "/".join(filter(None, ("dtails", "translate", item.language, item.id, case.variant)))
        text = item.fields["source"]
        if self._chosen.translate_by == "translation":
            return TranslateRequest(
                key=key,
                text=text,
                source_language=SOURCE_CODE,
                target_language=item.language,
                n_beams=self._chosen.n_beams,
            )
        template = selection.templates_for(case, self._chosen).translation
        limit = self._chosen.max_new_tokens
        return translation_request(key, template, text, language_name(item.language), limit)
