"""Align a corpus by an encoder's hidden states, asked of a scorer batch by batch.

The scorer is sent the words of a sentence joined by blanks, and tells which characters each of its
tokens covers: so every token is given to its word, however the model's tokenizer cuts.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.dtails.mining_job import Corpus, MiningJob
from benchmarks.dtails.names import SOURCE_CODE
from languages.alignment_awesome import LAYER, States, align_awesome, words_of_tokens
from languages.alignment_ibm1 import Links
from languages.tokenisation import Word
from orchestrator.spec import parse_model
from scorer.client import ScorerClient
from scorer.errors import ItemError, NotNowError, ScorerError
from scorer.schemas import Capabilities, FailedItem, HiddenStatesRequest
from services.cli.exits import UnreachableError, UsageError
from services.cli.printing import say
from services.cli.progress import progress_bar
from services.home import Home
from services.processes import scorers_for

N_AT_ONCE = 64
"""Sentence pairs in one call."""
SentenceStates = tuple[States, list[int | None]]
"""One row a token, and the word that each row belongs to."""
LOCAL = ("hf", "demo-encoder", "demo-decoder")


async def links_by_model(
    home: Home, job: MiningJob, corpus: Corpus, model: str, layer: int
) -> list[Links]:
    """Return the links of every sentence pair.

    Raises:
        UsageError: The model has no hidden states, or not this layer.
        UnreachableError: Its scorer does not answer.
    """
    with contextlib.ExitStack() as stack:
        lent = await asyncio.to_thread(stack.enter_context, _scorer(home, model))
        async with ScorerClient(lent) as client:
            try:
                _check_layer(layer, await client.capabilities())
                return await _align(Encoder(client, layer), job, corpus)
            except NotNowError as error:
                raise UnreachableError(str(error)) from error
            except ScorerError as error:
                raise UsageError(f"--model {model}: {error}") from error


def _check_layer(layer: int, info: Capabilities) -> None:
    """Refuse a layer that the model lacks; the paper's 8 is of a model with twelve.

    Raises:
        UsageError: It has others.
    """
    if not -info.n_layers - 1 <= layer <= info.n_layers:
        is_default = " (the default)" if layer == LAYER else ""
        raise UsageError(
            f"--layer {layer}{is_default}: {info.model} has layers 0 (embeddings) to"
            f" {info.n_layers}, or -{info.n_layers + 1} to -1 from the last"
        )


@contextlib.contextmanager
def _scorer(home: Home, model: str) -> Iterator[str]:
    name = parse_model(model)
    if name.kind == "scorer":
        yield name.argument
    elif name.kind in LOCAL:
        say(f"starting the scorer of {model}")
        with scorers_for(home, [model], say) as endpoints:
            yield endpoints[model]
    else:
        raise UsageError(f"--model {model}: allowed: demo-encoder, hf:<id or folder>, scorer:<url>")


@dataclass
class Encoder:
    """A scorer that is asked for states, and how many sentence pairs it was of no use for."""

    client: ScorerClient
    layer: int
    n_left_out: int = 0

    async def states(self, sentences: Sequence[Sequence[str]]) -> list[SentenceStates | None]:
        """Return each sentence's states and the word of each row; None for what was refused."""
        joined = [join_words(words) for words in sentences]
        texts = [text for text, _ in joined]
        request = HiddenStatesRequest(texts=texts, layers=[self.layer], pooling="none")
        try:
            found = await self.client.hidden_states(request)
        except ItemError:
            return [None] * len(texts)
        return [
            None
            if isinstance(states, FailedItem)
            else (states[0], words_of_tokens(offsets, places))
            for (_, places), states, offsets in zip(
                joined, found.states, found.offsets, strict=True
            )
        ]


def join_words(words: Sequence[str]) -> tuple[str, list[Word]]:
    """Return words as one text with blanks between them, and where each word lies in it."""
    starts = itertools.accumulate((len(word) + 1 for word in words), initial=0)
    places = [
        Word(word, start, start + len(word)) for word, start in zip(words, starts, strict=False)
    ]
    return " ".join(words), places


async def _align(encoder: Encoder, job: MiningJob, corpus: Corpus) -> list[Links]:
    links: list[Links] = []
    with progress_bar() as progress:
        bar = progress.add_task("alignment", total=len(corpus.texts))
        for first in range(0, len(corpus.texts), N_AT_ONCE):
            texts = corpus.texts[first : first + N_AT_ONCE]
            links += await _align_batch(encoder, job, texts)
            progress.advance(bar, len(texts))
    if encoder.n_left_out:
        say(f"{encoder.n_left_out} sentence pairs could not be aligned: no words, or too many")
    return links


async def _align_batch(
    encoder: Encoder, job: MiningJob, texts: Sequence[tuple[str, str]]
) -> list[Links]:
    pairs = [
        tuple(
            [token.surface for token in job.lemmatiser.lemmas(text, language)]
            for text, language in zip(pair, (SOURCE_CODE, job.language), strict=True)
        )
        for pair in texts
    ]
    asked = [number for number, pair in enumerate(pairs) if all(pair)]
    links: list[Links] = [[] for _ in pairs]
    encoder.n_left_out += len(pairs) - len(asked)
    if not asked:
        return links
    sentences = [words for number in asked for words in pairs[number]]
    states = await encoder.states(sentences)
    for number, source, target in zip(asked, states[::2], states[1::2], strict=True):
        if source is None or target is None:
            encoder.n_left_out += 1
        else:
            links[number] = align_awesome(source[0], target[0], source[1], target[1])
    return links
