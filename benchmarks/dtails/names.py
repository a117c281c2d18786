"""The languages of DTAiLS as its prompts call them."""

SOURCE = "English"
SOURCE_CODE = "en"

NAME_BY_CODE = {
    "af": "Afrikaans",
    "fa": "Farsi",
    "gl": "Galician",
    "hi": "Hindi",
    "hy": "Armenian",
    "ja": "Japanese",
    "lv": "Latvian",
    "ta": "Tamil",
    "te": "Telugu",
}


def language_name(code: str) -> str:
    """Return a language's English name; a language beyond the paper's keeps its code."""
    return NAME_BY_CODE.get(code, code)
