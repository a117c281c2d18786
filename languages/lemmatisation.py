"""What is asked of a lemmatiser, and the choice of one by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from languages.errors import UnknownBackendError
from languages.tokens import TokenLemmas


class Lemmatiser(Protocol):
    """Lemmas for any language; what a language needs is loaded when it is first asked for."""

    name: str

    def lemmas(self, text: str, language: str) -> list[TokenLemmas]:
        """Return the tokens of a text in order, without punctuation.

        Raises:
            BackendUnavailableError: The language's models are not installed.
        """
        ...

    def versions(self) -> Mapping[str, str]:
        """Return the backend and its libraries with their versions, for a run's manifest."""
        ...


BACKENDS = ("default", "stanza")


def open_lemmatiser(name: str = "default") -> Lemmatiser:
    """Return a lemmatiser by name: `default`, `stanza`, or `stanza:<folder with its models>`.

    Raises:
        UnknownBackendError: There is no such lemmatiser.
        BackendUnavailableError: Its library or its folder is not there.
    """
    backend, _, folder = name.partition(":")
    if backend == "default" and not folder:
        from languages.lemmatisers.default import DefaultLemmatiser

        return DefaultLemmatiser()
    if backend == "stanza":
        from languages.lemmatisers.stanza_pipeline import open_stanza

        return open_stanza(Path(folder) if folder else None)
    raise UnknownBackendError(
        f"unknown lemmatiser {name!r}; allowed: {', '.join(BACKENDS)}, stanza:<folder>"
    )
