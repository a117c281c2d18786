"""What a translation is worth in DiBiMT, worked out again by trying every placing."""

import random
import re
import unicodedata
from collections import Counter

from benchmarks.benchmark import Item
from benchmarks.dibimt.judge import Judge
from languages.tokens import TokenLemmas

LEMMAS = {"a1": ("a",), "a2": ("a", "b"), "Bs": ("b",), "bß": ("b", "bss"), "c1": ("c",)}
LEMMAS |= {"x": ("y",), "É": ("é",)}
CONTRACTIONS = {"ab": ("a", "b"), "cl": ("c", "lo")}
VOCABULARY = ["a", "A", "a1", "a2", "b", "Bs", "bß", "bss", "c", "c1", "C", "x", "y", "ab", "cl"]
VOCABULARY += ["lo", "É", "e\u0301"]
WORD = re.compile("\\w[\\w\u0301]*")


class ToyLemmatiser:
    """A language of eighteen words, two of which are contractions."""

    name = "toy"

    def lemmas(self, text, language):
        return [self._token(found.group(), *found.span()) for found in WORD.finditer(text)]

    def versions(self):
        return {"lemmatiser": "toy"}

    def _token(self, surface, start, end):
        words = tuple(self._token(word, start, end) for word in CONTRACTIONS.get(surface, ()))
        return TokenLemmas(surface, LEMMAS.get(surface, (surface,)), start, end, None, words)


# ---- the paper's rules, written anew


def folded(text):
    return unicodedata.normalize("NFC", text).replace("ß", "ss").casefold()


def forms(word):
    return {folded(form) for form in (word, *LEMMAS.get(word, ()))}


def begins_with(pattern, words):
    """Say whether the words begin with the pattern; None in it is any number of words."""
    if not pattern:
        return True
    if pattern[0] is None:
        return any(begins_with(pattern[1:], words[n:]) for n in range(len(words) + 1))
    return bool(words) and bool(pattern[0] & words[0]) and begins_with(pattern[1:], words[1:])


def is_among(entry, words):
    pattern = [None if word == "*" else forms(word) for word in entry.split()]
    units = [forms(word) for word in words]
    return any(begins_with(pattern, units[n:]) for n in range(len(units)))


def is_in_text(entry, text, search):
    """Say whether the entry's strings stand in the text in order; at word boundaries if bounded."""
    pieces = [piece.strip() for piece in re.split(r"(?<!\S)\*(?!\S)", entry) if piece.strip()]
    hay = folded(text)

    def is_edge(at):
        return not (0 <= at < len(hay) and re.match(r"\w", hay[at]))

    def stands(number, start):
        if number == len(pieces):
            return True
        needle = folded(pieces[number])
        for at in range(start, len(hay) - len(needle) + 1):
            end = at + len(needle)
            is_whole = search == "substring" or (is_edge(at - 1) and is_edge(end))
            if hay[at:end] == needle and is_whole and stands(number + 1, end):
                return True
        return False

    return search != "off" and stands(0, 0)


def judged_by_hand(good, bad, text, search):
    words = WORD.findall(text)
    apart = [part for word in words for part in CONTRACTIONS.get(word, (word,))]
    found = [[e for e in part if is_among(e, words) or is_among(e, apart)] for part in (good, bad)]
    if not any(found):
        found = [[e for e in part if is_in_text(e, text, search)] for part in (good, bad)]
    is_good, is_bad = map(bool, found)
    verdict = {(True, False): "GOOD", (False, True): "BAD", (False, False): "MISS"}
    return verdict.get((is_good, is_bad), "AMBIGUOUS"), *found


def draw_entry(generator):
    n = generator.choice((1, 1, 1, 2, 2, 3, 4))
    while True:
        words = generator.choices(VOCABULARY + ["*"] * (4 if n > 1 else 0), k=n)
        if set(words) != {"*"}:
            return " ".join(words)


def test_every_class_is_the_one_that_trying_everything_gives():
    generator = random.Random(1)
    judges = {
        search: Judge(ToyLemmatiser(), surface=search) for search in ("bounded", "substring", "off")
    }
    seen = Counter()
    for _ in range(6_000):
        search = generator.choice(sorted(judges))
        good, bad = (
            [draw_entry(generator) for _ in range(generator.randint(0, 2))] for _ in range(2)
        )
        ends = (" ", " ", " ", ", ", ". ", "", "-")
        text = "".join(
            generator.choice(VOCABULARY) + generator.choice(ends)
            for _ in range(generator.randint(0, 6))
        )

        detail = judges[search].judge(item_of(good, bad), text).detail

        wanted = judged_by_hand(good, bad, text, search)
        assert (detail["class"], detail["good"], detail["bad"]) == wanted, (text, search)
        seen[detail["class"], detail["stage"]] += 1
    assert len(seen) == 10  # three classes at each of three stages, and MISS


def item_of(good, bad):
    """Return an item with these entries."""
    sets = [
        [{"lemma": entry, "synsets": [], "origin": "wordnet"} for entry in part]
        for part in (good, bad)
    ]
    fields = {"sentence": "s", "word": "w", "start": 0, "lemma": "w", "synset": "s1"}
    fields |= {"senses": ["s1"], "good": sets[0], "bad": sets[1]}
    return Item("i", "de", "NOUN", "w", fields)
