"""XCOMPS and COMPS: which of two concepts has a property, asked in three ways.

Source: He et al. 2025 (XCOMPS, arXiv:2502.19737); Misra et al. 2023 (COMPS, arXiv:2210.01963).
What we do otherwise stands in README.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.benchmark import BenchmarkSettings, Case, CheckReport, Item, Outcome, Selection
from benchmarks.prompt_file import template_hash
from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response
from benchmarks.xcomps import asking, judge
from benchmarks.xcomps.checks import check_folder
from benchmarks.xcomps.data import chosen_files, language_files, read_items
from benchmarks.xcomps.prompts import check_own_templates, prompt_version, template_texts
from benchmarks.xcomps.settings import XcompsSettings


class Xcomps:
    """XCOMPS bound to its settings."""

    name: ClassVar[str] = "xcomps"
    title: ClassVar[str] = "XCOMPS"
    paper: ClassVar[str] = "He et al. 2025 (arXiv:2502.19737)"
    unit: ClassVar[str] = "group"
    tasks: ClassVar[tuple[str, ...]] = ("direct", "meta", "neuro")
    concluded_tasks: ClassVar[tuple[str, ...]] = ("neuro",)
    prompt_version: ClassVar[str] = prompt_version()
    judge_version: ClassVar[str] = judge.JUDGE_VERSION
    settings_class: ClassVar[type[BenchmarkSettings]] = XcompsSettings
    sample: ClassVar[Path] = Path(__file__).parent / "sample"

    def __init__(self, settings: XcompsSettings | None = None) -> None:
        self.settings = settings or XcompsSettings()

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The checksum of every Meta template this run may ask with."""
        styles = {
            asking.style_of(Case(_NO_ITEM, "meta", variant), self.settings)
            for variant in self.variants("meta", None)
        }
        return {
            name: template_hash(text)
            for style in sorted(styles)
            for name, text in template_texts(style, self.settings.prompt_file).items()
        }

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return hidden_states for the probes, log_prob else."""
        is_neuro = task == "neuro"
        return frozenset({RequestKind.HIDDEN_STATES if is_neuro else RequestKind.LOG_PROB})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return one variant, or one a prompt style where all are asked."""
        return asking.variants(task, self.settings)

    def languages(self, folder: Path) -> tuple[str, ...]:
        """Return the languages the folder has."""
        return tuple(language_files(folder))

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        """Return the files of the chosen languages."""
        return [path for paths in chosen_files(folder, languages).values() for path in paths]

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        """Read pairs in data order; a limit keeps groups whole."""
        return read_items(folder, selection)

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        """Look for identical pairs, broken groups and repeated sentences."""
        return check_folder(folder, languages)

    def cautions(
        self, folder: Path, languages: Sequence[str], tasks: Sequence[str]
    ) -> Sequence[str]:
        """Return nothing; a prompt file must serve every language of the Meta task.

        Raises:
            SettingError: It does not; names the languages without a template.
        """
        if "meta" in tasks and self.settings.prompt_file:
            check_own_templates(self.settings.prompt_file, languages)
        return ()

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        """Return both sentences or both orders; nothing where the case cannot be asked."""
        asked = asking.requests_of(case, self.settings)
        return () if isinstance(asked, asking.Refusal) else asked

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        """Return nothing: no case is asked again."""
        return ()

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome | None:
        """Compare log-probabilities; what the probes say is left to `conclude`."""
        asked = asking.requests_of(case, self.settings)
        if isinstance(asked, asking.Refusal):
            return judge.left_out(asked)
        if case.task == "neuro":
            return None
        decide = judge.judge_meta if case.task == "meta" else judge.judge_direct
        return decide(case, self.settings, responses)

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        """Return a guess, and always the first option."""
        return judge.BASELINES

    def baseline(self, case: Case, name: str) -> Outcome:
        """Answer without a model."""
        return judge.baseline(case, name)

    def conclude(
        self,
        task: str,
        seed: int,
        answered: Iterable[tuple[Case, Mapping[str, Response]]],
        **options: Any,  # noqa: ANN401  # passed on as they are
    ) -> Iterable[tuple[Case, Outcome]]:
        """Fit the probes of every language and negative type; see `benchmarks.xcomps.neuro`."""
        # Only this needs scikit-learn, which takes longer to import than most commands to run.
        neuro = import_module("benchmarks.xcomps.neuro")
        decided: Iterable[tuple[Case, Outcome]] = neuro.conclude(self.settings, answered, **options)
        return decided


_NO_ITEM = Item(id="", language="", subset=None, unit="", fields={})
