"""Commands about DTAiLS' two annotation studies: dtails annotate export, import.

Study `rules`: do the variations mean the concept, is one missing, are the rules right? Study
`sentences`: which variation fits a sentence? `polysense agreement` counts what comes back.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.dtails.annotation import (
    AnnotationLine,
    RulesLine,
    SentenceLine,
    add_labels,
    annotations_text,
    is_answered,
    read_placed,
)
from benchmarks.dtails.annotation_tasks import rules_tasks, sentence_tasks
from benchmarks.dtails.data import read_rows, read_words
from benchmarks.dtails.mining_report import rows_file
from benchmarks.dtails.rules_artefact import read_artefact
from metrics.dtails_agreement import kept_items
from services.cli.exits import UsageError
from services.cli.options import JsonOption
from services.cli.outputs import ForceOption, check_outputs, make_folder, write_text
from services.cli.printing import print_json, say

N_ANNOTATORS = 3
"""Of each study, in the paper."""
ID = re.compile(r"[A-Za-z0-9_-]{1,16}")
Tasks = Mapping[str, Sequence[RulesLine | SentenceLine]]
"""By annotator."""
LanguageCode = Annotated[str, typer.Option("--language", help="Of the variations, such as af.")]
OutFolder = Annotated[Path, typer.Option("--out", help="A folder; one file an annotator.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Where each annotator's order starts.")]
Candidates = Annotated[
    Path | None,
    typer.Option("--candidates", help="A test set as `mine` draws it, or an expert_dataset.csv."),
]


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="dtails", help="DTAiLS' annotation studies.", no_args_is_help=True)
    annotate = typer.Typer(name="annotate", no_args_is_help=True)
    annotate.callback()(_annotate)
    export = typer.Typer(name="export", no_args_is_help=True)
    export.callback()(_export)
    export.command(name="rules")(export_rules)
    export.command(name="sentences")(export_sentences)
    annotate.add_typer(export)
    annotate.command(name="import")(import_answers)
    group.add_typer(annotate)
    app.add_typer(group)


def _annotate() -> None:
    """Write files for annotators, and take back what they have answered."""


def _export() -> None:
    """Write one file an annotator, each in an order of its own."""


def export_rules(  # noqa: PLR0913  # one parameter an option
    words: Annotated[Path, typer.Option("--words", help="A .words file: concepts, variations.")],
    language: LanguageCode,
    out: OutFolder,
    rules: Annotated[
        Path | None, typer.Option("--rules", help="An artefact of `rules make`, to be judged too.")
    ] = None,
    annotators: Annotated[
        str, typer.Option(help="Anonymous ids, joined by commas; three in the paper.")
    ] = "r1,r2,r3",
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Study of variations and rules: is one missing, which are wrong, which rules are right?"""
    ids = _ids(annotators)
    concepts = _concepts(words)
    known = {} if rules is None else _rules(rules, language)
    tasks = rules_tasks(language, concepts, known, ids, seed)
    facts = {"n_concepts": len(concepts), "n_rules": sum(len(x.rules) for x in tasks[ids[0]])}
    _write(tasks, out, f"rules-{language}", force=force)
    _tell(out, {"study": "rules", "annotators": ids, "seed": seed, **facts}, as_json=as_json)


