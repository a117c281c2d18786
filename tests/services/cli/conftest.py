"""What tests of the command share."""

import sys

import pytest

from services.cli.main import main


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Call the command in this process: its exit code and its two streams."""
    monkeypatch.setenv("POLYSENSE_HOME", str(tmp_path / "a home"))
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["polysense", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        streams = capsys.readouterr()
        return ended.value.code, streams.out, streams.err

    return call


@pytest.fixture
def refused(command):
    """Return the one line with which wrong use ends."""

    def call(*words):
        code, out, err = command(*words)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1, err
        return err

    return call
