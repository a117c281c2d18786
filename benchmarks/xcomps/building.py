"""How is a new language built from COMPS? Terms, their translations, a review, sentence pairs.

Each step reads what the one before has stored and leaves a list of JSON records, so that every step
can be kept, looked at and done again: terms → (a model translates) → review file → (a person
corrects) → (a model writes sentences) → records that the loader reads, with COMPS's ids.

Source: He et al. 2025 (arXiv:2502.19737), appendix A; the prompts are our own.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.errors import DataError
from benchmarks.requests import GenerateRequest, Message
from benchmarks.xcomps.records import Pair

BUILDING_VERSION = "1"
MAX_NEW_TOKENS = 256
SEED_LANGUAGES = {"de": "German", "zh": "Chinese"}
"""Translated by hand, and shown to the model beside the English."""

Step = Mapping[str, Any]
"""One record of a step."""

TRANSLATE = (
    "Translate the English {kind} into {language}. Keep the sense that the other languages show."
    "\nEnglish: {en}{seeds}\nAnswer with the {language} {kind} only."
)
WRITE = (
    "Write two sentences in {language} that differ only in what they are about."
    "\nFirst: {acceptable} – {property}\nSecond: {unacceptable} – {property}"
    '\nAnswer with JSON only: {{"acceptable": "…", "unacceptable": "…"}}'
)


def terms_of(pairs: Sequence[Pair], seeds: Mapping[str, Mapping[str, str]]) -> Iterator[Step]:
    """Yield every concept and property once, with its hand-made translations.

    Args:
        pairs: Of COMPS; those without concepts or property are passed over.
        seeds: English term → language code → translation.
    """
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        if pair.concepts is None or pair.property_name is None:
            continue
        named = [("concept", concept) for concept in pair.concepts]
        for kind, term in (*named, ("property", pair.property_name)):
            if (kind, term) not in seen:
                seen.add((kind, term))
                yield {"id": len(seen) - 1, "kind": kind, "en": term, **seeds.get(term, {})}


def translation_request(term: Step, language: str, language_name: str) -> GenerateRequest:
    """Return the question for one term's translation."""
    seeds = "".join(
        f"\n{name}: {term[code]}" for code, name in SEED_LANGUAGES.items() if term.get(code)
    )
    text = TRANSLATE.format(kind=term["kind"], language=language_name, en=term["en"], seeds=seeds)
    return _ask(f"xcomps/build/{language}/term/{term['id']}", text)


def review_row(term: Step, answer: str) -> Step:
    """Return the row a person reviews: they fill `reviewed`, or leave it to keep `proposed`."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    return {**term, "proposed": lines[0] if lines else "", "reviewed": ""}


def reviewed_terms(rows: Iterable[tuple[str, Step]]) -> dict[tuple[str, str], str]:
    """Return the final translation of every term by (kind, English).

    Args:
        rows: Of the review file, each with its place.

    Raises:
        DataError: A term has no translation, or stands there twice.
    """
    found: dict[tuple[str, str], str] = {}
    for place, row in rows:
        if missing := [name for name in ("kind", "en", "proposed") if name not in row]:
            raise DataError(f"{place}: {missing[0]!r} is missing")
        text = str(row.get("reviewed") or row["proposed"]).strip()
        key = (str(row["kind"]), str(row["en"]))
        if not text:
            raise DataError(f"{place}: {key[0]} {key[1]!r} has no translation")
        if key in found:
            raise DataError(f"{place}: {key[0]} {key[1]!r} stands there twice")
        found[key] = text
    return found


def sentence_request(
    pair: Pair, terms: Mapping[tuple[str, str], str], language: str, language_name: str
) -> GenerateRequest:
    """Return the question for one pair's two sentences.

    Raises:
        DataError: A term of the pair was not reviewed.
    """
    acceptable, unacceptable, shared = _translated(pair, terms)
    text = WRITE.format(
        language=language_name, acceptable=acceptable, unacceptable=unacceptable, property=shared
    )
    return _ask(f"xcomps/build/{language}/pair/{pair.id}", text)


def built_record(pair: Pair, terms: Mapping[tuple[str, str], str], answer: str) -> Step:
    """Return a record of the third schema, with COMPS's id.

    Raises:
        DataError: The answer is not the JSON that was asked for.
    """
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found = json.loads(answer[start : end + 1])
        sentences = [str(found[name]).strip() for name in ("acceptable", "unacceptable")]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"pair {pair.id}: no JSON with two sentences in {answer[:80]!r}") from error
    if not all(sentences) or sentences[0] == sentences[1]:
        raise DataError(f"pair {pair.id}: the sentences are blank or identical: {sentences[0]!r}")
    acceptable, unacceptable, shared = _translated(pair, terms)
    return {
        "id": pair.id,
        "property": shared,
        "acceptable_concept": acceptable,
        "unacceptable_concept": unacceptable,
        "negative_sample_type": pair.negative_type,
        "sentence_good": sentences[0],
        "sentence_bad": sentences[1],
    }


def _translated(pair: Pair, terms: Mapping[tuple[str, str], str]) -> tuple[str, str, str]:
    if pair.concepts is None or pair.property_name is None:
        raise DataError(f"pair {pair.id}: building needs COMPS's concepts and property")
    keys = [("concept", concept) for concept in pair.concepts]
    keys.append(("property", pair.property_name))
    if unknown := [key for key in keys if key not in terms]:
        raise DataError(f"pair {pair.id}: {unknown[0][0]} {unknown[0][1]!r} was not reviewed")
    return terms[keys[0]], terms[keys[1]], terms[keys[2]]


def _ask(key: str, text: str) -> GenerateRequest:
    message = Message(role="user", content=text)
    return GenerateRequest(key=key, messages=(message,), max_new_tokens=MAX_NEW_TOKENS)
