"""Which pairs is an encoder tuned on, and which languages is it then measured on?

Source: Ousidhoum et al. 2024 (arXiv:2402.08638), section 5: LaBSE with a cosine loss on raw scores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.errors import DataError, UnknownNameError
from benchmarks.semrel.check import pair_key
from benchmarks.semrel.data import file_of, labelled_files, read_pairs

Regime = Literal["joint", "per-language", "cross-lingual"]

SOURCE_LANGUAGE, SOURCE_OF_SOURCE = "eng", "esp"
"""Cross-lingual models are tuned on English; the one that is measured on English, on Spanish."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the published encoder was tuned; the last epoch's weights are taken."""

    batch_size: int = 16
    n_epochs: int = 10
    n_warmup_steps: int = 100
    learning_rate: float = 2e-5
    loss: Literal["cosine"] = "cosine"
    """Mean squared difference of the two vectors' cosine and the gold score."""


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """Two sentences, their gold relatedness and where they come from."""

    language: str
    id: str
    text_a: str
    text_b: str
    gold: float


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """One model to tune and the languages it is measured on."""

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]


def training_runs(
    regime: Regime, train_languages: Sequence[str], test_languages: Sequence[str]
) -> list[TrainingRun]:
    """Return the models of a regime.

    joint: one model tuned on all train sets together (the published row). per-language: a model for
    each language that has a train set. cross-lingual: a model tuned on English for all other
    languages, and one tuned on Spanish for English.

    Args:
        regime: Which languages' train sets go together.
        train_languages: Those with a train set.
        test_languages: Those to be measured.

    Raises:
        DataError: No model of the regime can be tuned on what there is.
    """
    train, test = tuple(train_languages), tuple(test_languages)
    runs = _runs(regime, train, test)
    if not runs:
        met = ", ".join(train) or "none"
        raise DataError(f"nothing to tune {regime} on; languages with a train set: {met}")
    return runs


def _runs(regime: Regime, train: tuple[str, ...], test: tuple[str, ...]) -> list[TrainingRun]:
    if regime == "joint":
        return [TrainingRun("joint", train, test)] if train else []
    if regime == "per-language":
        return [TrainingRun(name, (name,), (name,)) for name in train if name in test]
    return list(_cross_lingual(train, test))


def _cross_lingual(train: tuple[str, ...], test: tuple[str, ...]) -> Iterator[TrainingRun]:
    for source in (SOURCE_LANGUAGE, SOURCE_OF_SOURCE):
        is_main = source == SOURCE_LANGUAGE
        targets = tuple(name for name in test if (name != SOURCE_LANGUAGE) is is_main)
        if source in train and targets:
            yield TrainingRun(f"from-{source}", (source,), targets)


def train_languages(folder: Path) -> tuple[str, ...]:
    """Return the languages with a train set, in order.

    Raises:
        DataError: There is none, or no such folder.
    """
    return tuple(labelled_files(folder, "train"))


def training_pairs(
    folder: Path, languages: Sequence[str], *, without_leaks: bool = False
) -> Iterator[TrainingPair]:
    """Read the train sets of some languages, one after the other; unscored pairs are passed over.

    Args:
        folder: The released data.
        languages: Which train sets; empty: all of them.
        without_leaks: Leave out pairs that stand in the language's dev or test split as well, alike
            but for order, case and punctuation; the published models were tuned with them.

    Raises:
        UnknownNameError: A language has no train set.
    """
    files = labelled_files(folder, "train")
    for language in languages or tuple(files):
        if language not in files:
            raise UnknownNameError(
                f"language {language!r} has no train set; allowed: {', '.join(files)}"
            )
        held_out = _measured_keys(folder, language) if without_leaks else frozenset()
        for pair in read_pairs(files[language]):
            if pair.gold is not None and pair_key(pair) not in held_out:
                yield TrainingPair(language, pair.id, pair.text_a, pair.text_b, pair.gold)


def _measured_keys(folder: Path, language: str) -> frozenset[tuple[str, ...]]:
    files = (file_of(folder, language, split) for split in ("dev", "test"))
    return frozenset(pair_key(pair) for file in files if file for pair in read_pairs(file))
