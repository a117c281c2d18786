"""The command demo: the demo model on every sample, through real services, with a report."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.catalog import BENCHMARKS
from metrics.score import Score
from orchestrator.spec import RunSpec
from services.cli.exits import DONE, UNANSWERED
from services.cli.living import ServicePorts, start_all
from services.cli.printing import print_scores, say
from services.cli.reading import write_report
from services.cli.remote import Api
from services.home import Home, open_home
from services.processes import ServiceRecord, free_port, is_port_taken, records, stop

DEMO_MODEL = "demo"
HEADLINES = ("accuracy", "miss_share", "spearman")
DEMO_TASKS: Mapping[str, tuple[str, ...]] = {
    "stingray": ("semantic", "usage"),
    "dtails": ("select",),
    "xcomps": ("direct",),
    "dibimt": ("translate",),
    "semrel": ("relatedness",),
}
DEMO_SETTINGS: Mapping[str, dict[str, str]] = {"dtails": {"max_new_tokens": "32"}}
"""The demo decoder rambles on; what it says first is enough for a demonstration."""
DEMO_LIMITS: Mapping[str, int] = {"dibimt": 2}
"""Items a language, where a model with one core or two would be watched for minutes."""


def add_commands(app: typer.Typer) -> None:
    """Add this room's command."""
    app.command()(demo)


def demo(
    out: Annotated[Path, typer.Option("--out", help="The report to write.")] = Path(
        "out/report.html"
    ),
    keep: Annotated[bool, typer.Option("--keep", help="Leave the services running.")] = False,
) -> int:
    """Measure the demo model on the sample of every benchmark, through real services."""
    home = open_home()
    before = {record.pid for record in records(home)}
    started = start_all(home, _demo_ports(home), ends_with_parent=not keep)
    try:
        return _measure_samples(home, started, out)
    finally:
        if not keep:
            for record in started:
                if record.pid not in before:
                    stop(home, record)


def _demo_ports(home: Home) -> ServicePorts:
    """Take the usual ports, or free ones where something else listens there."""
    mine = {record.url for record in records(home)}

    def choose(port: int) -> int:
        is_mine = f"http://127.0.0.1:{port}" in mine
        return port if is_mine or not is_port_taken(port) else free_port()

    usual = ServicePorts()
    return ServicePorts(choose(usual.scorer), choose(usual.orchestrator), choose(usual.metrics))


def _measure_samples(home: Home, started: list[ServiceRecord], out: Path) -> int:
    urls = {record.name: record.url for record in started}
    api = Api(urls["orchestrator"])
    ended = []
    for name in BENCHMARKS:
        spec = demo_spec(name)
        say(f"measuring {name}: {_describe(spec)}")
        ended.append(api.wait(api.create(spec)["id"]))
    for run in ended:
        sys.stdout.write(f"\n{run['benchmark']} · {run['model']} · {run['status']}\n")
        found = [Score.model_validate(score) for score in run["scores"]]
        print_scores([score for score in found if _is_headline(score)])
    write_report(home, [run["id"] for run in ended], out)
    say(f"report: {out}")
    say(f"pages: {urls['metrics']} (kept up by `make up`)")
    is_whole = all(
        run["status"] == "finished" and run["progress"]["n_answered"] == run["progress"]["n_items"]
        for run in ended
    )
    return DONE if is_whole else UNANSWERED


def demo_spec(benchmark: str) -> RunSpec:
    """Return what the demonstration asks of one benchmark: its sample, quick enough to watch."""
    return RunSpec(
        benchmark=benchmark,
        model=DEMO_MODEL,
        tasks=DEMO_TASKS.get(benchmark, ()),
        seed=0,
        limit=DEMO_LIMITS.get(benchmark),
        settings=DEMO_SETTINGS.get(benchmark, {}),
    )


def _describe(spec: RunSpec) -> str:
    limit = [] if spec.limit is None else [f"first {spec.limit} items a language"]
    settings = [f"{name}={value}" for name, value in spec.settings.items()]
    return ", ".join([*spec.tasks, *limit, *settings])


def _is_headline(score: Score) -> bool:
    return (
        score.subset is None
        and score.setting is None
        and score.layer is None
        and score.metric in HEADLINES
    )
