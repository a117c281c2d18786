"""Train a sentence encoder on scored pairs: `python -m services.scorer.finetune`."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from scorer.errors import ScorerError, TrainingDataError, TrainingStoppedError
from scorer.training import FinetuneReport, FinetuneSettings, ScoredPair, read_pairs
from scorer.weights import find_model
from services.home import open_home
from services.processes import PARENT_VARIABLE
from services.scorer.stopping import StopWatch

WRONG_USE = 2
INTERRUPTED = 130


def finetune(  # noqa: PLR0913  # one parameter an option
    train: Annotated[Path, typer.Option(help="JSON lines: text_a, text_b, score in [0, 1].")],
    out: Annotated[Path, typer.Option(help="The new model's folder; must not exist yet.")],
    model: Annotated[str, typer.Option(help="demo-encoder or hf:<id or folder>.")] = "demo-encoder",
    epochs: Annotated[int, typer.Option(min=1)] = 10,
    batch_size: Annotated[int, typer.Option(min=1)] = 16,
    warm_up_steps: Annotated[int, typer.Option(min=0)] = 100,
    learning_rate: Annotated[float, typer.Option(min=0.0)] = 2e-5,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    checkpoint_steps: Annotated[int, typer.Option(min=1)] = 100,
    device: Annotated[str, typer.Option()] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Train a new model; after an interruption the same command goes on where it was."""
    settings = FinetuneSettings(
        batch_size=batch_size,
        n_epochs=epochs,
        n_warm_up_steps=warm_up_steps,
        learning_rate=learning_rate,
        seed=seed,
        checkpoint_steps=checkpoint_steps,
    )
    try:
        report = _train(read_pairs(train), out.absolute(), model, settings, device)
    except TrainingStoppedError as error:
        _stop(f"{error}; the same command goes on from there", INTERRUPTED)
    except ScorerError as error:
        _stop(str(error), WRONG_USE)
    except KeyboardInterrupt:
        _stop("interrupted; the same command goes on from the last checkpoint", INTERRUPTED)
    facts = {"model": f"hf:{out.absolute()}", **asdict(report)}
    sys.stdout.write(f"{json.dumps(facts)}\n" if as_json else _told(facts))


def _train(
    pairs: Sequence[ScoredPair], out: Path, model: str, settings: FinetuneSettings, device: str
) -> FinetuneReport:
    if out.exists():
        raise TrainingDataError(f"{out} exists already; choose another folder")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Late, so that wrong use is told before torch is loaded.
    from scorer.backends.finetuning import Finetuning
    from scorer.backends.gguf import convert_gguf
    from scorer.backends.loading import use_threads

    use_threads(0)
    folder = find_model(model, open_home().cache, convert_gguf)
    training = Finetuning(folder, pairs, settings, device)
    parent = os.environ.get(PARENT_VARIABLE)
    watch = StopWatch(int(parent) if parent else None)
    with _progress() as progress:
        task = progress.add_task("training", total=training.n_steps, loss="")

        def show(step: int, loss: float) -> None:
            progress.update(task, completed=step, loss=f"loss {loss:.4f}")

        return training.run(out, show, watch.is_stopping)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[loss]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def _told(facts: dict[str, object]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in facts.items())


def _stop(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    sys.exit(code)


def main() -> None:
    """Run the command."""
    typer.run(finetune)


if __name__ == "__main__":
    main()
