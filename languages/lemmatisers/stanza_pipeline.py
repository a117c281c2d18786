"""Lemmas by Stanza, where it and its models are installed; nothing is ever downloaded."""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from languages.errors import BackendUnavailableError
from languages.tokens import TokenLemmas

PROCESSORS = "tokenize,mwt,pos,lemma"

MakePipeline = Callable[..., Any]
"""`stanza.Pipeline`, or a fake with the same arguments and results."""


def open_stanza(folder: Path | None = None) -> "StanzaLemmatiser":
    """Return a lemmatiser over the models in a folder (default: Stanza's own place).

    Raises:
        BackendUnavailableError: Stanza is not installed, or the folder is missing.
    """
    if find_spec("stanza") is None:
        raise BackendUnavailableError(
            "the lemmatiser 'stanza' needs the package stanza, which is not installed"
            " (pip install stanza); 'default' needs nothing"
        )
    if folder is not None and not folder.is_dir():
        raise BackendUnavailableError(f"no folder {folder} with Stanza models")
    import stanza  # type: ignore[import-not-found, unused-ignore]  # an extra

    return StanzaLemmatiser(stanza.Pipeline, folder, version("stanza"))


class StanzaLemmatiser:
    """One pipeline a language, loaded when the language is first asked for."""

    name = "stanza"

    def __init__(self, make_pipeline: MakePipeline, folder: Path | None, release: str) -> None:
        """Keep the way to make pipelines; none is made yet."""
        self._make_pipeline = make_pipeline
        self._folder = folder
        self._release = release
        self._pipelines: dict[str, Any] = {}

    def lemmas(self, text: str, language: str) -> list[TokenLemmas]:
        """Return the tokens of a text in order, without punctuation.

        Raises:
            BackendUnavailableError: The language's models are not installed.
        """
        if language not in self._pipelines:
            self._pipelines[language] = self._load(language)
        document = self._pipelines[language](text)
        return [
            _token_lemmas(token)
            for sentence in document.sentences
            for token in sentence.tokens
            if any(word.upos != "PUNCT" for word in token.words)
        ]

    def versions(self) -> Mapping[str, str]:
        """Return Stanza's version, for a run's manifest."""
        return {"lemmatiser": "stanza", "stanza": self._release}

    def _load(self, language: str) -> Any:  # noqa: ANN401  # Stanza has no types
        place = {} if self._folder is None else {"dir": str(self._folder)}
        try:
            return self._make_pipeline(
                language, download_method=None, processors=PROCESSORS, verbose=False, **place
            )
        except (OSError, ValueError, KeyError) as error:
            raise BackendUnavailableError(
                f"Stanza's models for {language!r} are not in"
                f" {self._folder or 'its own folder'} (stanza.download({language!r}));"
                " the lemmatiser 'default' needs none"
            ) from error


def _token_lemmas(token: Any) -> TokenLemmas:  # noqa: ANN401  # Stanza has no types
    start, end = token.start_char, token.end_char
    words = [TokenLemmas(w.text, (w.lemma or w.text,), start, end, w.upos) for w in token.words]
    if len(words) == 1:
        return TokenLemmas(token.text, words[0].lemmas, start, end, words[0].upos)
    return TokenLemmas(token.text, (token.text,), start, end, None, tuple(words))
