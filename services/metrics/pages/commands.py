"""The command that makes a run again."""

import shlex
from collections.abc import Mapping
from typing import Any

DEFAULT_BATCH_ITEMS = 64


def run_command(spec: Mapping[str, Any]) -> str:
    """Return the command line of a run, from what was asked for."""
    words = ["polysense", "run", str(spec["benchmark"]), "--model", str(spec["model"])]
    for option, name in (("--task", "tasks"), ("--language", "languages")):
        for value in spec.get(name) or ():
            words += [option, str(value)]
    for option, name in (("--data", "data"), ("--limit", "limit"), ("--seed", "seed")):
        if spec.get(name) is not None:
            words += [option, str(spec[name])]
    for name, value in sorted((spec.get("settings") or {}).items()):
        words += ["--setting", f"{name}={value}"]
    if spec.get("batch_items", DEFAULT_BATCH_ITEMS) != DEFAULT_BATCH_ITEMS:
        words += ["--batch-items", str(spec["batch_items"])]
    if spec.get("use_cache") is False:
        words.append("--no-cache")
    return shlex.join(words)
