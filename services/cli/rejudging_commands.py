"""Commands that judge again what was answered: rejudge."""

import typer

from orchestrator.rejudging import Rejudged, rejudge
from services.cli.exits import DONE
from services.cli.options import JsonOption, RunArgument, SettingOption, read_settings
from services.cli.printing import print_json, print_scores, say
from services.cli.store import find_run, open_store, wait_for
from services.home import Home, open_home
from storage.records import Run


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command(name="rejudge")(judge_again)


def judge_again(
    run_id: RunArgument,
    setting: SettingOption = [],  # noqa: B006  # typer copies it
    as_json: JsonOption = False,
) -> int:
    """Judge a run's stored answers again, under other settings or by a newer judge; no model."""
    changes = read_settings(setting)
    run, found = wait_for(_rejudge(open_home(), run_id, changes))
    if as_json:
        print_json(
            {
                "run": run.id,
                "score_set": found.score_set,
                "n_judged": found.n_judged,
                "n_changed": found.n_changed,
                "scores": [score.model_dump(mode="json") for score in found.scores],
            }
        )
    else:
        print_scores(
            [score for score in found.scores if (score.setting, score.layer) == (None, None)]
        )
    say(
        f"{found.n_judged} cases judged again, {found.n_changed} differ; kept as score set"
        f" {found.score_set!r} (`polysense scores {run.id} --set NAME`)"
    )
    return DONE


async def _rejudge(home: Home, name: str, changes: dict[str, str]) -> tuple[Run, Rejudged]:
    async with open_store(home) as database:
        run = await find_run(database, name)
        return run, await rejudge(database, run, changes)
