"""Run every fault test: `python -m tests.faults [--seed N]`; the last line counts."""

import argparse
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


class Counter:
    """Counts the tests; one that broke before or after its own lines has failed too."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=None, help="of every random moment; default 0")
    given, words = parser.parse_known_args()  # the rest is pytest's
    if given.seed is not None:
        os.environ["POLYSENSE_FAULT_SEED"] = str(given.seed)
    counter = Counter()
    options = ["-m", "", "-v", "--tb=short", "-p", "no:cacheprovider", *words]
    code = pytest.main([str(FOLDER), *options], plugins=[counter])
    passed = counter.passed - counter.failed
    sys.stdout.write(f"{len(passed)} passed, {len(counter.failed)} failed\n")
    return 0 if code == pytest.ExitCode.OK else 1


if __name__ == "__main__":
    sys.exit(main())
