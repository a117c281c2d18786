"""What can be wrong with a benchmark's data, settings or names."""


class BenchmarkError(Exception):
    """The message says what was met and what is allowed, in one sentence."""


class UnknownNameError(BenchmarkError):
    """A benchmark, task, language, baseline or setting that does not exist."""


class DataError(BenchmarkError):
    """A file that is missing or cannot be read as its authors lay it out.

    The message names the file and, where there is one, the line (1-based).
    """


class SettingError(BenchmarkError):
    """A setting whose value is not allowed."""


class ReplayError(BenchmarkError):
    """A recorded response that does not fit its request."""


class PluginError(UnknownNameError):
    """A name that an installed package claims and does not fill; names the package."""
