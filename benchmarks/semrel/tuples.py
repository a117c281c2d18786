"""Which pairs are shown together? Tuples for Best-Worst Scaling.

Source: Kiritchenko & Mohammad 2017 (arXiv:1712.01765); Ousidhoum et al. 2024, section 3.4.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

SIZE = 4
"""Pairs in a tuple."""
FACTOR = 2
"""Tuples a pair: each pair stands in SIZE · FACTOR = 8 of them."""
N_PASSES = 30
"""How often repeated meetings are looked over for a swap that removes them."""
PATIENCE = 5
"""Passes without a gain after which one gives up."""
N_TRIES = 40
"""Partners tried for one swap."""

Tuple = tuple[int, ...]
Meetings = Counter[tuple[int, int]]


def propose_tuples(n_pairs: int, seed: int) -> list[Tuple]:
    """Return 2N tuples of four distinct pairs, each pair in exactly eight of them.

    Eight shuffled rounds over all pairs are dealt out four by four; then members are swapped
    between tuples until no two pairs meet twice, or no swap helps (too few pairs).

    Args:
        n_pairs: How many pairs there are, named 0 … n-1.
        seed: Where shuffling starts.

    Raises:
        ValueError: Fewer than four pairs.
    """
    if n_pairs < SIZE:
        raise ValueError(f"{n_pairs} pairs; a tuple needs {SIZE} distinct ones")
    generator = random.Random(f"{seed}:tuples")
    tuples = [list(members) for members in _deal(n_pairs, generator)]
    meetings: Meetings = Counter()
    for members in tuples:
        meetings.update(_meetings_in(members))
    fewest, n_idle = _n_excess(meetings), 0
    for _ in range(N_PASSES):
        crowded = [at for at, members in enumerate(tuples) if _n_repeats(members, meetings)]
        for at in crowded:
            _loosen(tuples, at, meetings, generator)
        n_idle = 0 if _n_excess(meetings) < fewest else n_idle + 1
        fewest = min(fewest, _n_excess(meetings))
        if not fewest or n_idle == PATIENCE:
            break
    return [tuple(members) for members in tuples]


def n_repeated_meetings(tuples: Sequence[Sequence[int]]) -> int:
    """Return how many times two pairs meet that have met before."""
    meetings: Meetings = Counter()
    for members in tuples:
        meetings.update(_meetings_in(members))
    return _n_excess(meetings)


def _n_excess(meetings: Meetings) -> int:
    return sum(count - 1 for count in meetings.values() if count > 1)


def _deal(n_pairs: int, generator: random.Random) -> Iterator[list[int]]:
    """Deal shuffled rounds out; a round begins with pairs that the open hand does not hold."""
    hand: list[int] = []
    for _ in range(SIZE * FACTOR):
        shuffled = generator.sample(range(n_pairs), n_pairs)
        held = set(hand)
        for pair in sorted(shuffled, key=held.__contains__):
            hand.append(pair)
            if len(hand) == SIZE:
                yield hand
                hand = []


def _meetings_in(members: Sequence[int]) -> Iterator[tuple[int, int]]:
    return combinations(sorted(members), 2)


def _n_repeats(members: Sequence[int], meetings: Meetings) -> int:
    """Return how many meetings in a tuple happen elsewhere too."""
    return sum(meetings[meeting] > 1 for meeting in _meetings_in(members))


def _loosen(tuples: list[list[int]], at: int, meetings: Meetings, generator: random.Random) -> None:
    """Swap a member of one tuple with a member of another where fewer pairs then meet twice."""
    for _ in range(N_TRIES):
        if not _n_repeats(tuples[at], meetings):
            return
        other = generator.randrange(len(tuples))
        place, other_place = generator.randrange(SIZE), generator.randrange(SIZE)
        mine, theirs = tuples[at][place], tuples[other][other_place]
        if theirs in tuples[at] or mine in tuples[other]:
            continue
        before = _weight(tuples[at], meetings) + _weight(tuples[other], meetings)
        _swap(tuples, (at, place), (other, other_place), meetings)
        if _weight(tuples[at], meetings) + _weight(tuples[other], meetings) >= before:
            _swap(tuples, (at, place), (other, other_place), meetings)


def _weight(members: Sequence[int], meetings: Meetings) -> int:
    """Return how often the pairs of a tuple meet, here and elsewhere."""
    return sum(meetings[meeting] for meeting in _meetings_in(members))


def _swap(
    tuples: list[list[int]], one: tuple[int, int], other: tuple[int, int], meetings: Meetings
) -> None:
    for at in (one[0], other[0]):
        meetings.subtract(_meetings_in(tuples[at]))
    first, second = tuples[one[0]], tuples[other[0]]
    first[one[1]], second[other[1]] = second[other[1]], first[one[1]]
    for at in (one[0], other[0]):
        meetings.update(_meetings_in(tuples[at]))
