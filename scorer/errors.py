"""What can go wrong between a question and its answer, by who must act.

The wire carries the class name, and the client raises the same class again.
"""


class ScorerError(Exception):
    """The message says in one sentence what was met and what is allowed."""


class CallerError(ScorerError):
    """The caller's fault: the same question will be refused again."""


class InvalidRequestError(CallerError):
    """The body or a parameter is not what the endpoint takes."""


class ItemError(CallerError):
    """One item is at fault; its neighbours are answered, or fail for reasons of their own."""


class TextTooLongError(ItemError):
    """A text with its start token and new tokens exceeds the model's context window."""


class TooManyItemsError(CallerError):
    """One call holds more items or bytes than this scorer takes at once."""


class NothingToScoreError(ItemError):
    """No token of a text has a probability: it is empty, or its only token is the first."""


class UnknownLanguageError(ItemError):
    """A language that a translation model has no code for, or none where one is needed."""


class UnsupportedRequestError(CallerError):
    """The loaded model cannot answer this kind of question."""


class UnknownLayerError(CallerError):
    """A layer that the model does not have."""


class UnknownTokenError(ItemError):
    """A token id outside the vocabulary, or a start token that the tokenizer lacks."""


class NotAllowedError(CallerError):
    """The API key is missing or wrong."""


class ModelNotFoundError(CallerError):
    """No such model, or a folder without weights that can be loaded."""


class CheckpointError(CallerError):
    """A checkpoint of another training lies where this one would go on."""


class TrainingDataError(CallerError):
    """Pairs to be trained on that cannot be read; the message names file and line."""


class TrainingStoppedError(ScorerError):
    """A training was asked to end; its checkpoint holds every step that was done."""


class NotNowError(ScorerError):
    """Not now: the same question may be answered a little later."""


class ModelLoadingError(NotNowError):
    """The weights are still being loaded."""


class QueueFullError(NotNowError):
    """Too many questions wait for the model already."""


class EngineClosedError(NotNowError):
    """The process that computes has ended; another one is started."""


class ScorerUnreachableError(NotNowError):
    """Nobody answers at the scorer's address, or it hung up in the middle."""


class BackendError(ScorerError):
    """Ours: the model, or what came back from it, is not as it must be."""


class OutOfMemoryError(BackendError):
    """A batch does not fit into the device's memory; halve it and ask again."""


def _subclasses(kind: type[ScorerError]) -> list[type[ScorerError]]:
    return [kind, *(leaf for child in kind.__subclasses__() for leaf in _subclasses(child))]


ERROR_BY_NAME: dict[str, type[ScorerError]] = {
    kind.__name__: kind for kind in _subclasses(ScorerError)
}


def error_from_wire(name: str, detail: str, status: int) -> ScorerError:
    """Return the exception that the server raised; an unknown name is judged by its HTTP status."""
    if name in ERROR_BY_NAME:
        return ERROR_BY_NAME[name](detail)
    if status in (408, 425, 429, 502, 503, 504):
        return NotNowError(f"{name}: {detail}")
    if status in (401, 403):
        return NotAllowedError(detail)
    if status == 413:
        return TooManyItemsError(detail)
    return (InvalidRequestError if status < 500 else BackendError)(f"{name}: {detail}")
