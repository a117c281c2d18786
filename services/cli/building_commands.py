"""Commands that build a language of XCOMPS from COMPS: xcomps build terms, translate, pairs.

Each step reads the file of the one before and leaves its own, with a manifest beside it: what was
read (checksums), which model answered, by which version of the prompts.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.errors import DataError
from benchmarks.requests import GenerateRequest
from benchmarks.xcomps.building import (
    BUILDING_VERSION,
    Step,
    built_record,
    review_row,
    reviewed_terms,
    sentence_request,
    terms_of,
    translation_request,
)
from benchmarks.xcomps.building_files import read_seeds, read_steps, read_terms, source_pairs
from languages.names import NAMES
from services.cli.asking import Answers, ask_model
from services.cli.exits import DONE, UNANSWERED, UsageError
from services.cli.options import JsonOption, ModelOption, absolute_data, absolute_model
from services.cli.outputs import ForceOption, check_outputs, file_sha256, json_lines, write_text
from services.cli.printing import print_json, say
from services.cli.progress import progress_bar
from services.cli.store import wait_for
from services.home import open_home

SOURCE_CODE = "en"
N_TOLD = 3
"""Questions without an answer that are told one by one."""
DataFolder = Annotated[str, typer.Option("--data", help="COMPS: a folder with comps_base*.jsonl.")]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="First N pairs, their groups whole.")
]
OutOption = Annotated[Path, typer.Option("--out", help="The JSON lines to write.")]
Code = Annotated[str, typer.Option("--language", help="The new language's code, such as es.")]
NameOption = Annotated[
    str | None, typer.Option("--language-name", help="As prompts call it; else by its code.")
]


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="xcomps", help="New languages for XCOMPS.", no_args_is_help=True)
    build = typer.Typer(name="build", no_args_is_help=True)
    build.callback()(_build)
    for step in (terms, translate, pairs):
        build.command()(step)
    group.add_typer(build)
    app.add_typer(group)


def _build() -> None:
    """Build a language from COMPS, step by step: terms, translate, pairs."""


def terms(
    data: DataFolder,
    out: OutOption,
    seeds: Annotated[
        Path | None, typer.Option("--seeds", help='JSON lines {"en", "de", "zh"}, made by hand.')
    ] = None,
    limit: LimitOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """First step: list every concept and property once, with hand-made translations."""
    check_outputs(_files(out), force=force)
    known = {} if seeds is None else read_seeds(seeds)
    found = list(terms_of(source_pairs(Path(str(absolute_data(data))), limit), known))
    if unused := sorted(set(known) - {str(term["en"]) for term in found}):
        say(f"{len(unused)} seeds are no term of these pairs: {', '.join(unused[:N_TOLD])}")
    facts = {"n_terms": len(found), "n_seeded": sum(len(term) > 3 for term in found)}
    read = {} if seeds is None else {"seeds": seeds}
    _leave(out, found, {"step": "terms", **facts, "limit": limit}, read)
    _tell(out, facts, as_json=as_json)


def translate(  # noqa: PLR0913  # one parameter an option
    file: Annotated[Path, typer.Argument(metavar="TERMS", help="What `terms` has written.")],
    language: Code,
    model: ModelOption,
    out: OutOption,
    language_name: NameOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Second step: let a model translate the terms into a file for a person to review."""
    check_outputs(_files(out), force=force)
    name = _name(language, language_name)
    found = read_terms(file)
    requests = [translation_request(term, language, name) for term in found]
    answers = _ask(model, requests, "terms")
    if answers.unanswered:
        return _refuse(answers, out)
    rows = [
        review_row(term, answers.texts[request.key])
        for term, request in zip(found, requests, strict=True)
    ]
    facts = {"n_terms": len(rows), "n_blank": sum(not row["proposed"] for row in rows)}
    step = {"step": "translate", "language": language, "model": answers.model, **facts}
    _leave(out, rows, step, {"terms": file})
    _tell(out, facts, as_json=as_json)
    say(f"now review {out}: fill `reviewed` where `proposed` is wrong")
    return DONE


def pairs(  # noqa: PLR0913  # one parameter an option
    review: Annotated[Path, typer.Argument(metavar="REVIEW", help="The reviewed terms.")],
    data: DataFolder,
    language: Code,
    model: ModelOption,
    out: OutOption,
    language_name: NameOption = None,
    limit: LimitOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Third step: let a model write each pair's sentences; a file that `run xcomps` reads."""
    check_outputs(_files(out), force=force)
    if not out.name.startswith(f"comps_{language}"):
        say(f"`run xcomps` looks for comps_{language}_….jsonl; {out.name} is not called so")
    name = _name(language, language_name)
    known = reviewed_terms(read_steps(review))
    wanted = source_pairs(Path(str(absolute_data(data))), limit)
    requests = [sentence_request(pair, known, language, name) for pair in wanted]
    answers = _ask(model, requests, "pairs")
    if answers.unanswered:
        return _refuse(answers, out)
    built, failed = [], {}
    for pair, request in zip(wanted, requests, strict=True):
        try:
            built.append(built_record(pair, known, answers.texts[request.key]))
        except DataError as error:
            failed[pair.id] = str(error)
    for reason in list(failed.values())[:N_TOLD]:
        say(reason)
    facts = {"n_pairs": len(wanted), "n_built": len(built), "n_failed": len(failed)}
    step = {"step": "pairs", "language": language, "model": answers.model, **facts}
    _leave(out, built, {**step, "limit": limit, "failed": failed}, {"review": review})
    _tell(out, facts, as_json=as_json)
    return DONE


def _name(code: str, given: str | None) -> str:
    if not (code.isascii() and code.isalpha() and code.islower() and len(code) in (2, 3)):
        raise UsageError(f"--language {code}: a code of 2 or 3 small letters is allowed")
    if code == SOURCE_CODE:
        raise UsageError(f"--language {code}: COMPS is English already; name another language")
    name = given or NAMES.get(code)
    if name is None:
        raise UsageError(f"--language {code}: its name is not known; give --language-name")
    return name


def _ask(model: str, requests: Sequence[GenerateRequest], title: str) -> Answers:
    with progress_bar() as progress:
        bar = progress.add_task(title, total=len(requests))
        return wait_for(
            ask_model(
                open_home(), absolute_model(model), requests, lambda n: progress.advance(bar, n)
            )
        )


def _refuse(answers: Answers, out: Path) -> int:
    """Write nothing while answers are missing: the same command asks only for these again."""
    for key, detail in list(answers.unanswered.items())[:N_TOLD]:
        say(f"{key}: {detail}")
    say(f"{len(answers.unanswered)} requests without an answer; {out} was not written")
    return UNANSWERED


def _files(out: Path) -> tuple[Path, Path]:
    """Return the file and its manifest, whose name no loader takes for data."""
    return out, out.with_name(f"manifest.{out.stem}.json")


def _leave(
    out: Path, records: Sequence[Step], facts: Mapping[str, Any], read: Mapping[str, Path]
) -> None:
    """Write a step's records, and beside them what they were made from."""
    text = json_lines(records)
    checksums = {name: file_sha256(path) for name, path in read.items()}
    manifest = {"schema": 1, "building_version": BUILDING_VERSION, **facts, "sha256": checksums}
    write_text(out, text)
    write_text(_files(out)[1], json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")


def _tell(out: Path, facts: Mapping[str, int], *, as_json: bool) -> None:
    if as_json:
        print_json({"schema": 1, "file": str(out), **facts})
        return
    counts = ", ".join(f"{name.removeprefix('n_')} {n}" for name, n in facts.items())
    say(f"{out}: {counts}")
