"""What was mined, as files; and which known concepts and variations were found again."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.dtails.data import COLUMNS, ConceptWords, Row
from benchmarks.dtails.entropy import MIN_ENTROPY, entropy
from benchmarks.dtails.mining import ConceptKey, Mined, MinedConcept, MiningSettings
from benchmarks.dtails.mining_test_set import Candidate
from benchmarks.dtails.variations import forms_of

REPORT_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class FoundAgain:
    """A known concept held against what was mined."""

    concept: str
    upos: str
    is_found: bool
    """Whether a mined concept has this lemma, under whatever part of speech."""
    found: list[str]
    """Known variations of which a form was mined."""
    missed: list[str]
    extra: list[str]
    """Mined variations that are no form of a known one."""


LemmasOf = Callable[[str], Iterable[str]]
"""From a known form to its lemmas by the backend that mined, in lower case."""


def no_lemmas(form: str) -> Iterable[str]:
    """Return nothing: forms are compared as they are."""
    del form
    return ()


def find_again(
    mined: Sequence[MinedConcept], known: Sequence[ConceptWords], lemmas_of: LemmasOf = no_lemmas
) -> list[FoundAgain]:
    """Return, for each known concept, which of its variations were mined.

    Parts of speech are not compared: the default lemmatiser does not tag English.
    """
    by_lemma: dict[str, set[str]] = {}
    for concept in mined:
        by_lemma.setdefault(concept.lemma, set()).update(concept.counts)
    found = []
    for words in known:
        variations = by_lemma.get(words.concept.lower(), set())
        hit = [v for v in words.variations if variations & _forms(v, lemmas_of)]
        forms = {form for variation in words.variations for form in _forms(variation, lemmas_of)}
        found.append(
            FoundAgain(
                words.concept,
                words.upos,
                words.concept.lower() in by_lemma,
                hit,
                [v for v in words.variations if v not in hit],
                sorted(variations - forms),
            )
        )
    return found


def _forms(variation: str, lemmas_of: LemmasOf) -> set[str]:
    """Return the forms of a variation and their lemmas, in lower case."""
    forms = [form.lower() for form in forms_of(variation)]
    return {*forms, *(lemma for form in forms for lemma in lemmas_of(form))}


def rejected_by_entropy(
    counts: Mapping[ConceptKey, Counter[str]],
    known: Sequence[ConceptWords],
    lemmas_of: LemmasOf = no_lemmas,
) -> dict[str, list[str]]:
    """Return, for each base, the known concepts whose entropy in this corpus is too low.

    A variation counts as often as its forms do.
    """
    by_lemma: dict[str, Counter[str]] = {}
    for (lemma, _), found in counts.items():
        by_lemma.setdefault(lemma, Counter()).update(found)
    rejected: dict[str, list[str]] = {"e": [], "2": []}
    for words in known:
        seen = by_lemma.get(words.concept.lower(), Counter())
        totals = [sum(seen[form] for form in _forms(v, lemmas_of)) for v in words.variations]
        for base in ("e", "2"):
            if not any(totals) or entropy(totals, base) < MIN_ENTROPY:
                rejected[base].append(words.concept)
    return rejected


def report(mined: Mined, settings: MiningSettings, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of mining as JSON values.

    Args:
        mined: The result.
        settings: The rules it was found by.
        facts: What else belongs beside it: files, aligner, versions, found again.
    """
    return {
        "schema": REPORT_SCHEMA,
        "kind": "dtails-mining",
        "settings": settings.model_dump(mode="json"),
        "n_pairs": mined.n_pairs,
        "n_links": mined.n_links,
        "n_rejected": dict(sorted(mined.rejected.items())),
        "concepts": [
            {
                "concept": concept.lemma,
                "upos": concept.upos,
                "variations": dict(concept.counts),
                "entropy_e": entropy(concept.counts.values(), "e"),
                "entropy_2": entropy(concept.counts.values(), "2"),
                "n_senses": concept.n_senses,
                "n_variations_dropped": concept.n_dropped,
            }
            for concept in mined.concepts
        ],
        **facts,
    }


def words_file(concepts: Sequence[MinedConcept]) -> str:
    """Return the concepts in the layout of a `.words` file."""
    rows = [(c.lemma, c.upos, ";".join(sorted(c.counts))) for c in concepts]
    return _csv(rows)


def candidates_file(candidates: Sequence[Candidate]) -> str:
    """Return candidate test rows in the layout of an expert file."""
    rows = [(c.concept, c.source, c.target, str(list(c.variations)), c.label) for c in candidates]
    return _csv([COLUMNS, *rows])


def rows_file(rows: Sequence[Row]) -> str:
    """Return rows in the layout of an expert file."""
    cells = [(r.concept, r.source, r.target, str(list(r.variations)), r.label) for r in rows]
    return _csv([COLUMNS, *cells])


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
