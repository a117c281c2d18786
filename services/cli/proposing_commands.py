"""Commands that choose SemRel's sentence pairs for annotators: semrel propose."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, get_args

import typer

from benchmarks.semrel.proposal_files import (
    PARAPHRASE,
    SIMILARITY,
    draw_proposals,
    read_proposals,
    read_sentences,
)
from benchmarks.semrel.proposer import Lengths, Method, Proposal, propose_pairs, without_repetitions
from services.cli.exits import UsageError
from services.cli.options import JsonOption
from services.cli.outputs import ForceOption, check_outputs, write_text
from services.cli.printing import print_json, say
from services.cli.progress import progress_bar

COLUMNS = ("PairID", "Text", "Method", "Value")
METHODS: tuple[Method, ...] = get_args(Method)
LENGTHS = Lengths()


class MethodOption(StrEnum):
    """How pairs of a corpus are found."""

    OVERLAP = "overlap"
    TF_IDF = "tf-idf"
    CONTIGUITY = "contiguity"
    RANDOM = "random"


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="semrel", help="New data for SemRel.", no_args_is_help=True)
    group.callback()(_keep_as_group)
    group.command()(propose)
    app.add_typer(group)


def _keep_as_group() -> None:
    """Choose sentence pairs that are worth annotating."""


def propose(  # noqa: PLR0913  # one parameter an option
    out: Annotated[Path, typer.Option("--out", help="The CSV to write: PairID, Text, …")],
    corpus: Annotated[
        Path | None, typer.Option("--corpus", help="A sentence a line; blank lines end documents.")
    ] = None,
    method: Annotated[
        list[MethodOption], typer.Option("--method", help="On the corpus; repeatable, else all.")
    ] = [],  # noqa: B006  # typer copies it
    paraphrases: Annotated[
        Path | None, typer.Option("--paraphrases", help="Lines of two sentences and a TAB.")
    ] = None,
    similarities: Annotated[
        Path | None, typer.Option("--similarities", help="The same, with a number in [0, 1].")
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Pairs of each method at most.")] = 100,
    min_words: Annotated[int, typer.Option(min=1, help="Of a sentence.")] = LENGTHS.least,
    max_words: Annotated[int, typer.Option(min=1, help="Of a sentence.")] = LENGTHS.most,
    seed: Annotated[int, typer.Option(min=0, help="Where drawing starts.")] = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Propose pairs from unrelated to paraphrases; `bws tuples` makes tuples of them."""
    check_outputs([out], force=force)
    if min_words > max_words:
        raise UsageError(f"--min-words {min_words} is more than --max-words {max_words}")
    if method and corpus is None:
        raise UsageError(f"--method {method[0]} needs --corpus")
    lengths = Lengths(min_words, max_words)
    chosen = [known for known in METHODS if not method or known in method]
    found: list[Proposal] = []
    if corpus is not None:
        found += _from_corpus(read_sentences(corpus), chosen, n, seed, lengths)
    for name, path in ((PARAPHRASE, paraphrases), (SIMILARITY, similarities)):
        if path is not None:
            found += draw_proposals(read_proposals(path, name, lengths), n, seed, name)
    if corpus is None and not found and paraphrases is None and similarities is None:
        raise UsageError("nothing to draw from; give --corpus, --paraphrases or --similarities")
    pairs = without_repetitions(found)
    write_text(out, _csv(pairs))
    _tell(out, pairs, len(found) - len(pairs), as_json=as_json)


def _from_corpus(
    sentences: Sequence[str], methods: Sequence[Method], n: int, seed: int, lengths: Lengths
) -> Iterator[Proposal]:
    with progress_bar() as progress:
        for name in progress.track(methods, description="methods"):
            yield from propose_pairs(sentences, name, n, seed, lengths)


def _csv(pairs: Iterable[Proposal]) -> str:
    sheet = io.StringIO(newline="")
    rows = csv.writer(sheet)
    rows.writerow(COLUMNS)
    for number, pair in enumerate(pairs):
        value = "" if pair.value is None else f"{pair.value:.4f}"
        rows.writerow((f"P{number:05}", f"{pair.text_a}\n{pair.text_b}", pair.method, value))
    return sheet.getvalue()


def _tell(out: Path, pairs: Sequence[Proposal], n_repeated: int, *, as_json: bool) -> None:
    by_method = dict(Counter(pair.method for pair in pairs))
    if as_json:
        facts = {"n_pairs": len(pairs), "n_repeated": n_repeated, "n_by_method": by_method}
        print_json({"schema": 1, "file": str(out), **facts})
        return
    counts = ", ".join(f"{name} {count}" for name, count in by_method.items())
    say(f"{out}: {len(pairs)} pairs ({counts or 'no method found any'})")
    if n_repeated:
        say(f"left out: {n_repeated} pairs that two methods proposed")
