"""A row to be scored, what its result needs beside it, and what stands where there is none."""

from dataclasses import dataclass

from scorer.backend import LogProbs, TokenRow
from scorer.errors import ItemError, TextTooLongError
from scorer.schemas import Capabilities, FailedItem, LogProbResult


@dataclass(frozen=True, slots=True)
class ScoringRow:
    """A row, and what its result needs beside the log-probabilities."""

    row: TokenRow
    offsets: tuple[tuple[int, int], ...]
    """Of the scored tokens."""
    continuation: str
    is_straddling: bool
    has_eos: bool = False
    """Whether the last scored token is the end of the target, which is reported apart."""

    def result(self, log_probs: LogProbs) -> LogProbResult:
        """Put the log-probabilities of the scored tokens into a result."""
        values = [float(value) for value in log_probs]
        eos_log_prob = values.pop() if self.has_eos else None
        ids = self.row.ids[self.row.n_given :]
        return LogProbResult(
            sum=sum(values),
            log_probs=values,
            token_ids=list(ids[: len(values)]),
            offsets=list(self.offsets),
            n_scored=len(values),
            n_characters=len(self.continuation),
            n_bytes=len(self.continuation.encode()),
            is_straddling=self.is_straddling,
            eos_log_prob=eos_log_prob,
        )


def failed(error: ItemError) -> FailedItem:
    """Return what stands in the place of an item that cannot be answered."""
    return FailedItem(error=type(error).__name__, detail=str(error))


def check_length(n_tokens: int, info: Capabilities, n_new: int = 0) -> None:
    """Refuse what does not fit into the model's context window.

    Raises:
        TextTooLongError: It does not fit.
    """
    if n_tokens + n_new > info.context_window:
        new = f" and {n_new} new ones" if n_new else ""
        raise TextTooLongError(
            f"{n_tokens} tokens{new}; the context window of {info.model} is {info.context_window}"
        )
