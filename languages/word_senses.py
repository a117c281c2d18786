"""Guess which sense an English word has in its sentence, from WordNet's glosses."""

from collections.abc import Collection
from functools import cache

from languages.tokenisation import words
from languages.wordnet import WordNet

MIN_LETTERS = 4
"""Shorter words of a gloss say nothing about a sense, nor do these longer ones."""
_EMPTY = (
    "also been does from have into like made more most much only other over same some such than"
    " that their them then there these they this used very what when where which with"
)
EMPTY_WORDS = frozenset(_EMPTY.split())


class GlossSenses:
    """Simplified Lesk: the sense whose gloss shares most words with the sentence.

    Senses that share equally many stay in WordNet's order, so that the most frequent wins.

    Source: Kilgarriff & Rosenzweig 2000 (Computers and the Humanities 34), simplified Lesk.
    """

    def __init__(self, wordnet: WordNet) -> None:
        """Keep WordNet; glosses are read when they are first needed."""
        self._wordnet = wordnet
        self._gloss_words = cache(self._read_gloss_words)

    def sense(self, lemma: str, pos: str, context: Collection[str]) -> str | None:
        """Return a synset id; None for a word that WordNet lacks.

        Args:
            lemma: The word.
            pos: NOUN, VERB, ADJ or ADV; another has no senses.
            context: Words or lemmas of its sentence, in lower case.
        """
        if pos not in {"NOUN", "VERB", "ADJ", "ADV"}:
            return None
        senses = self._wordnet.senses(lemma, pos)
        if senses is None:
            return None
        around = set(context) - {lemma.lower()}
        return max(senses.synsets, key=lambda synset: len(self._gloss_words(synset) & around))

    def _read_gloss_words(self, synset: str) -> frozenset[str]:
        found = words(self._wordnet.gloss(synset) or "", "en")
        long = {word.surface.lower() for word in found if len(word.surface) >= MIN_LETTERS}
        return frozenset(long - EMPTY_WORDS)
