"""From a benchmark's language to the code that a translation model's tokenizer knows.

M2M100 spells `de`, mBART-50 `de_DE`, NLLB `deu_Latn`, OPUS-MT `>>deu<<`.
"""

import re
from collections.abc import Mapping, Sequence

from scorer.errors import UnknownLanguageError

CODE = re.compile(r"^(?:__([a-z]{2,3})__|>>([A-Za-z_]{2,12})<<|([a-z]{2,3}_[A-Z][A-Za-z]{1,3}))$")
"""A language token of M2M100, OPUS-MT, or mBART and NLLB."""

ISO_639_3: Mapping[str, Sequence[str]] = {
    "af": ["afr"], "am": ["amh"], "ar": ["arb", "ara"], "be": ["bel"], "bg": ["bul"],
    "bn": ["ben"], "ca": ["cat"], "cs": ["ces"], "da": ["dan"], "de": ["deu"], "el": ["ell"],
    "en": ["eng"], "es": ["spa"], "et": ["est", "ekk"], "fa": ["pes", "fas"], "fi": ["fin"],
    "fr": ["fra"], "gl": ["glg"], "ha": ["hau"], "he": ["heb"], "hi": ["hin"], "hr": ["hrv"],
    "hu": ["hun"], "hy": ["hye"], "id": ["ind"], "it": ["ita"], "ja": ["jpn"], "ka": ["kat"],
    "kk": ["kaz"], "km": ["khm"], "ko": ["kor"], "lt": ["lit"], "lv": ["lvs", "lav"],
    "mk": ["mkd"], "ml": ["mal"], "mr": ["mar"], "ms": ["zsm", "msa"], "my": ["mya"],
    "ne": ["npi", "nep"], "nl": ["nld"], "no": ["nob", "nor"], "pa": ["pan"], "pl": ["pol"],
    "pt": ["por"], "ro": ["ron"], "ru": ["rus"], "rw": ["kin"], "si": ["sin"], "sk": ["slk"],
    "sl": ["slv"], "sq": ["als", "sqi"], "sr": ["srp"], "sv": ["swe"], "sw": ["swh", "swa"],
    "ta": ["tam"], "te": ["tel"], "th": ["tha"], "tl": ["tgl", "fil"], "tr": ["tur"],
    "uk": ["ukr"], "ur": ["urd"], "uz": ["uzn", "uzb"], "vi": ["vie"], "yo": ["yor"],
    "zh": ["zho", "cmn"],
}  # fmt: skip
ISO_639_1 = {long: short for short, longs in ISO_639_3.items() for long in longs}
PREFERRED = {"zho": "zho_Hans", "srp": "srp_Cyrl"}
"""Where a language is written in several scripts and none is named."""
MAX_TOLD = 8


def find_codes(tokens: Sequence[str]) -> dict[str, str]:
    """Return the tokens that stand for languages, by their code."""
    found = {}
    for token in tokens:
        if match := CODE.match(token):
            found[next(group for group in match.groups() if group)] = token
    return found


def code_of(language: str, codes: Sequence[str], model: str) -> str:
    """Return the code among `codes` that means a language.

    Raises:
        UnknownLanguageError: There is none.
    """
    if language in codes:
        return language
    short = ISO_639_1.get(language, language)
    for spelling in (short, *ISO_639_3.get(short, ()), language):
        if PREFERRED.get(spelling) in codes:
            return PREFERRED[spelling]
        for code in codes:
            if code == spelling or code.startswith(f"{spelling}_"):
                return code
    told = ", ".join(sorted(codes)[:MAX_TOLD])
    raise UnknownLanguageError(
        f"{model} knows no language {language!r}; it knows {told} … ({len(codes)} in all)"
    )
