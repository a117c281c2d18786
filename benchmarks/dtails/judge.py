"""What an answer or a translation is worth; every parser's and matcher's verdict is kept."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from benchmarks.benchmark import Case, Item, Outcome
from benchmarks.dtails.answers import PARSERS, Reading, marked_text
from benchmarks.dtails.selection import INVALID, RETRY, read_rules, shown_variations, text_of
from benchmarks.dtails.settings import DtailsSettings
from benchmarks.dtails.translations import match_translation
from benchmarks.dtails.variations import position_of, share_with
from benchmarks.errors import ReplayError, SettingError
from benchmarks.responses import Response
from languages.errors import LanguageError
from languages.lemmatisation import Lemmatiser, open_lemmatiser

VERSION = "dtails-judge-2"


def baseline_values(item: Item) -> dict[str, float | None]:
    """Return what the frequency baseline gets on an item, and what chance gets on average."""
    return {
        "frequency": share_with(item.fields["frequency"], item.fields["label"]),
        "chance": 1 / len(item.fields["variations"]),
    }


def judge_selection(
    case: Case, responses: Mapping[str, Response], settings: DtailsSettings
) -> Outcome:
    """Judge the first answer, or the retry's where the first had no marks; unreadable is wrong.

    Raises:
        ReplayError: The question itself was never answered.
    """
    item, rules = case.item, _rules_state(case.item, responses)
    if rules == INVALID and settings.invalid_rules == "unscored":
        detail = {"rules": rules, "gold": item.fields["label"]}
        return Outcome(None, is_valid=False, detail=detail, baselines=baseline_values(item))
    if case.variant not in responses:
        raise ReplayError(f"dtails/select/{item.language}/{item.id}/{case.variant}: no answer")
    answers = [text_of(responses[case.variant])]
    if marked_text(answers[0]) is None and case.variant + RETRY in responses:
        answers.append(text_of(responses[case.variant + RETRY]))
    shown = shown_variations(case)
    readings = {name: read(answers[-1], shown) for name, read in PARSERS.items()}
    counted = readings[settings.parser]
    gold = item.fields["label"]
    return Outcome(
        share_with(counted.variation, gold),
        is_valid=counted.variation is not None,
        detail={
            **_placed(counted, gold, shown),
            "n_answers": len(answers),
            "rules": rules,
            "parsers": {name: _verdict(reading, gold) for name, reading in readings.items()},
        },
        baselines=baseline_values(item),
    )


def _rules_state(item: Item, responses: Mapping[str, Response]) -> str:
    """Return none, given, or invalid."""
    if "rules_prompt" in item.fields:
        return INVALID if read_rules(item, responses)[1] in {None, INVALID} else "given"
    if "rules" not in item.fields:
        return "none"
    return INVALID if item.fields["rules"] is None else "given"


def _placed(reading: Reading, gold: str, shown: Sequence[str]) -> dict[str, Any]:
    return {
        "predicted": reading.variation,
        "gold": gold,
        "position": position_of(reading.variation, shown),
        "gold_position": position_of(gold, shown),
        "n_variations": len(shown),
    }


def _verdict(reading: Reading, gold: str) -> dict[str, Any]:
    return {
        "value": share_with(reading.variation, gold),
        "predicted": reading.variation,
        "similarity": reading.similarity,
        "is_marked": reading.is_marked,
    }


def judge_translation(item: Item, response: Response, settings: DtailsSettings) -> Outcome:
    """Judge a translation by the variation found in it; none found is wrong.

    Raises:
        SettingError: The lemmatiser lacks the language.
    """
    gold = item.fields["label"]
    lemmas = lemmatiser_of(settings).lemmas
    try:
        matches = match_translation(
            text_of(response), item.fields["variations"], item.language, lemmas
        )
    except LanguageError as error:
        raise SettingError(str(error)) from error
    counted = matches[settings.matcher]
    return Outcome(
        share_with(counted.variation, gold),
        is_valid=counted.variation is not None,
        detail={
            "predicted": counted.variation,
            "gold": gold,
            "step": counted.step,
            "matchers": {
                name: {
                    "value": share_with(match.variation, gold),
                    "predicted": match.variation,
                    "step": match.step,
                    "similarity": match.similarity,
                }
                for name, match in matches.items()
            },
        },
        baselines=baseline_values(item),
    )


def lemmatiser_of(settings: DtailsSettings) -> Lemmatiser:
    """Return the chosen lemmatiser, opened once a process.

    Raises:
        SettingError: There is no such lemmatiser, or it is not installed.
    """
    try:
        return _open(settings.lemmatiser)
    except LanguageError as error:
        raise SettingError(f"setting lemmatiser={settings.lemmatiser}: {error}") from error


@cache
def _open(name: str) -> Lemmatiser:
    return open_lemmatiser(name)
