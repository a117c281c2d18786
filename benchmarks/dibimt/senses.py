"""Which of a word's senses is meant, how common is it, and which one was taken instead?"""

from collections.abc import Sequence


def sense_index(senses: Sequence[str], synset: str) -> int:
    """Return μ, the 1-based place of a synset among senses in frequency order.

    Senses with equal counts keep the wordnet's order, so μ is the place in the list as it stands.

    Raises:
        ValueError: The word has no such sense.

    Source: Campolungo et al. 2022 (DiBiMT), the definition of sense frequency index.
    """
    return list(senses).index(synset) + 1


def polysemy_degree(senses: Sequence[str]) -> int:
    """Return δ, the number of senses.

    Source: Campolungo et al. 2022 (DiBiMT), the definition of sense polysemy degree.
    """
    return len(senses)


def wrong_sense(senses: Sequence[str], synset: str, lexicalised: Sequence[str]) -> str | None:
    """Return the sense a wrong lexicalisation expresses: the commonest other sense it can have.

    Args:
        senses: Of the English word, in frequency order.
        synset: The sense that was meant.
        lexicalised: The synsets of the matched lemma in its language.

    Returns:
        None where none of the word's other senses has the lemma: annotators added it, or the
        wordnet gives it only the sense that was meant.

    Source: Campolungo et al. 2022 (DiBiMT), the definition of MFS and MFS+.
    """
    others = [sense for sense in senses if sense != synset]
    return next((sense for sense in others if sense in lexicalised), None)
