"""What a run must say of itself so that somebody else can repeat it; it never holds a null."""

import hashlib
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Benchmark
from metrics.score import METRIC_VERSION
from orchestrator.plan import Cell
from orchestrator.plugins import plugin_facts
from orchestrator.providers.provider import Provider
from orchestrator.spec import RunSpec

PACKAGES = (
    "polysense", "torch", "transformers", "tokenizers", "safetensors", "numpy", "scipy",
    "scikit-learn", "rapidfuzz", "simplemma", "jieba", "sudachipy", "sudachidict-core",
    "pymorphy3", "procrastinate", "sqlalchemy", "asyncpg", "pydantic",
)  # fmt: skip
CHUNK_BYTES = 1 << 20
UNKNOWN = "unknown"


def file_sha256(path: Path) -> str:
    """Return the checksum of a file, read in chunks."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def code_facts() -> dict[str, str]:
    """Return the commit that runs and whether it has been changed since."""
    folder = Path(__file__).parent
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return {"commit": f"{UNKNOWN}: not a git checkout", "is_dirty": UNKNOWN}
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "is_dirty": UNKNOWN if changes is None else str(bool(changes))}


def package_versions() -> dict[str, str]:
    """Return the version of every package that may move a number."""
    return {name: _version(name) for name in PACKAGES}


def data_facts(benchmark: Benchmark, folder: Path, languages: Sequence[str]) -> dict[str, Any]:
    """Return where the items came from and the checksum of every file read."""
    files = [
        {
            "name": path.relative_to(folder).as_posix()
            if path.is_relative_to(folder)
            else str(path),
            "sha256": file_sha256(path),
            "n_bytes": path.stat().st_size,
        }
        for path in benchmark.files(folder, languages)
    ]
    whole = hashlib.sha256("".join(sorted(str(file["sha256"]) for file in files)).encode())
    source = "sample" if folder == benchmark.sample else str(folder)
    return {"source": source, "files": files, "sha256": whole.hexdigest()}


def manifest(
    spec: RunSpec,
    benchmark: Benchmark,
    run_cells: Sequence[Cell],
    model: Mapping[str, Any],
    data: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the manifest of a run, ready for JSON."""
    return {
        "code": code_facts(),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "packages": package_versions(),
        "plugins": plugin_facts(spec.benchmark, spec.model),
        "model": dict(model),
        "data": dict(data),
        "benchmark": {
            "name": benchmark.name,
            "paper": benchmark.paper,
            "prompt_version": benchmark.prompt_version,
            "prompt_sha256": dict(benchmark.prompt_hashes),
            "judge_version": benchmark.judge_version,
            "metric_version": METRIC_VERSION,
            "cells": [{"task": task, "variant": variant} for task, variant in run_cells],
        },
        "settings": _without_null(benchmark.settings.model_dump(mode="json")),
        "provider_settings": {
            name: value
            for name, value in spec.settings.items()
            if name not in type(benchmark.settings).model_fields
        },
        "seed": spec.seed if spec.seed is not None else 0,
        "seed_given": spec.seed is not None,
        "languages": list(spec.languages) or "all",
        "limit": spec.limit if spec.limit is not None else "none",
        "batch_items": spec.batch_items,
        "use_cache": spec.use_cache,
    }


def model_facts(name: str, provider: Provider | None, kinds: Sequence[str]) -> dict[str, Any]:
    """Return the identity of the model, one entry for each kind of request it is asked."""
    if provider is None:
        return {"name": name, "provider": "baseline"}
    identities = {
        str(kind): dict(provider.identity(kind)) for kind in sorted(provider.kinds) if kind in kinds
    }
    return {"name": name, "identities": identities}


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _without_null(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: "none" if value is None else value for name, value in settings.items()}
