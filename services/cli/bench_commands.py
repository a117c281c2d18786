"""Commands that time polysense beside others, as ratios in one sitting: bench."""

import json
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.exits import DONE, UNANSWERED
from services.cli.options import DataOption, JsonOption, absolute_data, absolute_model
from services.cli.printing import print_json, print_table, say
from services.cli.training_process import run_child
from services.home import open_home

MIN_PAIRS = 10
MIN_SENTENCES = 200


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(
        name="bench", help="Time polysense beside others, in one sitting.", no_args_is_help=True
    )
    group.callback()(_keep_as_group)
    for command in COMMANDS:
        group.command()(command)
    app.add_typer(group)


def _keep_as_group() -> None:
    """Time polysense beside others, in one sitting."""


def probe(
    data: DataOption = None,
    model: Annotated[str, typer.Option("--model", help="Whose hidden states.")] = "demo-decoder",
    pairs: Annotated[
        int | None, typer.Option("--pairs", min=MIN_PAIRS, help="Pairs of each negative type.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Time the probes of the Neuro task beside scikit-learn's, on real activations."""
    folder = absolute_data(data)
    # Only this needs scikit-learn, which takes longer to import than most commands to run.
    bench = import_module("services.bench.probe")
    chosen = bench.ProbeBench(model, Path(folder) if folder else None, pairs)
    document = bench.run(chosen, open_home(), say)
    _print(document, "fits", as_json=as_json)
    return DONE if document["n_flips_vs_exact"] == 0 else UNANSWERED


def store(
    batches: Annotated[int, typer.Option("--batches", min=1, help="Of 500 rows.")] = 60,
    as_json: JsonOption = False,
) -> int:
    """Time the writing of outcomes beside one plain statement."""
    bench = import_module("services.bench.store")
    document = bench.run(bench.StoreBench(n_batches=batches), open_home(), say)
    _print(document, "rows", as_json=as_json)
    return DONE


def orchestrator(
    data: DataOption = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Runs, and loops.")] = 3,
    as_json: JsonOption = False,
) -> int:
    """Time a run of the fake model beside a loop that stores nothing."""
    folder = absolute_data(data)
    bench = import_module("services.bench.orchestrator")
    chosen = bench.OrchestratorBench(Path(folder) if folder else None, n_rounds=rounds)
    document = bench.run(chosen, open_home(), say)
    _print(document, "items", as_json=as_json)
    return DONE


def scorer(
    data: DataOption = None,
    model: Annotated[
        str, typer.Option("--model", help="A causal model or an encoder.")
    ] = "demo-decoder",
    sentences: Annotated[
        int, typer.Option("--sentences", min=MIN_SENTENCES, help="Made up where no data is given.")
    ] = 2000,
    parts: Annotated[
        bool, typer.Option("--parts", help="Time sharing, hidden states and HTTP instead.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Time log-probabilities beside this machine's ceiling and the installed peers."""
    words = ["--model", absolute_model(model), "--sentences", str(sentences)]
    if folder := absolute_data(data):
        words += ["--data", folder]
    if parts:
        words.append("--parts")
    say("timing the scorer; leave the machine alone for some minutes")
    code, output = run_child("services.scorer.bench", words)
    if code:
        return code
    document = json.loads(output)
    if "texts_per_s" in document:
        _print(document, "texts", as_json=as_json)
    elif parts and not as_json:
        sys.stdout.write(f"{document['machine']}\n")
        _print_facts(document)
    else:
        _print(document, "sentences", as_json=as_json)
    return DONE


COMMANDS: tuple[Callable[..., int], ...] = (scorer, orchestrator, store, probe)
"""What can be timed; each function is a command of its own name."""


def _print(document: Mapping[str, Any], unit: str, *, as_json: bool) -> None:
    """Print a bench's document, or what a person wants to see of it."""
    if as_json:
        print_json(document)
        return
    rate = f"{unit}_per_s"
    rows = [("polysense", f"{document[rate]:,.1f}", "")]
    rows += [
        (name, f"{peer[rate]:,.1f}", f"{peer['ratio']:.2f}")
        for name, peer in document["peers"].items()
    ]
    sys.stdout.write(f"{document['machine']}\n")
    print_table("", ["", f"{unit}/s ", "ratio "], rows)
    _print_facts({name: value for name, value in document.items() if name != rate})


def _print_facts(document: Mapping[str, Any]) -> None:
    for name, value in document.items():
        if name not in {"schema", "machine", "peers"}:
            sys.stdout.write(f"{name}: {_plain(value)}\n")


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    return f"{value:.3g}" if isinstance(value, float) else str(value)
