"""Mine a parallel corpus from two files to three: a report, a `.words` file, a candidate test set.

The aligner stands between the two halves: without a model `align_lemmas`, else links that come from
hidden states, found by whoever can reach an encoder.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.dtails.data import read_words
from benchmarks.dtails.mining import Mined, MiningSettings, SenseOf, count_links, mine
from benchmarks.dtails.mining_corpus import (
    LemmaPair,
    align_lemmas,
    lemmas_by,
    lemmatise,
    read_pairs,
)
from benchmarks.dtails.mining_report import (
    candidates_file,
    find_again,
    rejected_by_entropy,
    report,
    words_file,
)
from benchmarks.dtails.mining_senses import (
    read_senses,
    senses_from_file,
    senses_from_wordnet,
    tag_by_wordnet,
)
from benchmarks.dtails.mining_test_set import TestSetSettings, draw_candidates, draw_concepts
from languages.alignment_ibm1 import Links
from languages.lemmatisation import Lemmatiser
from languages.wordnet import WordNet


@dataclass(frozen=True)
class MiningJob:
    """What is to be mined, and how."""

    source: Path
    """English, a sentence a line."""
    target: Path
    """Its translations, line by line."""
    language: str
    lemmatiser: Lemmatiser
    settings: MiningSettings = field(default_factory=MiningSettings)
    test_set: TestSetSettings = field(default_factory=TestSetSettings)
    seed: int = 0
    wordnet: WordNet | None = None
    """Tags words that have one part of speech, and tells senses apart where no file does."""
    senses: Path | None = None
    """A disambiguator's file; see `mining_senses`."""
    known: Path | None = None
    """A `.words` file to be found again."""


@dataclass(frozen=True)
class Corpus:
    """Sentences as they stand, and in lemmas."""

    texts: Sequence[tuple[str, str]]
    pairs: Sequence[LemmaPair]


@dataclass(frozen=True)
class MiningResult:
    """The contents of the three files."""

    report: dict[str, Any]
    words: str
    """In the layout of a `.words` file."""
    candidates: str
    """In the layout of an expert file; labels are the original ones, to be confirmed."""


def read_corpus(job: MiningJob) -> Corpus:
    """Read and lemmatise both files.

    Raises:
        DataError: They cannot be read, or are not line by line of each other.
        LanguageError: The lemmatiser lacks a language.
    """
    texts = read_pairs(job.source, job.target)
    tag_word = tag_by_wordnet(job.wordnet) if job.wordnet else lambda lemma: None
    return Corpus(texts, list(lemmatise(texts, job.language, job.lemmatiser, tag_word)))


def mine_corpus(
    job: MiningJob, corpus: Corpus, links: Sequence[Links] | None = None
) -> MiningResult:
    """Mine an aligned corpus.

    Args:
        job: How.
        corpus: From `read_corpus`.
        links: Of every pair; None aligns the lemmas by IBM model 1.

    Raises:
        DataError: The file of senses or of known concepts cannot be read.
    """
    aligned = align_lemmas(corpus.pairs) if links is None else links
    mined = mine(corpus.pairs, aligned, job.settings, _senses(job, corpus.pairs))
    drawn = draw_concepts(mined.concepts, job.test_set, job.seed)
    candidates = draw_candidates(drawn, corpus.texts, job.test_set, job.seed)
    facts = {
        "language": job.language,
        "aligner": "ibm1" if links is None else "given",
        "versions": dict(job.lemmatiser.versions()),
        "senses": _senses_name(job),
        "seed": job.seed,
        "test_set": {
            "settings": job.test_set.model_dump(mode="json"),
            "n_concepts": len(drawn),
            "n_sentences": len(candidates),
        },
        "known": _known(job, corpus.pairs, aligned, mined),
    }
    return MiningResult(
        report(mined, job.settings, facts), words_file(mined.concepts), candidates_file(candidates)
    )


def _senses(job: MiningJob, pairs: Sequence[LemmaPair]) -> SenseOf | None:
    if job.senses is not None:
        return senses_from_file(read_senses(job.senses), pairs)
    return senses_from_wordnet(job.wordnet, pairs) if job.wordnet else None


def _senses_name(job: MiningJob) -> str:
    if job.senses is not None:
        return job.senses.name
    return "wordnet" if job.wordnet else "none"


def _known(
    job: MiningJob, pairs: Sequence[LemmaPair], links: Sequence[Links], mined: Mined
) -> dict[str, Any] | None:
    """Return which known concepts and variations were found, and those each base rejects."""
    if job.known is None:
        return None
    known = read_words(job.known)
    lemmas_of = lemmas_by(job.lemmatiser, job.language)
    found = find_again(mined.concepts, known, lemmas_of)
    return {
        "n_concepts": len(found),
        "n_concepts_found": sum(each.is_found for each in found),
        "n_variations": sum(len(each.found) + len(each.missed) for each in found),
        "n_variations_found": sum(len(each.found) for each in found),
        "rejected_by_entropy": rejected_by_entropy(count_links(pairs, links), known, lemmas_of),
        "concepts": [asdict(each) for each in found],
    }
