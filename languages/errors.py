"""What can be wrong with a language's tools."""


class LanguageError(Exception):
    """The message says what was met and what is allowed, in one sentence."""


class UnknownBackendError(LanguageError):
    """A lemmatiser that does not exist."""


class BackendUnavailableError(LanguageError):
    """A backend whose library, models or files are not installed."""
