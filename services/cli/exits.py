"""From an error to an exit code: the one table of the command line."""

from collections.abc import Mapping

from benchmarks.errors import BenchmarkError
from languages.errors import LanguageError
from metrics.errors import MetricsError
from orchestrator.errors import OrchestratorError, ProviderUnavailableError
from services.bundle_files import BundleError
from services.web.settings import SettingsError
from storage.errors import DatabaseAddressError, StorageError, UnknownRunError

DONE = 0
UNANSWERED = 1
WORSE = 1
"""`gate`: the second run is worse than the first by more than the margin."""
WRONG_USE = 2
UNREACHABLE = 3
INTERRUPTED = 130


class UsageError(Exception):
    """Something on the command line that cannot be."""


class UnreachableError(Exception):
    """A service that does not answer."""


class InterruptedRunError(Exception):
    """A run that was paused by Ctrl-C; says how to go on."""


CODES: Mapping[type[Exception], int] = {
    ProviderUnavailableError: UNREACHABLE,
    UnreachableError: UNREACHABLE,
    InterruptedRunError: INTERRUPTED,
    UsageError: WRONG_USE,
    BundleError: WRONG_USE,
    SettingsError: WRONG_USE,
    BenchmarkError: WRONG_USE,
    LanguageError: WRONG_USE,
    MetricsError: WRONG_USE,
    OrchestratorError: WRONG_USE,
    UnknownRunError: WRONG_USE,
    DatabaseAddressError: WRONG_USE,
    StorageError: UNREACHABLE,
}


def exit_code(error: Exception) -> int | None:
    """Return the code of an error that is told in one line; None for one that nobody foresaw."""
    return next((code for kind, code in CODES.items() if isinstance(error, kind)), None)
