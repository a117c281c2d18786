"""What stands before the first token of a text."""

from scorer.backend import Tokenizer
from scorer.errors import UnknownTokenError
from scorer.schemas import BosPolicy, Capabilities

NO_TOKEN = "none"
TOKENIZER_POLICY = "tokenizer"
"""An encoder's: its texts carry the special tokens of its tokenizer."""


def start_token_id(policy: BosPolicy, tokenizer: Tokenizer, info: Capabilities) -> int | None:
    """Return the start token's id, or None where nothing stands before the first token.

    Raises:
        UnknownTokenError: The tokenizer has no such token.
    """
    token: str | None
    match policy:
        case "skip-first":
            return None
        case "default":
            if info.bos_token == NO_TOKEN:
                return None
            token = info.bos_token
        case "bos":
            token = tokenizer.bos_token
        case "eos-as-bos":
            token = tokenizer.eos_token
    if token is None:
        raise UnknownTokenError(
            f"bos_policy {policy!r}: the tokenizer of {info.model} has no such token;"
            " allowed: default, skip-first"
        )
    return tokenizer.token_id(token)


def declared_start(tokenizer: Tokenizer, declared: str | None) -> tuple[str, str]:
    """Return (policy, token) that `default` means for a model.

    The declared token counts first; then the tokenizer's own start token; a text's end marker
    where there is none, since documents follow one another in training.
    """
    if declared is not None:
        return "declared", declared
    if tokenizer.bos_token is not None:
        return "bos", tokenizer.bos_token
    if tokenizer.eos_token is not None:
        return "eos-as-bos", tokenizer.eos_token
    return "skip-first", NO_TOKEN
