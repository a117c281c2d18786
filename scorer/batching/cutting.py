"""Cut long texts to a number of tokens, as `truncation=True` does in transformers.

Special tokens count and stay; tokens of the text go, from the side that is named.
"""

from collections.abc import Sequence

from scorer.backend import TokenisedText
from scorer.schemas import Truncation


def cut_text(text: TokenisedText, n_special: int, truncation: Truncation | None) -> TokenisedText:
    """Return what is left of a text's tokens beside `n_special` special ones."""
    if truncation is None:
        return text
    kept = _kept(len(text.ids), truncation.tokens - n_special, truncation)
    return TokenisedText(text.ids[kept], text.offsets[kept])


def cut_row(
    ids: tuple[int, ...], is_special: Sequence[bool], truncation: Truncation | None
) -> tuple[int, ...]:
    """Return a row cut between the special tokens at its two ends."""
    if truncation is None or len(ids) <= truncation.tokens:
        return ids
    first = next((at for at, flag in enumerate(is_special) if not flag), len(ids))
    last = next((at for at in range(len(ids), first, -1) if not is_special[at - 1]), first)
    inner = ids[first:last]
    n_special = len(ids) - len(inner)
    kept = _kept(len(inner), truncation.tokens - n_special, truncation)
    return ids[:first] + inner[kept] + ids[last:]


def _kept(n_tokens: int, n_kept: int, truncation: Truncation) -> slice:
    n_kept = min(max(0, n_kept), n_tokens)
    return slice(n_kept) if truncation.side == "right" else slice(n_tokens - n_kept, n_tokens)
