"""What a user may set about DiBiMT; where the paper leaves a choice open, the default is first."""

from typing import Annotated, Literal

from pydantic import Field

from benchmarks.benchmark import BenchmarkSettings


class DibimtSettings(BenchmarkSettings):
    """The defaults are the paper's where it speaks."""

    lemmatiser: str = "default"
    """`default`, `stanza`, or `stanza:<folder with its models>`."""
    match_pos: Literal["off", "on"] = "off"
    """Whether a matched token must have the part of speech of the item (or of the entry)."""
    surface: Literal["bounded", "substring", "off"] = "bounded"
    """How the bare text is searched when no token matched: `bounded` does not look inside longer
    words where the language writes spaces between words."""
    ambiguous: Literal["apart", "good", "bad"] = "apart"
    """What a translation with a good *and* a bad lemma is: a class of its own outside accuracy,
    or as if only the one were there."""
    n_beams: Annotated[int, Field(ge=1, le=64)] = 5
    wsd_file: str = ""
    """Predictions of a word-sense-disambiguation system: JSON lines with `id` and `synset`."""
