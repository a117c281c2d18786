"""Which machine were figures measured on?"""

import os
import platform
from pathlib import Path

CPU_FACTS = Path("/proc/cpuinfo")


def describe_machine() -> str:
    """Return the processor's name and the cores that this process may use."""
    return f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {platform.system()}"


def _processor() -> str:
    if CPU_FACTS.exists():
        for line in CPU_FACTS.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
