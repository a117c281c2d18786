"""A token and its lemmas: what every lemmatiser returns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenLemmas:
    """A token of a text with every lemma it may have.

    Surfaces and lemmas are as the backend spells them: fold both sides before comparing.
    """

    surface: str
    lemmas: tuple[str, ...]
    """The likeliest first, none twice, never empty."""
    start: int
    end: int
    """Half-open character range in the text."""
    upos: str | None = None
    """Universal part of speech; None where the backend does not tag this language."""
    words: "tuple[TokenLemmas, ...]" = ()
    """The words a contraction stands for (Spanish `al`: `a`, `el`), all at the token's place."""
