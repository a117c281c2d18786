"""DiBiMT: does a translation system pick the right sense of an ambiguous English word?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.benchmark import BenchmarkSettings, Case, CheckReport, Item, Outcome, Selection
from benchmarks.dibimt import data, translation
from benchmarks.dibimt.baselines import (
    FIRST_SENSE,
    WSD,
    baseline_outcome,
    baseline_values,
    read_predictions,
)
from benchmarks.dibimt.check import check
from benchmarks.dibimt.judge import Judge
from benchmarks.dibimt.model_errors import (
    error_requests,
    error_variants,
    judge_errors,
    prompt_hashes,
)
from benchmarks.dibimt.pairing import draw_pairs
from benchmarks.dibimt.prompts import VERSION
from benchmarks.dibimt.settings import DibimtSettings
from benchmarks.dibimt.translation import check_own_templates
from benchmarks.dibimt.translations import files_of, read_translations
from benchmarks.errors import SettingError, UnknownNameError
from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response, TextResponse
from benchmarks.translation_prompts import unused_style
from languages.errors import LanguageError
from languages.lemmatisation import Lemmatiser, open_lemmatiser

TRANSLATE, MODEL_ERRORS = "translate", "model_errors"


class Dibimt:
    """One item is an English sentence and a target language.

    Source: Campolungo et al. 2022.
    """

    name: ClassVar[str] = "dibimt"
    title: ClassVar[str] = "DiBiMT: word-sense biases of machine translation"
    paper: ClassVar[str] = "Campolungo et al. 2022 (ACL 2022, pages 4331-4352)"
    unit: ClassVar[str] = "lemma"
    tasks: ClassVar[tuple[str, ...]] = (TRANSLATE, MODEL_ERRORS)
    prompt_version: ClassVar[str] = VERSION
    judge_version: ClassVar[str] = "1"
    settings_class: ClassVar[type[BenchmarkSettings]] = DibimtSettings
    settings: DibimtSettings
    sample: ClassVar[Path] = Path(__file__).parent / "sample"

    def __init__(self, settings: BenchmarkSettings) -> None:
        """Bind the settings.

        Raises:
            SettingError: The lemmatiser does not exist or is not installed.
        """
        self.settings = DibimtSettings.model_validate(settings.model_dump(exclude_unset=True))
        try:
            self._lemmatiser: Lemmatiser = open_lemmatiser(self.settings.lemmatiser)
        except LanguageError as error:
            raise SettingError(str(error)) from error
        self._judge = Judge(
            self._lemmatiser,
            match_pos=self.settings.match_pos == "on",
            surface=self.settings.surface,
            ambiguous=self.settings.ambiguous,
        )

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The checksum of every template this run may ask with."""
        return prompt_hashes(self.settings)

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return the one kind that a task sends."""
        if task == MODEL_ERRORS:
            return frozenset({RequestKind.LOG_PROB})
        return frozenset({translation.kind(self.settings)})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return the prompt styles of a task; a translation system is asked once."""
        if task == MODEL_ERRORS:
            return error_variants(self.settings)
        return translation.variants(self.settings)

    def languages(self, folder: Path) -> tuple[str, ...]:
        """Return the target languages, the paper's five first."""
        return data.languages_of(folder)

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        """Return every file that items are read from."""
        predictions = [Path(self.settings.wsd_file)] if self.settings.wsd_file else []
        return [folder / data.ITEMS, folder / data.SENSES, *files_of(folder), *predictions]

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        """Read items, language by language, each in the order of the file.

        Raises:
            DataError: A file is missing, or a line is not as the README says.
            UnknownNameError: A language the folder does not have.
            SettingError: The lemmatiser cannot serve a language, or a system has no translations.
        """
        languages = data.chosen_languages(folder, selection.languages)
        rows = data.read_rows(folder, languages)
        for language in languages:
            self._check_lemmatiser(language, rows)
        predictions = self._predictions()
        translations = read_translations(folder, self.settings.system, self.settings.priority)
        for language in languages:
            items = list(data.items(rows, language))
            pairs: Mapping[str, Any] = {}
            if translations is not None:
                n_errors, seed = self.settings.n_errors, self.settings.error_seed
                pairs = draw_pairs(items, translations, self._judge, n_errors, seed)
            for item in items[: selection.limit]:
                yield _complete(item, predictions, pairs)

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        """Hold the data against the paper's counts and the rules items were made by.

        Raises:
            DataError: A file is missing, or a line is not as the README says.
        """
        chosen = data.chosen_languages(folder, languages)
        read_translations(folder, self.settings.system, self.settings.priority)
        return check(folder / data.ITEMS, data.read_rows(folder, chosen), chosen)

    def cautions(
        self, folder: Path, languages: Sequence[str], tasks: Sequence[str]
    ) -> Sequence[str]:
        """Say where a prompt style does nothing.

        Raises:
            SettingError: It does nothing in the whole run, or a prompt file lacks a template.
        """
        check_own_templates(self.settings, tasks)
        default = DibimtSettings.model_fields["prompt_style"].default
        style, by = self.settings.prompt_style, self.settings.translate_by
        return unused_style(style, by, default, tasks)

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        """Return the translation to be made, or the two translations to be scored."""
        if case.task == MODEL_ERRORS:
            return error_requests(case, self.settings)
        return (translation.request(case, self.settings),)

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        """Return nothing: nobody is asked twice."""
        return ()

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome:
        """Decide what the translation is worth (an empty one is a MISS), or which is likelier."""
        if case.task == MODEL_ERRORS:
            return judge_errors(case, responses)
        response = responses[""]
        if not isinstance(response, TextResponse):
            raise TypeError(f"a translation is a text, not a {type(response).__name__}")
        outcome = self._judge.judge(case.item, response.text)
        return replace(outcome, baselines=baseline_values(case.item))

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        """Return first-sense and, where there is a file of predictions, its system."""
        names = (FIRST_SENSE, WSD) if self.settings.wsd_file else (FIRST_SENSE,)
        return dict.fromkeys(names, (TRANSLATE,))

    def baseline(self, case: Case, name: str) -> Outcome:
        """Answer by word-sense disambiguation alone.

        Raises:
            UnknownNameError: There is no such baseline.
        """
        if name not in self.baselines():
            allowed = ", ".join(self.baselines())
            raise UnknownNameError(f"unknown baseline {name!r} of dibimt; allowed: {allowed}")
        return baseline_outcome(case.item, name)

    def _predictions(self) -> Mapping[str, str] | None:
        return read_predictions(Path(self.settings.wsd_file)) if self.settings.wsd_file else None

    def _check_lemmatiser(self, language: str, rows: Sequence[data.Row]) -> None:
        """Refuse at the start what would else fail, or quietly do nothing, at every item."""
        text = data.any_lemma(rows, language)
        try:
            tokens = self._lemmatiser.lemmas(text, language)
        except LanguageError as error:
            raise SettingError(str(error)) from error
        if self.settings.match_pos == "on" and all(token.upos is None for token in tokens):
            raise SettingError(
                f"match_pos=on needs parts of speech, and the lemmatiser"
                f" {self.settings.lemmatiser!r} gives none for {language!r}; stanza does"
            )


def _complete(item: Item, predictions: Mapping[str, str] | None, pairs: Mapping[str, Any]) -> Item:
    """Return an item with what a predictions file and other systems' translations add to it."""
    more: dict[str, Any] = {}
    if predictions is not None:
        more["predicted"] = predictions.get(item.id)
    if item.id in pairs:
        more["pair"] = pairs[item.id]
    return replace(item, fields={**item.fields, **more}) if more else item
