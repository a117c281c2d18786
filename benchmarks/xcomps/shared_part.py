"""What do the two sentences of a pair share, and in what do they differ?"""

from dataclasses import dataclass

from benchmarks.xcomps.languages import WITHOUT_SPACES

GAP = "___"
SENTENCE_MARKS = ".。!！?？؟"


@dataclass(frozen=True, slots=True)
class SharedPart:
    """Two sentences cut into a common beginning, what differs, and a common end."""

    prefix: str
    suffix: str
    options: tuple[str, str]
    """What differs: in the acceptable and in the unacceptable sentence; may be empty."""
    joiner: str
    """What stands between words: a space, or nothing."""

    @property
    def has_both_options(self) -> bool:
        """Whether both sentences have something the other lacks, and share anything."""
        return all(self.options) and bool(self.prefix or self.suffix)

    @property
    def gapped(self) -> str:
        """What is shared, with a gap for what differs."""
        return self.joiner.join(filter(None, (self.prefix, GAP, self.suffix)))


def shared_part(acceptable: str, unacceptable: str, language: str) -> SharedPart:
    """Strip the longest common beginning, then the longest common end.

    Counted in words, in Chinese and Japanese in characters; punctuation at the end of a sentence
    never belongs to what differs.
    """
    joiner = "" if language in WITHOUT_SPACES else " "
    first, second = (
        list(sentence.strip()) if not joiner else sentence.split()
        for sentence in (acceptable, unacceptable)
    )
    start = _common_length(first, second)
    rest_first, rest_second = first[start:], second[start:]
    end = _common_length(rest_first[::-1], rest_second[::-1])
    middles = (rest_first[: len(rest_first) - end], rest_second[: len(rest_second) - end])
    options = [joiner.join(middle).rstrip(SENTENCE_MARKS) for middle in middles]
    return SharedPart(
        prefix=joiner.join(first[:start]),
        suffix=joiner.join(rest_first[len(rest_first) - end :]),
        options=(options[0], options[1]),
        joiner=joiner,
    )


def _common_length(first: list[str], second: list[str]) -> int:
    length = 0
    while length < min(len(first), len(second)) and first[length] == second[length]:
        length += 1
    return length
