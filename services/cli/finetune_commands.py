"""Commands that make new models: finetune semrel."""

import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.semrel.data import labelled_files
from benchmarks.semrel.training import (
    Recipe,
    Regime,
    TrainingRun,
    train_languages,
    training_pairs,
    training_runs,
)
from orchestrator.spec import parse_model
from services.cli.exits import DONE, UsageError
from services.cli.options import JsonOption, absolute_data, absolute_model
from services.cli.printing import print_json, say
from services.cli.training_process import run_training
from services.home import open_home

TUNABLE = ("demo-encoder", "hf")
RECIPE = Recipe()


class RegimeOption(StrEnum):
    """Which languages' train sets go into one model."""

    JOINT = "joint"
    PER_LANGUAGE = "per-language"
    CROSS_LINGUAL = "cross-lingual"


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    group = typer.Typer(name="finetune", help="Make a new model.", no_args_is_help=True)
    group.callback()(_keep_as_group)
    group.command(name="semrel")(finetune_semrel)
    app.add_typer(group)


def _keep_as_group() -> None:
    """Make a new model from an old one and a benchmark's train sets."""


@dataclass(frozen=True)
class FinetuneJob:
    """What is tuned, on what, and the options passed on to the training process."""

    model: str
    data: Path
    out: Path | None
    """None: a folder in the home, named by what goes into the model."""
    regime: Regime
    without_leaks: bool
    options: Sequence[str] = field(default=())


def finetune_semrel(  # noqa: PLR0913  # one parameter an option
    data: Annotated[str, typer.Option("--data", help="A folder as the authors lay it out.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The new model's folder; without it, one in POLYSENSE_HOME."),
    ] = None,
    model: Annotated[str, typer.Option(help="demo-encoder or hf:<id or folder>.")] = "demo-encoder",
    train: Annotated[
        str, typer.Option("--train", help="Languages joined by commas; else all with a train set.")
    ] = "",
    regime: Annotated[RegimeOption, typer.Option(help="One model, or a folder of them.")] = (
        RegimeOption.JOINT
    ),
    without_leaks: Annotated[
        bool, typer.Option("--without-leaks", help="Leave out pairs that are measured too.")
    ] = False,
    epochs: Annotated[int, typer.Option(min=1)] = RECIPE.n_epochs,
    batch_size: Annotated[int, typer.Option(min=1)] = RECIPE.batch_size,
    warm_up_steps: Annotated[int, typer.Option(min=0)] = RECIPE.n_warmup_steps,
    learning_rate: Annotated[float, typer.Option(min=0.0)] = RECIPE.learning_rate,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    checkpoint_steps: Annotated[int, typer.Option(min=1)] = 100,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda.")] = "auto",
    as_json: JsonOption = False,
) -> int:
    """Tune a sentence encoder; interrupted, the same command goes on where it was."""
    if parse_model(model).kind not in TUNABLE:
        raise UsageError(f"--model {model}: allowed: demo-encoder, hf:<id or folder>")
    folder = absolute_data(data)
    options = {
        "--epochs": epochs,
        "--batch-size": batch_size,
        "--warm-up-steps": warm_up_steps,
        "--learning-rate": learning_rate,
        "--seed": seed,
        "--checkpoint-steps": checkpoint_steps,
        "--device": device,
    }
    job = FinetuneJob(
        absolute_model(model),
        Path(str(folder)),
        out.expanduser().absolute() if out is not None else None,
        regime.value,
        without_leaks,
        [word for name, value in options.items() for word in (name, str(value))],
    )
    return _finetune_all(job, _languages(train, train_languages(job.data)), as_json=as_json)


def _languages(text: str, known: Sequence[str]) -> list[str]:
    """Read languages joined by commas; all known ones if there is none."""
    names = [name.strip() for name in text.split(",")] if text else list(known)
    for name in names:
        if name not in known:
            raise UsageError(f"--train {name!r}: no such train set; allowed: {','.join(known)}")
    return list(dict.fromkeys(names))


def _finetune_all(job: FinetuneJob, train: Sequence[str], *, as_json: bool) -> int:
    if job.out is not None and job.out.exists() and job.regime == "joint":
        raise UsageError(f"--out {job.out} exists already; choose another folder")
    documents = []
    for run in training_runs(job.regime, train, tuple(labelled_files(job.data, "test"))):
        document, code = _finetune_one(job, run)
        if code != DONE:
            return code
        documents.append(document)
    if as_json:
        print_json({"schema": 1, "regime": job.regime, "models": documents})
    else:
        _print_models(documents)
    return DONE


def _print_models(documents: Sequence[dict[str, Any]]) -> None:
    for document in documents:
        sys.stdout.write(f"{document['model']}\n")
        tested = ", ".join(document["test"])
        sys.stdout.write(f"  tuned on {', '.join(document['train'])}; measure it on: {tested}\n")
        for name in ("n_pairs", "n_steps", "first_epoch_loss", "last_epoch_loss"):
            if name in document:
                sys.stdout.write(f"  {name}: {document[name]}\n")


def _finetune_one(job: FinetuneJob, run: TrainingRun) -> tuple[dict[str, Any], int]:
    """Tune one model, or find it finished; return what is known of it, and an exit code."""
    with tempfile.TemporaryDirectory(prefix="polysense-") as folder:
        file = Path(folder) / "train.jsonl"
        n_pairs = _write_pairs(job, run, file)
        out = _out_folder(job, run, file)
        facts: dict[str, Any] = {**asdict(run), "model": f"hf:{out}"}
        if out.exists():
            say(f"{out} is there already; it is kept")
            return facts, DONE
        out.parent.mkdir(parents=True, exist_ok=True)
        say(f"{run.name}: {n_pairs} pairs of {', '.join(run.train)}")
        words = ["--train", str(file), "--out", str(out), "--model", job.model, *job.options]
        code, output = run_training([*words, "--json"])
    return ({**facts, **json.loads(output)} if code == DONE else facts), code


def _out_folder(job: FinetuneJob, run: TrainingRun, pairs: Path) -> Path:
    """Return where a model goes; unnamed, one place for the same base, pairs and options."""
    if job.out is not None:
        return job.out if job.regime == "joint" else job.out / run.name
    decided = hashlib.sha256(pairs.read_bytes())
    decided.update(json.dumps([job.model, *job.options]).encode())
    name = f"semrel-{run.name}-{decided.hexdigest()[:12]}"
    return open_home().artefacts / "models" / name


def _write_pairs(job: FinetuneJob, run: TrainingRun, file: Path) -> int:
    n_pairs = 0
    with file.open("w", encoding="utf-8") as lines:
        for pair in training_pairs(job.data, run.train, without_leaks=job.without_leaks):
            record = {"text_a": pair.text_a, "text_b": pair.text_b, "score": pair.gold}
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
            n_pairs += 1
    return n_pairs
