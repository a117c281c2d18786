"""Which machine, and which program, does a figure come from?"""

import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from orchestrator.manifest import code_facts

GB = 2**30
_PROCESSOR = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)


def machine_line() -> str:
    """Return processor, cores that this process may use, memory, system and Python, in one line."""
    memory_gb = psutil.virtual_memory().total / GB
    parts = (
        _processor(),
        f"{n_cores()} cores",
        f"{memory_gb:.0f} GB",
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
    )
    return ", ".join(parts)


def n_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bench_facts(*libraries: str) -> dict[str, Any]:
    """Return what every bench says of its surroundings.

    Args:
        libraries: Installed packages whose version matters for the figures.
    """
    load_1_min = psutil.getloadavg()[0]
    return {
        "schema": 1,
        "machine": machine_line(),
        "load_1_min": round(load_1_min, 2),
        "date": datetime.now(UTC).date().isoformat(),
        **code_facts(),
        "versions": {name: version(name) for name in ("polysense", *libraries)},
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    found = _PROCESSOR.search(path.read_text()) if path.is_file() else None
    name = found[1] if found else platform.processor() or platform.machine()
    return " ".join(name.split())
