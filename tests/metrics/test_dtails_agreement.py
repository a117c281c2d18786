import pytest

from benchmarks.dtails.annotation import RulesLine, SentenceLine
from metrics.dtails_agreement import agreement_report, kept_items


def rules_line(annotator, concept, wrong=(), missing=False, correct=(True, True)):
    return RulesLine(
        annotator=annotator,
        language="af",
        concept=concept,
        variations=("a", "b"),
        rules={"a": "when one", "b": "when another"},
        wrong_variations=wrong,
        is_any_missing=missing,
        rule_is_correct=dict(zip(("a", "b"), correct, strict=True)),
    )


def choice(annotator, item, chosen, label="a"):
    return SentenceLine(
        annotator=annotator,
        language="af",
        concept="x",
        variations=("a", "b"),
        item=item,
        source="s",
        choice=chosen,
        confidence="No idea",
        label=label,
    )


def test_the_study_of_variations_worked_by_hand():
    lines = [
        rules_line("R1", "know", wrong=("b",), missing=True, correct=(True, False)),
        rules_line("R2", "know", wrong=("b",)),
        rules_line("R3", "know"),
        rules_line("R1", "see"),
        rules_line("R2", "see"),
        rules_line("R3", "see"),
    ]

    found = agreement_report(lines)["languages"]["af"]

    # Four variations; know/b is right for one of three: precision 3/4, all agree on 3 of 4.
    assert found["variations"]["precision"] == 0.75
    assert found["variations"]["total_agreement"] == 0.75
    assert found["variations"]["pabak"] == 0.5
    # Yes 10 of 12; pairs 1, 1/3, 1, 1: P = 5/6; Pe = (100 + 4)/144; (120 - 104)/(144 - 104).
    assert found["variations"]["fleiss_kappa"] == pytest.approx(0.4)
    # One of three misses a variation of know: most do not, so both concepts are complete.
    assert found["completeness"]["recall"] == 1.0
    assert found["completeness"]["total_agreement"] == 0.5
    assert found["rules"]["accuracy"] == pytest.approx(11 / 12)


def test_the_study_of_sentences_worked_by_hand():
    lines = [
        *(choice(who, 0, "a") for who in ("S1", "S2", "S3")),
        *(choice(who, 1, chosen) for who, chosen in (("S1", "a"), ("S2", "a"), ("S3", "b"))),
        *(choice(who, 2, "b") for who in ("S1", "S2", "S3")),
    ]

    found = agreement_report(lines)["languages"]["af"]

    assert kept_items(lines) == [0, 1]
    assert found["sufficient_context"]["value"] == pytest.approx(2 / 3)
    assert found["choices"]["total_agreement"] == pytest.approx(2 / 3)
    assert found["choices"]["pabak"] == pytest.approx(1 / 3)
    assert found["confidence"]["No idea"] == 1.0


def test_sufficient_context_needs_the_labels():
    found = agreement_report([choice("S1", 0, "a", label=None)])["languages"]["af"]

    assert found["sufficient_context"]["value"] is None
    assert "no labels" in found["sufficient_context"]["reason"]
    assert found["choices"]["reason"]


def test_kappa_has_a_reason_where_only_one_category_occurs():
    found = agreement_report([choice(who, 0, "a") for who in ("S1", "S2", "S3")])

    choices = found["languages"]["af"]["choices"]
    assert (choices["fleiss_kappa"], choices["total_agreement"]) == (None, 1.0)
    assert choices["reason"] == "only one category occurs"


def test_unequal_numbers_of_annotators_have_a_reason_too():
    lines = [choice("S1", 0, "a"), choice("S2", 0, "b"), choice("S1", 1, "a")]
    lines += [choice("S2", 1, "b"), choice("S3", 1, "b")]

    choices = agreement_report(lines)["languages"]["af"]["choices"]

    assert choices["fleiss_kappa"] is None
    assert choices["reason"] == "questions with [2, 3] annotators"
