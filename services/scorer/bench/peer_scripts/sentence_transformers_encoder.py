"""Embed texts as sentence-transformers does; runs in the peers' own environment.

Reads JSON lines on stdin: first {"folder", "batch_size"}, then one list of texts a round.
Answers each round with {"seconds", "sums"}: the sum of each vector's entries.
"""

import json
import sys
import time

from sentence_transformers import SentenceTransformer, models  # type: ignore[import-not-found]


def main() -> None:
    """Load once, then answer every round."""
    settings = json.loads(sys.stdin.readline())
    transformer = models.Transformer(settings["folder"])
    pooling = models.Pooling(transformer.get_word_embedding_dimension())
    model = SentenceTransformer(modules=[transformer, pooling], device="cpu")
    answers = sys.stdout
    sys.stdout = sys.stderr
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        texts = json.loads(line)
        began = time.perf_counter()
        vectors = model.encode(texts, batch_size=settings["batch_size"], show_progress_bar=False)
        seconds = time.perf_counter() - began
        sums = [float(vector.sum()) for vector in vectors]
        print(json.dumps({"seconds": seconds, "sums": sums}), file=answers, flush=True)


if __name__ == "__main__":
    main()
