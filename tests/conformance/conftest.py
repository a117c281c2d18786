"""Packages of others, as they lie on the path when they are installed."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRINTED = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def printed_files(document):
    """Return the files that a document prints, by name."""
    return dict(PRINTED.findall((ROOT / document).read_text(encoding="utf-8")))


def write_package(site, name, version, groups, files=()):
    """Write a package and its metadata as an installer leaves them."""
    for path, text in dict(files).items():
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        (target.parent / "__init__.py").touch()
        target.write_text(text, encoding="utf-8")
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def site(tmp_path):
    """Return an empty folder that packages are installed into."""
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def plurals(site):
    """Install the package of the documents: the toy benchmark and the toy provider."""
    files = printed_files("CONTRIBUTING.md") | printed_files("docs/tutorials/own-benchmark.md")
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    write_package(site, project["name"], project["version"], project["entry-points"], files)
    (site / "plurals" / "sample" / "__init__.py").unlink()
    return site


@pytest.fixture
def installed(site, monkeypatch):
    """Put the folder on this process's path; what it brought is forgotten at the end."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(site))
    yield site
    for name in set(sys.modules) - before:
        if str(site) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def polysense(site, tmp_path, database_url):
    """Return a function that runs the command with the packages of the folder installed."""
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "POLYSENSE_HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]),
    }

    def run(*words, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "services.cli.main", *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run
