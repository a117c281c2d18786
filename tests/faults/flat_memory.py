"""How much memory does a run of very many items take?

`python -m tests.faults.flat_memory --items N`:
A generated benchmark, in a package of its own as an installer leaves it, is asked of the `fake`
model by `polysense run`, which plans, works and scores in one process; its resident memory is
sampled all the while. The last line is `peak … MB`; more than 400 MB is an error.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from storage.embedded import start_postgres, stop_postgres

ROOT = Path(__file__).parents[2]
LIMIT_MB = 400
SAMPLE_S = 0.2
REPORT_EVERY_S = 10.0
MEGABYTE = 1e6
BENCHMARK = '''"""Is the shorter of two words the right one? As often as you like."""

from pathlib import Path

from benchmarks.benchmark import Outcome
from benchmarks.requests import LogProbRequest, RequestKind
from benchmarks.simple import SimpleBenchmark


class Plenty(SimpleBenchmark):
    name, title, unit = "plenty", "Plenty", "word"
    tasks, kind = ("pick",), RequestKind.LOG_PROB
    columns, sample = ("right", "wrong"), Path(__file__).parent / "sample"

    def requests(self, case, seed):
        words = (case.item.fields["right"], case.item.fields["wrong"])
        return (LogProbRequest(key=self.key(case), context=case.item.id, continuations=words),)

    def judge(self, case, seed, responses):
        right, wrong = responses[""].sums
        return Outcome(float(right > wrong), detail={"margin": right - wrong})
'''


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.flat_memory", description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--batch-items", type=int, default=256)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="polysense-memory-"))
    url = start_postgres(folder / "postgres", is_throwaway=True)
    try:
        data = _write_data(folder, given.items)
        _write_package(folder / "site")
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "POLYSENSE_HOME": str(folder / "home"),
            "PYTHONPATH": str(folder / "site"),
        }
        words = ["run", "plenty", "--model", "fake", "--data", str(data), "--json"]
        command = [sys.executable, "-m", "services.cli.main", *words]
        command += ["--batch-items", str(given.batch_items)]
        return _watch(command, environment, given.items)
    finally:
        stop_postgres(folder / "postgres")
        shutil.rmtree(folder)


def _watch(command: list[str], environment: dict[str, str], n_items: int) -> int:
    begun = time.monotonic()
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    os.set_blocking(process.stderr.fileno(), False)
    peak = report_at = 0.0
    said = b""
    while process.poll() is None:
        said = ((process.stderr.read() or b"") + said)[:20_000]
        now, resident = time.monotonic() - begun, _resident(process.pid)
        peak = max(peak, resident)
        if now > report_at:
            sys.stdout.write(f"{now:6.0f} s {resident / MEGABYTE:6.0f} MB\n")
            sys.stdout.flush()
            report_at = now + REPORT_EVERY_S
        time.sleep(SAMPLE_S)
    took_s = time.monotonic() - begun
    process.stderr.close()
    sys.stdout.write(f"exit code {process.returncode}, {n_items / took_s:.0f} items/s\n")
    sys.stdout.write(f"peak {peak / MEGABYTE:.0f} MB (limit {LIMIT_MB})\n")
    if process.returncode:
        sys.stderr.write(said.decode(errors="replace"))
    return 0 if process.returncode == 0 and peak < LIMIT_MB * MEGABYTE else 1


def _resident(pid: int) -> float:
    try:
        return float(psutil.Process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        return 0.0


def _write_data(folder: Path, n_items: int) -> Path:
    """Write four languages of equal size."""
    data = folder / "data"
    data.mkdir()
    for part in range(4):
        with (data / f"l{part}.jsonl").open("w") as file:
            for number in range(part, n_items, 4):
                wrong = "a" * (number % 3 + 1)
                file.write(f'{{"right": "ab", "wrong": "{wrong}", "unit": "u{number // 4}"}}\n')
    return data


def _write_package(site: Path) -> None:
    package = site / "plenty"
    (package / "sample").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "benchmark.py").write_text(BENCHMARK)
    (package / "sample" / "l0.jsonl").write_text('{"right": "a", "wrong": "ab"}\n')
    info = site / "plenty-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plenty\nVersion: 1\n")
    entry = "[polysense.benchmarks]\nplenty = plenty.benchmark:Plenty\n"
    (info / "entry_points.txt").write_text(entry)


if __name__ == "__main__":
    sys.exit(main())
