"""Fixtures that every room may use."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

TEST_DATA = Path(
    os.environ.get("POLYSENSE_TEST_DATA", Path(__file__).parents[2] / "shared" / "data")
)


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Return a function from a benchmark's name to its folder of released files, or skip."""

    def folder(name: str) -> Path:
        path = TEST_DATA / name
        if not path.is_dir():
            pytest.skip(f"no released {name} files at {path} (set POLYSENSE_TEST_DATA)")
        return path

    return folder
