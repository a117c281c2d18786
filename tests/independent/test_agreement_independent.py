"""DTAiLS' two annotation studies computed a second time, from the paper's words alone."""

import random
from collections import Counter
from itertools import combinations

import pytest

from benchmarks.dtails.annotation import RulesLine, SentenceLine
from metrics.dtails_agreement import agreement_report

ANNOTATORS = ("r1", "r2", "r3")
VARIATIONS = ("ken", "weet", "verstaan")


def share(flags):
    flags = list(flags)
    return sum(flags) / len(flags) if flags else None


def fleiss(ratings):
    """Return (observed - expected)/(1 - expected) over pairs of annotators, or None."""
    if not ratings:
        return None
    counts = Counter(answer for row in ratings for answer in row)
    n = sum(counts.values())
    expected = sum((count / n) ** 2 for count in counts.values())
    if len(counts) == 1:
        return None
    pairs = [share(a == b for a, b in combinations(row, 2)) for row in ratings]
    return (sum(pairs) / len(pairs) - expected) / (1 - expected)


def check_agreement(found, ratings):
    """Hold total agreement, kappa and PABAK to the answers of all annotators, question by row."""
    whole = [row for row in ratings if None not in row]
    total = share(len(set(row)) == 1 for row in whole)
    assert found["total_agreement"] == pytest.approx(total)
    assert found["pabak"] == pytest.approx(None if total is None else 2 * total - 1)
    assert found["fleiss_kappa"] == pytest.approx(fleiss(whole))
    assert (found["fleiss_kappa"] is None) == (found["reason"] is not None)


def most(row):
    """Say whether more than half of those who answered said yes; None if nobody did."""
    said = [answer for answer in row if answer is not None]
    return sum(said) * 2 > len(said) if said else None


@pytest.mark.parametrize("share_missing", [0.0, 0.1])
@pytest.mark.parametrize("share_yes", [1.0, 0.8, 0.4])
def test_the_rules_study_says_what_its_votes_say(share_yes, share_missing):
    generator = random.Random(f"{share_yes}{share_missing}")

    def vote():
        return None if generator.random() < share_missing else generator.random() < share_yes

    means, missing, rules, lines = {}, {}, {}, []
    for concept in map(str, range(60)):
        for annotator in ANNOTATORS:
            is_missing = vote()
            is_answered = generator.random() >= share_missing
            wrong = [name for name in VARIATIONS if generator.random() > share_yes]
            correct = {name: vote() for name in VARIATIONS}
            missing.setdefault(concept, []).append(is_missing)
            for name in VARIATIONS:
                answer = name not in wrong if is_answered else None
                means.setdefault((concept, name), []).append(answer)
                rules.setdefault((concept, name), []).append(correct[name])
            shown = generator.sample(VARIATIONS, len(VARIATIONS))
            line = RulesLine(
                annotator=annotator, language="af", concept=concept, variations=tuple(shown),
                is_any_missing=is_missing, rule_is_correct=correct,
                rules={name: f"when to use {name}" for name in VARIATIONS},
                wrong_variations=tuple(wrong) if is_answered else None,
            )  # fmt: skip
            lines.append(line)
    generator.shuffle(lines)

    found = agreement_report(lines)["languages"]["af"]

    check_agreement(found["variations"], means.values())
    check_agreement(found["completeness"], missing.values())
    check_agreement(found["rules"], rules.values())
    correct = [most(row) for row in means.values() if most(row) is not None]
    assert found["variations"]["precision"] == pytest.approx(share(correct))
    whole = [most([None if a is None else not a for a in row]) for row in missing.values()]
    assert found["completeness"]["recall"] == pytest.approx(
        share(each for each in whole if each is not None)
    )
    votes = [answer for row in rules.values() for answer in row if answer is not None]
    assert found["rules"]["accuracy"] == pytest.approx(share(votes))


@pytest.mark.parametrize("share_right", [1.0, 0.7, 0.3])
def test_a_sentence_is_kept_if_two_of_three_chose_the_original(share_right):
    generator = random.Random(f"{share_right}")
    choices, labels, lines = [], [], []
    for item in range(400):
        label = generator.choice(VARIATIONS)
        row = [
            label if generator.random() < share_right else generator.choice(VARIATIONS)
            for _ in ANNOTATORS
        ]
        choices.append(row)
        labels.append(label)
        lines += [
            SentenceLine(
                annotator=annotator, language="lv", concept="know", variations=VARIATIONS,
                item=item, source="I know.", choice=choice, label=label, confidence="No idea",
            )
            for annotator, choice in zip(ANNOTATORS, row, strict=True)
        ]  # fmt: skip
    generator.shuffle(lines)

    found = agreement_report(lines)["languages"]["lv"]

    check_agreement(found["choices"], choices)
    kept = share(row.count(label) >= 2 for row, label in zip(choices, labels, strict=True))
    assert found["sufficient_context"]["value"] == pytest.approx(kept)
