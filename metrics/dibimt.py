"""How well does a translation system tell senses apart, and to which senses does it drift?

Source: Campolungo et al. 2022 (DiBiMT).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics.dibimt_agreement import estimate_agreement, estimate_mean_agreement, language_pairs
from metrics.dibimt_errors import (
    estimate_error_share,
    estimate_mean_error_share,
    is_paired,
    spread_scores,
)
from metrics.dibimt_groups import LARGE_GROUP, By, estimate_influence, groups
from metrics.dibimt_parts import Part, make_score, part_of
from metrics.dibimt_verdicts import PROPORTIONS
from metrics.score import Score
from metrics.statistics.intervals import proportion
from metrics.statistics.macro import macro_proportion
from metrics.table import OutcomeRow

INFLUENCES: Mapping[str, By] = {"sfii": "mu", "spdi": "delta"}


def scores(rows: Sequence[OutcomeRow], settings: Mapping[str, Any], seed: int) -> list[Score]:
    """Return every score of a run, headline rows first; intervals resample lemmas.

    Args:
        rows: Every case of the run.
        settings: The benchmark's; outcomes were judged by them and nothing here depends on them.
        seed: Where resampling starts.
    """
    found: list[Score] = []
    asked = part_of(rows, "translate")
    translated = _of_style(asked, "")
    if translated.rows:
        found += _headlines(translated, seed)
        found += _agreement_scores(translated, seed)
    pairs = part_of(rows, "model_errors")
    if pairs.rows:
        found += _error_scores(pairs, seed)
    if translated.rows:
        subsets = sorted({row.subset for row in translated.rows if row.subset is not None})
        for subset in subsets:
            found += _headlines(translated.narrowed(subset), seed)
        found += _large_group_scores(translated, seed)
        found += _group_scores(translated, seed)
        found += _style_scores(asked, seed)
    return found


def _of_style(part: Part, style: str) -> Part:
    """Return the rows of one prompt style; the headline's has no name."""
    kept = {
        language: [row for row in rows if row.variant == style]
        for language, rows in part.rows_by_language.items()
    }
    setting = f"prompt_style={style}" if style else None
    return replace(part, rows_by_language=kept, setting=setting)


def _style_scores(part: Part, seed: int) -> Iterator[Score]:
    """Yield the accuracy of each further prompt style, then how far all of them lie apart."""
    styles = sorted({row.variant for row in part.rows})
    found = {
        style: [_proportion_score(each, "accuracy", seed) for each in _of_style(part, style).each()]
        for style in styles
    }
    for style in filter(None, styles):
        yield from found[style]
    if len(styles) > 1:
        yield from spread_scores([score for scores in found.values() for score in scores])


def _headlines(part: Part, seed: int) -> Iterator[Score]:
    """Yield the seven scores of each language and of their mean."""
    for metric in PROPORTIONS:
        yield from (_proportion_score(each, metric, seed) for each in part.each())
    for metric, by in INFLUENCES.items():
        for each in part.each():
            languages = list(each.rows_by_language.values())
            yield make_score(each, metric, estimate_influence(languages, by, 1, seed))


def _large_group_scores(part: Part, seed: int) -> Iterator[Score]:
    large = replace(part, setting=f"min_group={LARGE_GROUP}")
    for metric, by in INFLUENCES.items():
        for each in large.each():
            languages = list(each.rows_by_language.values())
            yield make_score(each, metric, estimate_influence(languages, by, LARGE_GROUP, seed))


def _group_scores(part: Part, seed: int) -> Iterator[Score]:
    """Yield the accuracy within each μ and each δ: n is the group's size, 1 - value its errors."""
    for language, rows in part.rows_by_language.items():
        for by in INFLUENCES.values():
            for group in groups(rows, by):
                kept = [row for row in rows if row.detail.get(by) == group.index]
                one = replace(part.of_language(language), setting=f"{by}={group.index}")
                own = replace(one, rows_by_language={language: kept})
                yield _proportion_score(own, "accuracy", seed)


def _agreement_scores(part: Part, seed: int) -> Iterator[Score]:
    """Yield the agreement of each pair of languages (`de_es`) and the mean over pairs."""
    pairs = language_pairs(part.rows_by_language)
    for pair in pairs:
        coverage = len(pair.values) / pair.n_items if pair.n_items else None
        estimate = estimate_agreement(pair, seed)
        score = make_score(part, "sense_agreement", estimate)
        yield score.model_copy(update={"language": pair.name, "coverage": coverage})
    if pairs:
        yield make_score(part, "sense_agreement", estimate_mean_agreement(pairs, seed))


def _error_scores(part: Part, seed: int) -> Iterator[Score]:
    """Yield the share of wrong translations a model finds likelier; unpaired items are no items."""
    kept = {
        language: [row for row in rows if is_paired(row)]
        for language, rows in part.rows_by_language.items()
    }
    variants = sorted({row.variant for row in part.rows})
    found: list[Score] = []
    for variant in variants:
        own = _of_style(replace(part, rows_by_language=kept), variant)
        found += [_error_score(each, seed) for each in own.each()]
    yield from found
    if len(variants) > 1:
        yield from spread_scores(found)


def _error_score(part: Part, seed: int) -> Score:
    languages = list(part.rows_by_language.values())
    found = (
        estimate_error_share(languages[0], seed)
        if part.is_single
        else estimate_mean_error_share(part.rows_by_language, seed)
    )
    return make_score(part, "model_error_share", found)


def _proportion_score(part: Part, metric: str, seed: int) -> Score:
    value_of, reason = PROPORTIONS[metric]
    values = [value_of(row) for row in part.rows]
    units = [row.unit for row in part.rows]
    if part.is_single:
        found = proportion(values, units, [str(row.subset) for row in part.rows], seed)
    else:
        languages = [row.language for row in part.rows]
        strata = [f"{row.language} {row.subset}" for row in part.rows]
        found = macro_proportion(values, languages, units, strata, seed)
    if found.value is None and part.is_single:
        found = replace(found, reason=reason)
    return make_score(part, metric, found)
