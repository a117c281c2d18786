"""Which sentences does a bench score?"""

import random
from pathlib import Path

from benchmarks.benchmark import Case, Selection
from benchmarks.catalog import BENCHMARKS, open_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.requests import LogProbRequest, RequestKind
from scorer.backend import Tokenizer

WORDS_IN_A_SENTENCE = (8, 24)
SHORTEST_WORD = 3


def generated_sentences(
    tokenizer: Tokenizer, vocabulary_size: int, n_sentences: int, seed: int
) -> list[str]:
    """Return sentences that share nothing, of the words that the model's vocabulary has.

    A word is drawn anew for every place, so no two sentences have more than a token or two of
    their beginning in common, and no cleverness with repetition helps.
    """
    source = random.Random(seed)
    words = words_of(tokenizer, vocabulary_size)
    return [
        " ".join(source.choices(words, k=source.randint(*WORDS_IN_A_SENTENCE)))
        for _ in range(n_sentences)
    ]


def words_of(tokenizer: Tokenizer, vocabulary_size: int) -> list[str]:
    """Return the whole words among a vocabulary's entries."""
    texts = (tokenizer.decode([token]).strip() for token in range(vocabulary_size))
    return sorted({text for text in texts if len(text) >= SHORTEST_WORD and text.isalpha()})


def sentences_of(folder: Path) -> list[str]:
    """Return every text that a benchmark's likelihood tasks would score, in data order.

    Raises:
        BenchmarkError: No benchmark with such a task reads the folder.
    """
    refusals = []
    for name in BENCHMARKS:
        try:
            found = _log_prob_texts(name, folder)
        except BenchmarkError as error:
            refusals.append(f"{name}: {error}")
            continue
        if found:
            return found
        refusals.append(f"{name}: no task that scores texts")
    raise BenchmarkError(f"{folder} holds no sentences to score ({'; '.join(refusals)})")


def _log_prob_texts(name: str, folder: Path) -> list[str]:
    benchmark = open_benchmark(name)
    tasks = [task for task in benchmark.tasks if RequestKind.LOG_PROB in benchmark.kinds(task)]
    if not tasks:
        return []
    return [
        request.context + continuation
        for item in benchmark.items(folder, Selection(benchmark.languages(folder)))
        for variant in benchmark.variants(tasks[0], 0)
        for request in benchmark.requests(Case(item, tasks[0], variant), 0)
        if isinstance(request, LogProbRequest)
        for continuation in request.continuations
    ]
