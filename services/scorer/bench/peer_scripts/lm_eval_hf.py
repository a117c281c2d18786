"""Score sentences as lm-evaluation-harness does; runs in the peers' own environment.

Reads JSON lines on stdin: first {"folder", "batch_size"}, then one list of sentences a round.
Answers each round with {"seconds", "sums"}.
"""

import json
import sys
import time

from lm_eval.api.instance import Instance  # type: ignore[import-not-found]
from lm_eval.models.huggingface import HFLM  # type: ignore[import-not-found]


def main() -> None:
    """Load once, then answer every round."""
    settings = json.loads(sys.stdin.readline())
    model = HFLM(
        pretrained=settings["folder"],
        batch_size=settings["batch_size"],
        device="cpu",
        dtype="float32",
    )
    answers = sys.stdout
    sys.stdout = sys.stderr
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        requests = [
            Instance(request_type="loglikelihood", doc={}, arguments=("", text), idx=number)
            for number, text in enumerate(json.loads(line))
        ]
        began = time.perf_counter()
        found = model.loglikelihood(requests, disable_tqdm=True)
        seconds = time.perf_counter() - began
        sums = [value for value, _ in found]
        print(json.dumps({"seconds": seconds, "sums": sums}), file=answers, flush=True)


if __name__ == "__main__":
    main()
