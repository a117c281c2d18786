"""SemRel2024: how well does a model rank pairs of sentences by how related they are?

Paper: Ousidhoum et al. 2024 (arXiv:2402.08638).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.benchmark import (
    BenchmarkSettings,
    Case,
    CheckReport,
    Item,
    Outcome,
    Selection,
)
from benchmarks.errors import UnknownNameError
from benchmarks.prompt_file import template_hash
from benchmarks.requests import Request, RequestKind
from benchmarks.responses import Response
from benchmarks.semrel import asking, judge, prompts
from benchmarks.semrel.check import check_folder
from benchmarks.semrel.data import chosen_files, labelled_files, read_pairs, scored_split
from benchmarks.semrel.settings import SemrelSettings

TASK = "relatedness"


class Semrel:
    """SemRel2024 bound to its settings."""

    name: ClassVar[str] = "semrel"
    title: ClassVar[str] = "SemRel2024"
    paper: ClassVar[str] = "Ousidhoum et al. 2024 (arXiv:2402.08638)"
    unit: ClassVar[str] = "pair"
    tasks: ClassVar[tuple[str, ...]] = (TASK,)
    prompt_version: ClassVar[str] = prompts.VERSION
    judge_version: ClassVar[str] = judge.VERSION
    settings_class: ClassVar[type[BenchmarkSettings]] = SemrelSettings
    sample: ClassVar[Path] = Path(__file__).parent / "sample"

    def __init__(self, settings: BenchmarkSettings) -> None:
        """Bind the settings."""
        self.settings: BenchmarkSettings = settings
        self._settings = SemrelSettings.model_validate(settings.model_dump())

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The checksum of every template this run may ask with; none of an encoder."""
        if self._settings.inference != "rating":
            return {}
        used = prompts.styles(self._settings.prompt_file)
        if self._settings.prompt_style != "all":
            used = {self._settings.prompt_style: used[self._settings.prompt_style]}
        return {name: template_hash(template) for name, template in used.items()}

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return the kind of request that the way of asking needs."""
        is_rating = self._settings.inference == "rating"
        return frozenset({RequestKind.GENERATE if is_rating else RequestKind.SIMILARITY})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return one variant, or every prompt style in both orders where all are asked."""
        return asking.variants(self._settings)

    def languages(self, folder: Path) -> tuple[str, ...]:
        """Return the languages with a labelled file of the split, in order."""
        return tuple(self._labelled(folder))

    def files(self, folder: Path, languages: Sequence[str]) -> list[Path]:
        """Return the one file of each language."""
        return list(chosen_files(self._labelled(folder), languages).values())

    def items(self, folder: Path, selection: Selection) -> Iterator[Item]:
        """Read the pairs of each language in data order."""
        files = chosen_files(self._labelled(folder), selection.languages)
        for language, path in files.items():
            for pair in islice(read_pairs(path), selection.limit):
                split = scored_split(language, self._settings.split)
                fields: dict[str, Any] = {
                    "text_a": pair.text_a,
                    "text_b": pair.text_b,
                    "gold": pair.gold,
                }
                yield Item(pair.id, language, None if split == "test" else split, pair.id, fields)

    def check(self, folder: Path, languages: Sequence[str]) -> CheckReport:
        """Hold the counts against the paper's; flag leakage, duplicates and suspicious rows."""
        return check_folder(folder, tuple(chosen_files(self._labelled(folder), languages)))

    def requests(self, case: Case, seed: int) -> tuple[Request, ...]:
        """Return one question about the two sentences."""
        return (asking.request_of(case, self._settings),)

    def follow_up(
        self, case: Case, seed: int, responses: Mapping[str, Response]
    ) -> tuple[Request, ...]:
        """Return nothing: an answer without a number is not asked for again."""
        return ()

    def judge(self, case: Case, seed: int, responses: Mapping[str, Response]) -> Outcome | None:
        """Take the predicted relatedness; an answer without a number in [0, 1] is unscored."""
        return self._outcome(case, judge.predicted(responses[""]))

    def baselines(self) -> Mapping[str, tuple[str, ...]]:
        """Return `overlap`: Dice's coefficient of the words."""
        return {"overlap": (TASK,)}

    def baseline(self, case: Case, name: str) -> Outcome:
        """Predict the relatedness from shared words."""
        if name not in self.baselines():
            raise UnknownNameError(f"unknown baseline {name!r} of {self.name}; allowed: overlap")
        return self._outcome(case, self._overlap(case))

    def _outcome(self, case: Case, value: float | None) -> Outcome:
        return Outcome(
            value=value,
            is_valid=value is not None,
            detail={"gold": case.item.fields["gold"]},
            baselines={"overlap": self._overlap(case)},
        )

    def _overlap(self, case: Case) -> float | None:
        return judge.overlap(case.item.fields["text_a"], case.item.fields["text_b"])

    def _labelled(self, folder: Path) -> dict[str, Path]:
        track = None if self._settings.track == "any" else self._settings.track
        return labelled_files(folder, self._settings.split, track)
