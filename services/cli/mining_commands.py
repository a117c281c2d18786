"""Commands that find DTAiLS' concepts in a parallel corpus: mine."""

import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ValidationError

from benchmarks.dtails.mining import MiningSettings
from benchmarks.dtails.mining_corpus import lemmatise, read_pairs
from benchmarks.dtails.mining_job import Corpus, MiningJob, MiningResult, mine_corpus
from benchmarks.dtails.mining_senses import tag_by_wordnet
from benchmarks.dtails.mining_test_set import TestSetSettings
from benchmarks.dtails.names import SOURCE_CODE
from benchmarks.validation import problem_reason
from languages.alignment_awesome import LAYER
from languages.errors import BackendUnavailableError
from languages.lemmatisation import Lemmatiser, open_lemmatiser
from languages.wordnet import WordNet, open_wordnet
from services.cli.aligning import links_by_model
from services.cli.exits import UsageError
from services.cli.options import JsonOption, absolute_model
from services.cli.printing import print_json, print_table, say
from services.cli.progress import progress_bar
from services.cli.store import wait_for
from services.home import open_home

N_SHOWN = 20
MAX_SHOWN = 48
"""Characters of a concept's variations in the table."""
REPORT, CANDIDATES = "report.json", "candidates.csv"


class Aligner(StrEnum):
    """How words are linked to their translations."""

    IBM1 = "ibm1"
    AWESOME = "awesome"


class EntropyBaseOption(StrEnum):
    """The base of the entropy's logarithm."""

    E = "e"
    TWO = "2"


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command()(mine)