def export_sentences(  # noqa: PLR0913  # one parameter an option
    candidates: Annotated[
        Path, typer.Option("--candidates", help="A test set as `mine` draws it: candidates.csv.")
    ],
    language: LanguageCode,
    out: OutFolder,
    annotators: Annotated[
        str, typer.Option(help="Anonymous ids, joined by commas; three in the paper.")
    ] = "s1,s2,s3",
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Study of sentences: which variation fits, and how sure? Labels are not shown."""
    ids = _ids(annotators)
    rows = read_rows(candidates)
    _write(sentence_tasks(language, rows, ids, seed), out, f"sentences-{language}", force=force)
    facts = {"n_sentences": len(rows), "n_concepts": len({row.concept for row in rows})}
    _tell(out, {"study": "sentences", "annotators": ids, "seed": seed, **facts}, as_json=as_json)


def import_answers(  # noqa: PLR0913  # one parameter an option
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What came back.")],
    out: Annotated[Path, typer.Option("--out", help="One file for `polysense agreement`.")],
    candidates: Candidates = None,
    language: Annotated[str | None, typer.Option("--language", help="Of the candidates.")] = None,
    kept: Annotated[
        Path | None, typer.Option("--kept", help="Write the sentences two annotators agree on.")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Join what annotators answered, with the labels; nobody may be in both studies."""
    if (candidates is None) != (language is None):
        raise UsageError("--candidates and --language belong together")
    if kept is not None and candidates is None:
        raise UsageError("--kept needs --candidates and --language")
    check_outputs([path for path in (out, kept) if path is not None], force=force)
    placed = read_placed(files)
    lines = [each.line for each in placed]
    facts = _answered(lines)
    if candidates is not None and language is not None:
        rows = read_rows(candidates)
        labelled = add_labels(placed, rows, language)
        lines = [*(line for line in lines if isinstance(line, RulesLine)), *labelled]
        chosen = [rows[number] for number in kept_items(labelled)]
        facts |= {"n_annotated": len({line.item for line in labelled}), "n_kept": len(chosen)}
        if kept is not None:
            write_text(kept, rows_file(chosen))
    write_text(out, annotations_text(lines))
    _tell(out, facts, as_json=as_json)


def _ids(text: str) -> list[str]:
    ids = [name.strip() for name in text.split(",")]
    if bad := [name for name in ids if not ID.fullmatch(name)]:
        raise UsageError(f"--annotators {bad[0]!r}: 1 to 16 letters, digits, _ and - are allowed")
    if len(set(ids)) < len(ids):
        raise UsageError(f"--annotators {text}: an id stands twice")
    if len(ids) != N_ANNOTATORS:
        say(f"{len(ids)} annotators; the paper has {N_ANNOTATORS}")
    return ids


def _concepts(path: Path) -> dict[str, Sequence[str]]:
    """Return variations by concept; one that stands under two parts of speech names its own."""
    words = read_words(path)
    n_by_concept = Counter(word.concept for word in words)
    concepts: dict[str, Sequence[str]] = {}
    for word in words:
        name = word.concept
        if n_by_concept[name] > 1:
            name = f"{name} ({word.upos})"
        if name in concepts:
            raise UsageError(f"{path}, line {word.line}: {name} stands there twice")
        concepts[name] = word.variations
    return concepts


def _rules(path: Path, language: str) -> dict[str, Mapping[str, str]]:
    found = read_artefact(path).languages
    if language not in found:
        raise UsageError(f"--rules {path}: no rules for {language}; it has: {', '.join(found)}")
    concepts = found[language].concepts
    return {name: each.rules for name, each in concepts.items() if each.rules is not None}


def _write(tasks: Tasks, out: Path, study: str, *, force: bool) -> None:
    """Write each annotator's file, unless someone is in the other study of this folder."""
    names = {annotator: f"{study}-{annotator}.jsonl" for annotator in tasks}
    other = "sentences" if study.startswith("rules") else "rules"
    for annotator in tasks:
        if found := sorted(out.glob(f"{other}-*-{annotator}.jsonl")):
            raise UsageError(f"--annotators {annotator}: is in the other study, {found[0]}")
    make_folder(out, names.values(), force=force)
    for annotator, name in names.items():
        write_text(out / name, annotations_text(tasks[annotator]))


def _answered(lines: Sequence[AnnotationLine]) -> dict[str, Any]:
    asked = Counter(line.annotator for line in lines)
    answered = Counter(line.annotator for line in lines if is_answered(line))
    return {
        "n_lines": len(lines),
        "n_unanswered": len(lines) - answered.total(),
        "annotators": {
            name: {"n_asked": asked[name], "n_answered": answered[name]} for name in sorted(asked)
        },
    }


def _tell(out: Path, facts: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json({"schema": 1, "file": str(out), **facts})
        return
    counts = [f"{name[2:]} {value}" for name, value in facts.items() if name.startswith("n_")]
    say(f"{out}: {', '.join(counts)}")
