"""How fast is the scorer on this machine, beside its peers: `python -m services.scorer.bench`."""

import json
import logging
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from benchmarks.errors import BenchmarkError
from scorer.backends import load_backend
from scorer.backends.decoder import DecoderBackend
from scorer.backends.options import LoadOptions
from scorer.errors import ScorerError
from services.home import open_home
from services.scorer.bench.machine import describe_machine
from services.scorer.bench.measuring import measure
from services.scorer.bench.peers import PeerError, installed_peers
from services.scorer.bench.texts import generated_sentences, sentences_of

WRONG_USE = 2
UNREACHABLE = 3


def bench(  # noqa: PLR0913  # one parameter an option
    model: Annotated[str, typer.Option(help="demo-decoder or hf:<id or folder>.")] = "demo-decoder",
    data: Annotated[Path | None, typer.Option(help="A benchmark's data instead.")] = None,
    sentences: Annotated[int, typer.Option(min=200, help="How many to make up.")] = 2000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    device: Annotated[str, typer.Option()] = "auto",
    threads: Annotated[int, typer.Option(min=0, help="0: all cores.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Time the scorer and its installed peers in turn."""
    logging.disable(logging.WARNING)
    try:
        options = LoadOptions(cache=open_home().cache, device=device, n_threads=threads)
        backend = load_backend(model, options)
        if not isinstance(backend, DecoderBackend):
            _stop(f"{model} is no causal model; the bench scores sentences with one", WRONG_USE)
        made = data is None
        texts = (
            generated_sentences(backend.tokenizer, backend.info.vocabulary_size, sentences, seed)
            if data is None
            else sentences_of(data)
        )
        peers = installed_peers() if backend.device.type == "cpu" else []
        found = measure(backend, texts, peers, shares_nothing=made, seed=seed)
    except (ScorerError, BenchmarkError) as error:
        _stop(str(error), WRONG_USE)
    except PeerError as error:
        _stop(f"{error}; `make bench-peers` installs it anew", UNREACHABLE)
    info = backend.info
    facts = {"machine": describe_machine(), "device": info.device, "dtype": info.dtype}
    facts |= {"model": info.model, **found}
    sys.stdout.write(f"{json.dumps(facts)}\n" if as_json else told(facts))


def told(facts: dict[str, Any]) -> str:
    """Return the figures as lines of text."""
    lines = [
        f"machine    {facts['machine']}; {facts['device']}, {facts['dtype']}",
        f"model      {facts['model']}, {facts['n_sentences']} sentences",
        f"own rate   {facts['sentences_per_s']:.1f} sentences/s,"
        f" {facts['tokens_per_s']:.0f} tokens/s",
        f"ceiling    {facts['ceiling_flops_per_s'] / 1e9:.0f} GFLOP/s,"
        f" {facts['ceiling_share']:.1%} of it reached",
        f"error      {facts['max_abs_error_nats']:.1e} nats a sentence at most",
    ]
    lines += [
        f"{name:10} {peer['sentences_per_s']:.1f} sentences/s; own rate {peer['ratio']:.2f} times"
        for name, peer in facts["peers"].items()
    ]
    if not facts["peers"]:
        lines.append("peers      none here; `make bench-peers` installs them")
    return "\n".join(lines) + "\n"


def _stop(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    raise typer.Exit(code)


if __name__ == "__main__":
    typer.run(bench)
