"""Commands about DTAiLS' rules: rules make."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.catalog import open_benchmark
from benchmarks.dtails.rules_artefact import LanguageRules, RulesArtefact
from benchmarks.dtails.settings import DtailsSettings
from services.cli.exits import DONE, UNANSWERED, UsageError
from services.cli.options import (
    JsonOption,
    LanguageOption,
    ModelOption,
    SettingOption,
    absolute_data,
    absolute_model,
    read_settings,
)
from services.cli.outputs import make_parent
from services.cli.printing import print_json, print_table, say
from services.cli.progress import progress_bar
from services.cli.rules_making import RulesJob, make_rules, read_all_prompts
from services.cli.store import wait_for
from services.home import open_home

SETTINGS = ("rules_max_tokens", "rules_sentences", "system_role")
N_TOLD = 3
"""Unanswered requests that are told one by one."""


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="rules", help="Rules for DTAiLS.", no_args_is_help=True)
    group.callback()(_keep_as_group)
    group.command()(make)
    app.add_typer(group)


def _keep_as_group() -> None:
    """Rules that tell the variations of a concept apart."""


def make(
    model: ModelOption,
    data: Annotated[str, typer.Option("--data", help="A folder as the authors lay it out.")],
    out: Annotated[Path, typer.Option("--out", help="The rules artefact (JSON) to write.")],
    language: LanguageOption = [],  # noqa: B006  # typer copies it
    setting: SettingOption = [],  # noqa: B006
    as_json: JsonOption = False,
) -> int:
    """Let a model write the rules that `run dtails --setting rules=FILE` uses."""
    make_parent(out)
    chosen = absolute_model(model)
    given = _settings(read_settings(setting))
    job = RulesJob(
        data=Path(str(absolute_data(data))),
        languages=tuple(dict.fromkeys(language)),
        model=chosen,
        settings=given,
    )
    prompts = read_all_prompts(job)
    with progress_bar() as progress:
        bar = progress.add_task("rules", total=sum(map(len, prompts.values())))
        artefact, unanswered = wait_for(
            make_rules(open_home(), job, prompts, lambda n: progress.advance(bar, n))
        )
    for key, detail in list(unanswered.items())[:N_TOLD]:
        say(f"{key}: {detail}")
    if unanswered:
        say(f"{len(unanswered)} requests without an answer; {out} was not written")
        return UNANSWERED
    out.write_text(artefact.to_json(), encoding="utf-8")
    _tell(artefact, out, as_json=as_json)
    if not any(map(_n_usable, artefact.languages.values())):
        say("no concept has rules that can be used: none of the answers was the JSON asked for")
        return UNANSWERED
    if not as_json:
        say(f"use them with: polysense run dtails --setting rules={out}")
    return DONE


def _settings(given: dict[str, str]) -> DtailsSettings:
    unknown = [name for name in given if name not in SETTINGS]
    if unknown:
        raise UsageError(f"--setting {unknown[0]}: allowed: {', '.join(SETTINGS)}")
    open_benchmark("dtails", given)  # refuses values that are not allowed
    return DtailsSettings.model_validate(given)


def _n_usable(rules: LanguageRules) -> int:
    return sum(found.rules is not None for found in rules.concepts.values())


def _tell(artefact: RulesArtefact, out: Path, *, as_json: bool) -> None:
    rows = []
    for language, rules in artefact.languages.items():
        n_tries = sum(found.n_tries for found in rules.concepts.values())
        rows.append((language, len(rules.concepts), _n_usable(rules), n_tries))
    if as_json:
        names = ("language", "n_concepts", "n_valid", "n_tries")
        languages = [dict(zip(names, row, strict=True)) for row in rows]
        facts = {"file": str(out), "author": artefact.author, "languages": languages}
        print_json({"schema": 1, "prompt_version": artefact.prompt_version, **facts})
        return
    cells = [tuple(map(str, row)) for row in rows]
    print_table("", ("language", "concepts ", "with rules ", "tries "), cells)
    sys.stdout.write(f"written by {artefact.author}: {out}\n")
