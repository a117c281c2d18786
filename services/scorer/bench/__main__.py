"""How fast is the scorer here, beside its peers: `python -m services.scorer.bench`, as JSON."""

import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from benchmarks.errors import BenchmarkError
from scorer.backend import Backend
from scorer.backends import load_backend
from scorer.backends.decoder import DecoderBackend
from scorer.backends.encoder import EncoderBackend
from scorer.backends.options import LoadOptions
from scorer.errors import ScorerError
from services.bench.machine import bench_facts
from services.home import open_home
from services.scorer.bench.encoding import measure_encoder, mixed_texts
from services.scorer.bench.measuring import measure
from services.scorer.bench.parts import measure_parts
from services.scorer.bench.peers import ENCODING, SCORING, PeerError, installed_peers
from services.scorer.bench.texts import generated_sentences, sentences_of, words_of

WRONG_USE = 2
UNREACHABLE = 3


def bench(  # noqa: PLR0913  # one parameter an option
    model: Annotated[str, typer.Option(help="demo-decoder or hf:<id or folder>.")] = "demo-decoder",
    data: Annotated[Path | None, typer.Option(help="A benchmark's data instead.")] = None,
    sentences: Annotated[int, typer.Option(min=200, help="How many to make up.")] = 2000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    device: Annotated[str, typer.Option()] = "auto",
    threads: Annotated[int, typer.Option(min=0, help="0: all cores.")] = 0,
    peers: Annotated[bool, typer.Option(help="Time the installed peers as well.")] = True,
    parts: Annotated[
        bool, typer.Option("--parts", help="Time sharing, hidden states and HTTP instead.")
    ] = False,
) -> None:
    """Time the scorer and its installed peers in turn."""
    logging.disable(logging.WARNING)
    try:
        options = LoadOptions(cache=open_home().cache, device=device, n_threads=threads)
        backend = load_backend(model, options)
        order = _Order(data, sentences, seed, has_parts=parts, has_peers=peers)
        found = _figures(backend, order)
    except (ScorerError, BenchmarkError) as error:
        _stop(str(error), WRONG_USE)
    except PeerError as error:
        _stop(f"{error}; `make bench-peers` installs it anew", UNREACHABLE)
    info = backend.info
    facts = bench_facts("torch", "transformers")
    facts |= {"device": info.device, "dtype": info.dtype, "model": info.model, **found}
    sys.stdout.write(f"{json.dumps(facts)}\n")


@dataclass(frozen=True, slots=True)
class _Order:
    """What is to be timed, and beside whom."""

    data: Path | None
    n_sentences: int
    seed: int
    has_parts: bool
    has_peers: bool

    def peers(self, names: Sequence[str], backend: Backend) -> list[str]:
        """Return the peers that can be asked; they know the processor only."""
        may = self.has_peers and backend.info.device == "cpu"
        return installed_peers(names) if may else []


def _figures(backend: Backend, order: _Order) -> dict[str, Any]:
    vocabulary = (backend.tokenizer, backend.info.vocabulary_size)
    if isinstance(backend, EncoderBackend):
        texts = mixed_texts(words_of(*vocabulary), order.n_sentences, order.seed)
        return measure_encoder(backend, texts, order.peers(ENCODING, backend))
    if not isinstance(backend, DecoderBackend):
        _stop(f"{backend.info.model} is neither a causal model nor an encoder", WRONG_USE)
    if order.data is None:
        texts = generated_sentences(*vocabulary, order.n_sentences, order.seed)
    else:
        texts = sentences_of(order.data)
    if order.has_parts:
        return measure_parts(backend, texts)
    names = order.peers(SCORING, backend)
    return measure(backend, texts, names, shares_nothing=order.data is None, seed=order.seed)


def _stop(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    raise typer.Exit(code)


if __name__ == "__main__":
    typer.run(bench)
