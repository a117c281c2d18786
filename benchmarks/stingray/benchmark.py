"""StingrayBench: false friends and true cognates of four language pairs.

Source: Cahyawijaya et al. 2024 (arXiv:2410.21573). What we do otherwise stands in README.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from benchmarks.benchmark import BenchmarkSettings, Case, CheckReport, Item, Outcome, Selection
from benchmarks.prompt_file import template_hash
from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response
from benchmarks.stingray import asking, judge
from benchmarks.stingray.checks import check_folder
from benchmarks.stingray.data import chosen_files, config_files, read_items
from benchmarks.stingray.prompts import PROMPT_VERSION, styles
from benchmarks.stingray.settings import StingraySettings


class Stingray:
    """StingrayBench bound to its settings."""

    name: ClassVar[str] = "stingray"
    title: ClassVar[str] = "StingrayBench"
    paper: ClassVar[str] = "Cahyawijaya et al. 2024 (arXiv:2410.21573)"
    unit: ClassVar[str] = "word"
    tasks: ClassVar[tuple[str, ...]] = ("semantic", "usage")
    prompt_version: ClassVar[str] = PROMPT_VERSION
    judge_version: ClassVar[str] = judge.JUDGE_VERSION
    settings_class: ClassVar[type[BenchmarkSettings]] = StingraySettings
    sample: ClassVar[Path] = Path(__file__).parent / "sample"

    def __init__(self, settings: StingraySettings | None = None) -> None:
        self.settings = settings or StingraySettings()

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The checksum of every template this run may ask with."""
        used = styles(self.settings.prompt_file)
        if self.settings.prompt_style != "all":
            used = {self.settings.prompt_style: used[self.settings.prompt_style]}
        return {
            f"{name}/{task}": template_hash(template)
            for name, style in used.items()
            for task, template in (("semantic", style.semantic), ("usage", style.usage))
        }

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return log_prob, or generate where answers are generated."""
        is_generated = self.settings.inference == "generation"
        return frozenset({RequestKind.GENERATE if is_generated else RequestKind.LOG_PROB})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return the sides of a usage question, and every style where all are asked."""
        return asking.variants(task, self.settings)

    def languages(self, folder: Path) -> tuple[str, ...]:
        """Return the pairs the folder has."""
        return tuple(config_files(folder))

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        """Return the files of the chosen pairs."""
        return [file.path for file in chosen_files(folder, languages)]

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        """Read items, of each pair the false friends first."""
        return read_items(folder, selection)

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        """Hold the data against the paper's counts and its own rules."""
        return check_folder(folder, languages)

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        """Return the one question of a case."""
        return (asking.request_of(case, self.settings),)

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        """Return nothing: no case is asked again."""
        return ()

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome | None:
        """Decide what the answer is worth."""
        way = asking.way_of(case, self.settings)
        return judge.judge(case, way, self.settings.parser, responses[""])

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        """Return chance and the constant answers of each task."""
        return judge.BASELINES

    def baseline(self, case: Case, name: str) -> Outcome:
        """Answer with a constant, or with the expected value of a guess."""
        return judge.baseline(case, name)
