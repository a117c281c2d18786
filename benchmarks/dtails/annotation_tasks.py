"""Make the files that annotators fill in, each with an order of its own."""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from benchmarks.dtails.annotation import RulesLine, SentenceLine
from benchmarks.dtails.data import Row

T = TypeVar("T")


def rules_tasks(
    language: str,
    concepts: Mapping[str, Sequence[str]],
    rules: Mapping[str, Mapping[str, str]],
    annotators: Sequence[str],
    seed: int,
) -> dict[str, list[RulesLine]]:
    """Return each annotator's lines of the study of variations and rules.

    Args:
        language: Of the variations.
        concepts: From concept to variations.
        rules: From concept to the rule of each variation; a concept without rules may be missing.
        annotators: Anonymous ids.
        seed: Where shuffling starts.
    """
    tasks = {}
    for annotator in annotators:
        generator = random.Random(f"{seed}:{annotator}:{language}:rules")
        lines = []
        for concept in _shuffled(list(concepts), generator):
            variations = tuple(_shuffled(concepts[concept], generator))
            known = rules.get(concept, {})
            shown = {variation: known[variation] for variation in variations if variation in known}
            lines.append(
                RulesLine(
                    annotator=annotator,
                    language=language,
                    concept=concept,
                    variations=variations,
                    rules=shown,
                    rule_is_correct=dict.fromkeys(shown),
                )
            )
        tasks[annotator] = lines
    return tasks


def sentence_tasks(
    language: str, rows: Sequence[Row], annotators: Sequence[str], seed: int
) -> dict[str, list[SentenceLine]]:
    """Return each annotator's lines of the study of sentences, concept by concept.

    Concepts, the sentences of a concept and the variations of a sentence are in an order of each
    annotator's own; the labels are left out.
    """
    rows_by_concept: dict[str, list[Row]] = {}
    for row in rows:
        rows_by_concept.setdefault(row.concept, []).append(row)
    tasks = {}
    for annotator in annotators:
        generator = random.Random(f"{seed}:{annotator}:{language}:sentences")
        lines = []
        for concept in _shuffled(list(rows_by_concept), generator):
            for row in _shuffled(rows_by_concept[concept], generator):
                lines.append(
                    SentenceLine(
                        annotator=annotator,
                        language=language,
                        concept=concept,
                        variations=tuple(_shuffled(row.variations, generator)),
                        item=row.number,
                        source=row.source,
                    )
                )
        tasks[annotator] = lines
    return tasks


def _shuffled(entries: Sequence[T], generator: random.Random) -> list[T]:
    return generator.sample(list(entries), len(entries))