def mine(  # noqa: PLR0913  # one parameter an option
    source: Annotated[Path, typer.Option("--source", help="English, a sentence a line.")],
    target: Annotated[Path, typer.Option("--target", help="Its translations, line by line.")],
    language: Annotated[str, typer.Option("--language", help="Of the translations.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for report, .words, candidates.")
    ] = None,
    words: Annotated[
        Path | None, typer.Option("--words", help="A .words file to be found again.")
    ] = None,
    senses: Annotated[
        Path | None, typer.Option("--senses", help="JSON lines: line, lemma, sense.")
    ] = None,
    wordnet: Annotated[
        Path | None, typer.Option("--wordnet", help="WordNet's folder; else where Debian puts it.")
    ] = None,
    lemmatiser: Annotated[
        str, typer.Option(help="auto (stanza where its models are), default, stanza[:<folder>].")
    ] = "auto",
    aligner: Annotated[Aligner, typer.Option(help="awesome needs a model.")] = Aligner.IBM1,
    model: Annotated[
        str, typer.Option("--model", help="For awesome: demo-encoder, hf:…, scorer:<url>.")
    ] = "demo-encoder",
    layer: Annotated[int, typer.Option(help="For awesome: of the hidden states.")] = LAYER,
    min_count: Annotated[int | None, typer.Option(help="Of a variation.")] = None,
    min_variations: Annotated[int | None, typer.Option(help="Of a concept.")] = None,
    min_entropy: Annotated[float | None, typer.Option(help="Of a concept.")] = None,
    entropy_base: Annotated[EntropyBaseOption | None, typer.Option()] = None,
    n_concepts: Annotated[int | None, typer.Option(help="Of the candidate test set.")] = None,
    n_sentences: Annotated[int | None, typer.Option(help="A concept, in the test set.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """Find concepts with several frequent, evenly used translations; draw a test set."""
    _check_files(source, target, words, senses)
    rules = {
        "min_count": min_count,
        "min_variations": min_variations,
        "min_entropy": min_entropy,
        "entropy_base": entropy_base,
    }
    test_set = {"n_concepts": n_concepts, "n_sentences": n_sentences}
    job = MiningJob(
        source=source,
        target=target,
        language=language,
        lemmatiser=_lemmatiser(lemmatiser, language),
        settings=MiningSettings.model_validate(_given(MiningSettings, rules)),
        test_set=TestSetSettings.model_validate(_given(TestSetSettings, test_set)),
        seed=seed,
        wordnet=_wordnet(wordnet),
        senses=senses,
        known=words,
    )
    corpus = _read(job)
    links = None
    if aligner is Aligner.AWESOME:
        links = wait_for(links_by_model(open_home(), job, corpus, absolute_model(model), layer))
    say(f"mining {len(corpus.pairs)} sentence pairs")
    result = mine_corpus(job, corpus, links)
    if links is not None:
        result.report["aligner"] = f"awesome, layer {layer} of {model}"
    _write(result, out, language)
    _tell(result.report, as_json=as_json)


def _check_files(*files: Path | None) -> None:
    for file in files:
        if file is not None and not file.is_file():
            raise UsageError(f"no file at {file}")


def _given(settings: type[BaseModel], values: Mapping[str, object]) -> dict[str, object]:
    """Return the values that were given, if they are allowed.

    Raises:
        UsageError: One is not.
    """
    given = {name: value for name, value in values.items() if value is not None}
    try:
        settings.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0]).replace("_", "-")
        raise UsageError(f"--{name} {first['input']}: {problem_reason(first)}") from error
    return given


def _lemmatiser(name: str, language: str) -> Lemmatiser:
    """Return a lemmatiser by name; `auto`: Stanza if it has both languages, else the default."""
    if name != "auto":
        return open_lemmatiser(name)
    try:
        stanza = open_lemmatiser("stanza")
        for code in (SOURCE_CODE, language):
            stanza.lemmas("", code)
    except BackendUnavailableError:
        return open_lemmatiser()
    return stanza


def _wordnet(folder: Path | None) -> WordNet | None:
    """Return WordNet from the folder that was given; else if it is installed."""
    if folder is not None:
        return open_wordnet(folder)
    try:
        return open_wordnet()
    except BackendUnavailableError as error:
        say(f"without senses and parts of speech: {error}")
        return None


def _read(job: MiningJob) -> Corpus:
    texts = read_pairs(job.source, job.target)
    tag_word = tag_by_wordnet(job.wordnet) if job.wordnet else lambda lemma: None
    lemmas = lemmatise(texts, job.language, job.lemmatiser, tag_word)
    with progress_bar() as progress:
        pairs = list(progress.track(lemmas, total=len(texts), description="lemmas"))
    return Corpus(texts, pairs)


def _write(result: MiningResult, out: Path | None, language: str) -> None:
    if out is None:
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        report = json.dumps(result.report, ensure_ascii=False, indent=2)
        (out / REPORT).write_text(report + "\n", encoding="utf-8")
        (out / f"{language}.words").write_text(result.words, encoding="utf-8")
        (out / CANDIDATES).write_text(result.candidates, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out {out}: cannot be written: {error.strerror}") from error
    say(f"written to {out}: {REPORT}, {language}.words, {CANDIDATES}")


def _tell(report: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
        return
    concepts = report["concepts"]
    rows = [
        (found["concept"], found["upos"], f"{found['entropy_e']:.2f}", _variations(found))
        for found in concepts[:N_SHOWN]
    ]
    print_table("", ("concept", "POS", "entropy ", "variations"), rows)
    if len(concepts) > N_SHOWN:
        sys.stdout.write(f"… and {len(concepts) - N_SHOWN} more\n")
    rejected = ", ".join(f"{n} {reason}" for reason, n in report["n_rejected"].items())
    sys.stdout.write(
        f"{len(concepts)} concepts from {report['n_pairs']} pairs and {report['n_links']} links"
        f" ({report['aligner']}); not kept: {rejected or 'none'}\n"
    )
    drawn = report["test_set"]
    sys.stdout.write(
        f"candidate test set: {drawn['n_sentences']} sentences, {drawn['n_concepts']} concepts\n"
    )
    if report["known"] is not None:
        _tell_known(report["known"])


def _variations(found: dict[str, Any]) -> str:
    text = ", ".join(f"{name} {n}" for name, n in found["variations"].items())
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _tell_known(known: dict[str, Any]) -> None:
    rows = [
        (found["concept"], "yes" if found["is_found"] else "no", *_columns(found))
        for found in known["concepts"]
    ]
    sys.stdout.write("\n")
    print_table("found again", ("concept", "mined", "found", "missed"), rows)
    sys.stdout.write(
        f"concepts: {known['n_concepts_found']} of {known['n_concepts']};"
        f" variations: {known['n_variations_found']} of {known['n_variations']}\n"
    )


def _columns(found: dict[str, Sequence[str]]) -> tuple[str, str]:
    half = MAX_SHOWN // 2
    texts = [", ".join(found[name]) for name in ("found", "missed")]
    first, second = (text if len(text) <= half else text[: half - 1] + "…" for text in texts)
    return first, second
