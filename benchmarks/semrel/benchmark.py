"""SemRel2024: how well does a model rank pairs of sentences by how related they are?

Paper: Ousidhoum et al. 2024 (arXiv:2402.08638).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from benchmarks.benchmark import (
    BenchmarkSettings,
    Case,
    CheckReport,
    Item,
    Outcome,
    Selection,
)
from benchmarks.errors import UnknownNameError
from benchmarks.requests import GenerateRequest, Request, RequestKind, SimilarityRequest
from benchmarks.responses import Response
from benchmarks.semrel import judge, prompts
from benchmarks.semrel.check import check_folder
from benchmarks.semrel.data import chosen_files, labelled_files, read_pairs, scored_split

TASK = "relatedness"


class SemrelSettings(BenchmarkSettings):
    """What may be set for SemRel2024."""

    track: Literal["any", "A", "B", "C"] = "any"
    """Where pairs are read from; `any`: the first of A, B, C that has the language."""
    split: Literal["test", "dev", "train"] = "test"
    """What is scored; Spanish has no test labels and is scored on dev."""
    inference: Literal["similarity", "rating"] = "similarity"
    """Whether an encoder compares the sentences, or a generating model is asked for a number."""
    measure: Literal["cosine", "bertscore"] = "cosine"
    """How an encoder compares them; for mBERT and XLM-R the paper's BERTScore needs layer=9."""
    pooling: Literal["mean", "first", "last"] = "mean"
    """From token vectors to the sentence's, for cosine; special tokens are included."""
    layer: int = -1
    """Which layer's vectors; -1 is the last, 0 the embeddings."""
    max_new_tokens: int = Field(default=8, ge=1, le=1000)
    """How long the answer to a rating prompt may get."""


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

    def kinds(self, task: str) -> frozenset[RequestKind]:
        """Return the kind of request that the way of asking needs."""
        is_rating = self._settings.inference == "rating"
        return frozenset({RequestKind.GENERATE if is_rating else RequestKind.SIMILARITY})

    def variants(self, task: str, seed: int | None) -> tuple[str, ...]:
        """Return the one variant: each pair is asked once."""
        return ("",)

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
        key = f"{self.name}/{case.task}/{case.item.language}/{case.item.id}"
        text_a, text_b = case.item.fields["text_a"], case.item.fields["text_b"]
        settings = self._settings
        if settings.inference == "rating":
            messages = prompts.rating_messages(text_a, text_b)
            request = GenerateRequest(
                key=key, messages=messages, max_new_tokens=settings.max_new_tokens
            )
            return (request,)
        return (
            SimilarityRequest(
                key=key,
                text_a=text_a,
                text_b=text_b,
                measure=settings.measure,
                pooling=settings.pooling,
                layer=settings.layer,
            ),
        )

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
