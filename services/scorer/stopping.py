"""Has this process been asked to end, or lost the one that started it?"""

import os
import signal
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopWatch:
    """Asked between two steps of long work: signals no longer end the process at once."""

    def __init__(self, parent_pid: int | None) -> None:
        """Catch the signals.

        Args:
            parent_pid: Of the process without which there is nobody to work for; None: no such one.
        """
        self._parent_pid = parent_pid
        self._is_asked = False
        for number in SIGNALS:
            signal.signal(number, self._note)

    def is_stopping(self) -> bool:
        """Say whether it is time to end."""
        return self._is_asked or self._parent_pid not in (None, os.getppid())

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._is_asked = True
