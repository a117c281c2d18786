"""Score sentences as minicons does; runs in the peers' own environment.

Reads JSON lines on stdin: first {"folder", "batch_size"}, then one list of sentences a round.
Answers each round with {"seconds", "sums"}.
"""

import json
import sys
import time

from minicons.scorer import IncrementalLMScorer  # type: ignore[import-not-found]


def main() -> None:
    """Load once, then answer every round."""
    settings = json.loads(sys.stdin.readline())
    model = IncrementalLMScorer(settings["folder"], "cpu")
    size = settings["batch_size"]
    answers = sys.stdout
    sys.stdout = sys.stderr
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        texts = json.loads(line)
        began = time.perf_counter()
        sums = []
        for begin in range(0, len(texts), size):
            sums += model.sequence_score(
                texts[begin : begin + size], reduction=lambda row: row.sum(0).item()
            )
        seconds = time.perf_counter() - began
        print(json.dumps({"seconds": seconds, "sums": sums}), file=answers, flush=True)


if __name__ == "__main__":
    main()
