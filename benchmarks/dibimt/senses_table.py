"""Show a word's senses with μ, δ and counts, and say where frequency information ends."""

from dataclasses import asdict, dataclass
from typing import Any

from languages.errors import LanguageError
from languages.wordnet import WordNet


@dataclass(frozen=True, slots=True)
class SenseRow:
    """One sense of an English (lemma, part of speech)."""

    mu: int
    """1-based place among the senses, the commonest first."""
    synset: str
    count: int | None
    """Occurrences in the sense-tagged corpus; None where the wordnet has no counts."""
    is_mu_frequency: bool
    """Whether the place rests on a count; else it is only the wordnet's order."""
    gloss: str


@dataclass(frozen=True, slots=True)
class SensesTable:
    """Everything `polysense dibimt senses` has to say about a word."""

    lemma: str
    pos: str
    delta: int
    n_with_frequency: int
    """So many of the first senses have counts."""
    rows: tuple[SenseRow, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the table in JSON values."""
        return asdict(self)

    def as_text(self) -> str:
        """Return the table as lines for a terminal."""
        lines = [f"{self.lemma} ({self.pos}): δ = {self.delta}", "  μ  count  synset"]
        for row in self.rows:
            if row.mu == self.n_with_frequency + 1:
                lines.append(f"     -- frequency ends here: μ > {row.mu - 1} is wordnet order only")
            count = "?" if row.count is None else str(row.count)
            lines.append(f"{row.mu:>3}  {count:>5}  {row.synset}  {row.gloss}".rstrip())
        return "\n".join(lines)


def senses_table(wordnet: WordNet, lemma: str, pos: str) -> SensesTable:
    """Return the senses of an English word.

    Raises:
        LanguageError: The wordnet lacks the word in this part of speech; says which it has.
    """
    senses = wordnet.senses(lemma, pos)
    if senses is None:
        known = ", ".join(wordnet.parts_of_speech(lemma)) or "none"
        raise LanguageError(f"{lemma!r} is no {pos} in WordNet; its parts of speech: {known}")
    counts = senses.counts or (None,) * senses.delta
    rows = tuple(
        SenseRow(mu, synset, count, senses.is_frequency_known(synset), wordnet.gloss(synset) or "")
        for mu, (synset, count) in enumerate(zip(senses.synsets, counts, strict=True), start=1)
    )
    return SensesTable(lemma, pos, senses.delta, senses.n_tagged, rows)
