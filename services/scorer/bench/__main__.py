"""How fast is the scorer here, beside its peers: `python -m services.scorer.bench`, as JSON."""

import json
import logging
import sys
from collections.abc import Sequence
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
    parts: Annotated[
        bool, typer.Option("--parts", help="Time sharing, hidden states and HTTP instead.")
    ] = False,
) -> None:
    """Time the scorer and its installed peers in turn."""
    logging.disable(logging.WARNING)
    try:
        options = LoadOptions(cache=open_home().cache, device=device, n_threads=threads)
        backend = load_backend(model, options)
        if isinstance(backend, EncoderBackend):
            words = words_of(backend.tokenizer, backend.info.vocabulary_size)
            found = measure_encoder(
                backend, mixed_texts(words, sentences, seed), _peers(ENCODING, backend)
            )
        elif isinstance(backend, DecoderBackend):
            found = _decoder_figures(backend, data, sentences, seed, parts=parts)
        else:
            _stop(f"{model} is neither a causal model nor an encoder", WRONG_USE)
    except (ScorerError, BenchmarkError) as error:
        _stop(str(error), WRONG_USE)
    except PeerError as error:
        _stop(f"{error}; `make bench-peers` installs it anew", UNREACHABLE)
    info = backend.info
    facts = bench_facts("torch", "transformers")
    facts |= {"device": info.device, "dtype": info.dtype, "model": info.model, **found}
    sys.stdout.write(f"{json.dumps(facts)}\n")


def _decoder_figures(
    backend: DecoderBackend, data: Path | None, n_sentences: int, seed: int, *, parts: bool
) -> dict[str, Any]:
    texts = (
        generated_sentences(backend.tokenizer, backend.info.vocabulary_size, n_sentences, seed)
        if data is None
        else sentences_of(data)
    )
    if parts:
        return measure_parts(backend, texts)
    peers = _peers(SCORING, backend)
    return measure(backend, texts, peers, shares_nothing=data is None, seed=seed)


def _peers(names: Sequence[str], backend: Backend) -> list[str]:
    """Return the peers that can be asked; they know the processor only."""
    return installed_peers(names) if backend.info.device == "cpu" else []


def _stop(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    raise typer.Exit(code)


if __name__ == "__main__":
    typer.run(bench)
