"""Align a corpus by an encoder's hidden states, asked of a scorer batch by batch.

The scorer is sent the words joined by blanks and, once each, every word alone: as its tokenizer
cuts at blanks, a word has as many tokens alone as in its sentence. Where these do not add up, the
sentence is left without links.
"""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.dtails.mining_job import Corpus, MiningJob
from benchmarks.dtails.names import SOURCE_CODE
from languages.alignment_awesome import States, align_awesome
from languages.alignment_ibm1 import Links
from orchestrator.spec import parse_model
from scorer.client import ScorerClient
from scorer.errors import NotNowError, ScorerError
from scorer.schemas import FailedItem, HiddenStatesRequest
from services.cli.exits import UnreachableError, UsageError
from services.cli.printing import say
from services.cli.progress import progress_bar
from services.home import Home
from services.processes import scorers_for

N_AT_ONCE = 64
"""Sentence pairs in one call."""
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
            encoder = Encoder(client, layer)
            try:
                return await _align(encoder, job, corpus)
            except NotNowError as error:
                raise UnreachableError(str(error)) from error
            except ScorerError as error:
                raise UsageError(f"--model {model}: {error}") from error


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
    """A scorer that is asked for states, and how many tokens each word met so far has."""

    client: ScorerClient
    layer: int
    n_tokens: dict[str, int] = field(default_factory=dict)
    n_left_out: int = 0

    async def count_tokens(self, words: Sequence[str]) -> None:
        """Learn how many tokens each word has, without special ones."""
        new = [word for word in dict.fromkeys(words) if word not in self.n_tokens]
        if not new:
            return
        request = HiddenStatesRequest(texts=new, layers=[0], pooling="mean")
        found = await self.client.hidden_states(request)
        for word, special in zip(new, found.is_special, strict=True):
            self.n_tokens[word] = len(special) - sum(special)

    async def states(
        self, sentences: Sequence[Sequence[str]]
    ) -> list[tuple[States, list[int | None]] | None]:
        """Return each sentence's states and the word of each row; None where that is unknown."""
        texts = [" ".join(words) for words in sentences]
        request = HiddenStatesRequest(texts=texts, layers=[self.layer], pooling="none")
        found = await self.client.hidden_states(request)
        rows: list[tuple[States, list[int | None]] | None] = []
        for words, states, special in zip(sentences, found.states, found.is_special, strict=True):
            places = words_of_rows([self.n_tokens[word] for word in words], special)
            is_known = places is not None and not isinstance(states, FailedItem)
            rows.append((states[0], places) if is_known else None)  # type: ignore[index, arg-type]
        return rows


def words_of_rows(n_tokens: Sequence[int], is_special: Sequence[bool]) -> list[int | None] | None:
    """Return the word each row belongs to, None for special ones; None if they do not add up."""
    if sum(n_tokens) != len(is_special) - sum(is_special):
        return None
    places = iter([word for word, n in enumerate(n_tokens) for _ in range(n)])
    return [None if special else next(places) for special in is_special]


async def _align(encoder: Encoder, job: MiningJob, corpus: Corpus) -> list[Links]:
    links: list[Links] = []
    with progress_bar() as progress:
        bar = progress.add_task("alignment", total=len(corpus.texts))
        for first in range(0, len(corpus.texts), N_AT_ONCE):
            texts = corpus.texts[first : first + N_AT_ONCE]
            links += await _align_batch(encoder, job, texts)
            progress.advance(bar, len(texts))
    if encoder.n_left_out:
        say(f"{encoder.n_left_out} sentence pairs could not be aligned: no words, or other tokens")
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
    await encoder.count_tokens([word for words in sentences for word in words])
    states = await encoder.states(sentences)
    for number, source, target in zip(asked, states[::2], states[1::2], strict=True):
        if source is None or target is None:
            encoder.n_left_out += 1
        else:
            links[number] = align_awesome(source[0], target[0], source[1], target[1])
    return links
