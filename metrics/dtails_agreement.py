"""What two annotation studies say: agreement, precision and recall of variations, rule accuracy.

Source: Barua et al. 2024 (DTAiLS), both annotation studies. A variation is correct, and a concept
complete, if most of its annotators say so; the paper leaves that open.
"""

from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchmarks.dtails.annotation import RulesLine, SentenceLine
from metrics.statistics.agreement import complete, fleiss_kappa, pabak, total_agreement

Questions = Mapping[tuple[str, ...], Sequence[Hashable]]
"""A question's answers, one an annotator; None where one is missing."""

MIN_VOTES = 2
"""So many annotators must choose the original variation for a sentence to be kept."""


def agreement_report(lines: Sequence[RulesLine | SentenceLine]) -> dict[str, Any]:
    """Return everything the studies say, by language, as JSON values."""
    languages = sorted({line.language for line in lines})
    return {
        "schema": 1,
        "languages": {
            language: {
                **_rules_study([x for x in _of(lines, language) if isinstance(x, RulesLine)]),
                **_sentences_study(
                    [x for x in _of(lines, language) if isinstance(x, SentenceLine)]
                ),
            }
            for language in languages
        },
    }


def _of(lines: Sequence[RulesLine | SentenceLine], language: str) -> list[RulesLine | SentenceLine]:
    return [line for line in lines if line.language == language]


def _rules_study(lines: Sequence[RulesLine]) -> dict[str, Any]:
    if not lines:
        return {}
    variations = variation_votes(lines)
    missing = _collect([((line.concept,), line.is_any_missing) for line in lines])
    rules = _collect(
        [((line.concept, name), ok) for line in lines for name, ok in line.rule_is_correct.items()]
    )
    return {
        "variations": {**agreement(variations), "precision": majority_share(variations)},
        "completeness": {
            **agreement(missing),
            "recall": majority_share({k: [_negate(v) for v in vs] for k, vs in missing.items()}),
        },
        "rules": {**agreement(rules), "accuracy": mean_answer(rules)},
    }


def variation_votes(lines: Sequence[RulesLine]) -> Questions:
    """Return, for every extracted variation, whether each annotator says it means the concept."""
    return _collect(
        [
            (
                (line.concept, variation),
                None if line.wrong_variations is None else variation not in line.wrong_variations,
            )
            for line in lines
            for variation in line.variations
        ]
    )


def _sentences_study(lines: Sequence[SentenceLine]) -> dict[str, Any]:
    if not lines:
        return {}
    choices = _collect([((str(line.item),), line.choice) for line in lines])
    labels = {(str(line.item),): line.label for line in lines}
    is_labelled = all(label is not None for label in labels.values())
    kept = kept_items(lines)
    return {
        "choices": agreement(choices),
        "confidence": {
            name: sum(line.confidence == name for line in lines) / len(lines)
            for name in ("Absolutely sure", "Likely but uncertain", "No idea")
        },
        "sufficient_context": {
            "value": len(kept) / len(choices) if is_labelled else None,
            "n_kept": len(kept) if is_labelled else None,
            "n_annotated": len(choices),
            "reason": None if is_labelled else "the answers bear no labels",
        },
    }


def kept_items(lines: Sequence[SentenceLine]) -> list[int]:
    """Return the sentences for which at least two annotators chose the original variation."""
    votes: dict[int, int] = {}
    for line in lines:
        is_original = line.label is not None and line.choice == line.label
        votes[line.item] = votes.get(line.item, 0) + is_original
    return sorted(item for item, n_votes in votes.items() if n_votes >= MIN_VOTES)


def agreement(questions: Questions) -> dict[str, Any]:
    """Return total agreement, Fleiss' kappa and PABAK of the fully answered questions."""
    ratings = list(questions.values())
    kept = complete(ratings)
    n_annotators = {len(row) for row in kept}
    kappa = fleiss_kappa(kept) if len(n_annotators) == 1 else None
    return {
        "total_agreement": total_agreement(ratings),
        "fleiss_kappa": kappa,
        "pabak": pabak(ratings),
        "n": len(kept),
        "n_left_out": len(ratings) - len(kept),
        "reason": None if kappa is not None else _why_no_kappa(n_annotators),
    }


def _why_no_kappa(n_annotators: set[int]) -> str:
    if not n_annotators:
        return "no question that at least two annotators answered"
    if len(n_annotators) > 1:
        return f"questions with {sorted(n_annotators)} annotators"
    return "only one category occurs"


def majority_share(questions: Questions) -> float | None:
    """Return the share of questions that more than half of their annotators answer with yes."""
    answered = [[vote for vote in votes if vote is not None] for votes in questions.values()]
    decided = [sum(vote is True for vote in votes) * 2 > len(votes) for votes in answered if votes]
    return fmean(decided) if decided else None


def mean_answer(questions: Questions) -> float | None:
    """Return the mean over annotators and questions of yes."""
    votes = [vote is True for row in questions.values() for vote in row if vote is not None]
    return fmean(votes) if votes else None


def _negate(vote: Hashable) -> bool | None:
    return None if vote is None else vote is not True


def _collect(
    answers: Sequence[tuple[tuple[str, ...], Hashable]],
) -> dict[tuple[str, ...], list[Hashable]]:
    found: dict[tuple[str, ...], list[Hashable]] = {}
    for question, answer in answers:
        found.setdefault(question, []).append(answer)
    return found
