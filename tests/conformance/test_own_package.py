"""A user's own package, as the documents print it, works in every process without a fork."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.catalog import BENCHMARKS, benchmark_class, open_all
from benchmarks.conformance.suite import broken_promises
from benchmarks.errors import PluginError, UnknownNameError
from metrics.catalog import scores_of
from orchestrator.errors import WrongUseError
from orchestrator.plugins import installed_plugins, plugin_facts
from orchestrator.providers.catalog import open_provider
from orchestrator.resources import Resources
from orchestrator.spec import parse_model
from services.cli.conformance_commands import conform_benchmark, conform_provider
from services.orchestrator.routes import list_benchmarks
from storage import runs
from tests.conformance.conftest import ROOT, printed_files, write_package

MAX_TOY_LINES = 60
PACKAGES = ("benchmarks", "languages", "metrics", "orchestrator", "scorer", "services", "storage")
RESOURCES = Resources(find_scorers=dict, artefacts=Path())


def test_the_printed_benchmark_is_whole_in_under_sixty_lines():
    toy = printed_files("CONTRIBUTING.md")

    assert set(toy) == {"plurals/benchmark.py", "plurals/sample/en.jsonl"}
    assert sum(text.count("\n") for text in toy.values()) < MAX_TOY_LINES


async def test_the_printed_benchmark_is_measured_scored_and_reported(
    plurals, polysense, database, tmp_path
):
    sample = plurals / "plurals" / "sample"
    (sample / "de.jsonl").write_text(
        '{"word": "Auto", "right": "Autos", "wrong": "Autoen", "subset": "s"}\n'
        '{"word": "Baum", "right": "Bäume", "wrong": "Baums", "subset": "e"}\n'
    )
    listed = json.loads(polysense("benchmarks", "--json").stdout)
    ran = json.loads(polysense("run", "plurals", "--model", "fake", "--json").stdout)
    polysense("report", "last", "--out", str(tmp_path / "report.html"))
    manifest = (await runs.get(database, ran["run"])).manifest

    assert [each["name"] for each in listed] == [*BENCHMARKS, "plurals"]
    # The fake takes one nat a character: mice and sheep are shorter, children is not, Autos is,
    # and Bäume is as long as Baums. English 2/3, German 1/2, their mean 7/12.
    values = {each["language"]: each["value"] for each in ran["scores"] if not each["subset"]}
    assert values == pytest.approx({"en": 2 / 3, "de": 1 / 2, None: 7 / 12})
    assert ran["status"] == "finished"
    assert {each["metric"] for each in ran["scores"]} == {"accuracy"}
    assert all(each["ci_low"] < each["value"] < each["ci_high"] for each in ran["scores"][:3])
    assert all(each["baselines"] == {"chance": 0.5} for each in ran["scores"])
    assert manifest["plugins"] == [
        {
            "group": "polysense.benchmarks",
            "name": "plurals",
            "distribution": "plurals-benchmark",
            "version": "1.2",
            "object": "plurals.benchmark:Plurals",
        }
    ]
    assert "null" not in json.dumps(manifest)
    assert "Plurals" in (tmp_path / "report.html").read_text(encoding="utf-8")


async def test_the_printed_provider_answers_and_is_held_to_its_promises(
    plurals, polysense, database
):
    polysense("conformance", "provider", "parrot:No")
    ran = polysense(
        *("run", "stingray", "--setting", "inference=generation", "--model", "parrot:No"),
        *("--task", "usage", "--language", "en_de", "--json"),
    )
    document = json.loads(ran.stdout)
    manifest = (await runs.get(database, document["run"])).manifest

    no_share = next(
        each["value"]
        for each in document["scores"]
        if each["metric"] == "position_share" and each["setting"] == "answer=No"
    )
    assert no_share == 1
    (fact,) = manifest["plugins"]
    assert (fact["name"], fact["version"]) == ("parrot", "1.2")
    identity = manifest["model"]["identities"]["generate"]
    assert identity == {"provider": "parrot", "model": "No", "version": "1"}


def test_broken_packages_cost_a_sentence_and_break_nothing_else(plurals, polysense):
    write_package(
        *(plurals, "broken", "0.1"),
        {
            "polysense.benchmarks": {
                "absent": "nowhere_at_all:Absent",
                "semrel": "broken.fit:Unfit",
                "unfit": "broken.fit:Unfit",
                "raises": "broken.raises:Any",
            },
            "polysense.providers": {"fake": "broken.fit:Unfit", "unfit": "broken.fit:NUMBER"},
        },
        {
            "broken/fit.py": "NUMBER = 3\n\n\nclass Unfit:\n    name = 'unfit'\n",
            "broken/raises.py": "raise SystemExit('not today')\n",
        },
    )

    listed = polysense("benchmarks", "--json")
    told = listed.stderr.splitlines()
    doctor = json.loads(polysense("doctor", "--json").stdout)
    run = polysense("run", "semrel", "--model", "fake", "--limit", "1", "--json")
    asked = polysense("run", "absent", "--model", "fake", code=2)

    assert [each["name"] for each in json.loads(listed.stdout)] == [*BENCHMARKS, "plurals"]
    assert len(told) == 4
    for name, why in {
        "absent": "ModuleNotFoundError: No module named 'nowhere_at_all'",
        "semrel": "the name is built in",
        "unfit": "Unfit lacks title, paper, unit",
        "raises": "SystemExit: not today",
    }.items():
        (line,) = [line for line in told if f"'{name}'" in line]
        assert "of package broken 0.1 cannot be used" in line
        assert why in line
    problems = {fact["name"] for fact in doctor["plugins"] if "problem" in fact}
    assert problems == {"absent", "semrel", "unfit", "raises", "fake"}
    assert json.loads(run.stdout)["status"] == "finished"
    assert asked.stderr.count("\n") == 1
    assert "package broken 0.1" in asked.stderr


async def test_a_worker_opens_what_a_package_brings(plurals, installed):
    provider = await open_provider("parrot:No", RESOURCES)

    assert provider is not None
    assert provider.identity("generate")["model"] == "No"
    assert parse_model("parrot").argument == ""
    assert plugin_facts("plurals", "parrot:No")[1]["name"] == "parrot"
    assert [fact["name"] for fact in installed_plugins()] == ["plurals", "parrot"]
    assert broken_promises("plurals") == []
    assert [each.name for each in list_benchmarks()] == [*BENCHMARKS, "plurals"]


def test_the_command_tells_broken_promises_and_ends_with_one(
    site, installed, monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("POLYSENSE_HOME", str(tmp_path / "home"))
    files = printed_files("CONTRIBUTING.md") | printed_files("docs/tutorials/own-benchmark.md")
    files["plurals/benchmark.py"] = files["plurals/benchmark.py"].replace(
        "float(right > wrong)", "right - wrong"
    )
    files["plurals/parrot.py"] = files["plurals/parrot.py"].replace(" in requests]", " in 'ab']")
    groups = {
        "polysense.benchmarks": {"plurals": "plurals.benchmark:Plurals"},
        "polysense.providers": {"parrot": "plurals.parrot:Parrot"},
    }
    write_package(site, "plurals", "0", groups, files)

    assert conform_benchmark("plurals", [], as_json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert conform_provider("parrot:No") == 1
    told = capsys.readouterr().err

    assert found["name"] == "plurals"
    assert found["broken_promises"][0].startswith("it judges every answer: choose of en '0'")
    assert "broken promise: it answers each question in its place: no questions get" in told


def test_two_packages_cannot_share_a_name(site, installed):
    for name in ("first", "second"):
        write_package(site, name, "1.0", {"polysense.benchmarks": {"mine": f"{name}:Mine"}})

    with pytest.raises(PluginError, match=r"first 1\.0 cannot be used: second 1\.0 has the name"):
        benchmark_class("mine")
    assert [benchmark.name for benchmark in open_all()[0]] == list(BENCHMARKS)


def test_a_benchmark_that_no_package_brings_is_unknown(plurals, installed):
    with pytest.raises(UnknownNameError, match=r"unknown benchmark 'singulars'; .*, plurals$"):
        benchmark_class("singulars")
    with pytest.raises(WrongUseError, match=r"unknown model 'perroquet:x'; .*, parrot:<…>$"):
        parse_model("perroquet:x")


def test_a_score_function_of_a_package_takes_the_place_of_the_default(site, installed):
    write_package(
        *(site, "counting", "1.0"),
        {
            "polysense.metrics": {
                "toy": "counting.metrics:scores",
                "odd": "counting.metrics:odd",
                "semrel": "counting.metrics:scores",
            }
        },
        {
            "counting/metrics.py": (
                "from metrics.score import Score\n\n\n"
                "def scores(rows, settings, seed):\n"
                "    return [Score(benchmark='toy', metric='count', value=None, n=len(rows))]\n\n\n"
                "def odd(rows, settings, seed):\n    return [1.0]\n"
            )
        },
    )

    assert scores_of("toy", [], {}, 0)[0].metric == "count"
    assert scores_of("semrel", [], {}, 0) != scores_of("toy", [], {}, 0)
    with pytest.raises(PluginError, match="returned float, needed scores"):
        scores_of("odd", [], {}, 0)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return None", "NoneType lacks identity, answer, close"),
        ("raise ValueError('no such\\nmodel')", "ValueError: no such model"),
    ],
)
async def test_a_factory_that_makes_no_provider_is_a_sentence(site, installed, body, why):
    text = f"async def make(argument, resources):\n    {body}\n"
    groups = {"polysense.providers": {"mute": "mute:make"}}
    write_package(site, "mute-provider", "1.0", groups)
    (site / "mute.py").write_text(text)

    with pytest.raises(PluginError, match=f"package mute-provider 1.0 cannot be used: {why}"):
        await open_provider("mute:x", RESOURCES)


def test_a_sixth_benchmark_takes_one_folder_and_one_line(tmp_path):
    house = tmp_path / "house"
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, house / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", house)
    for name, text in printed_files("CONTRIBUTING.md").items():
        path = house / "benchmarks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (house / "benchmarks" / "plurals" / "__init__.py").touch()
    catalog = house / "benchmarks" / "catalog.py"
    line = '    "plurals": "benchmarks.plurals.benchmark:Plurals",\n'
    text = catalog.read_text(encoding="utf-8")
    catalog.write_text(text.replace('    "semrel":', f'{line}    "semrel":', 1), encoding="utf-8")

    def run(*words):
        done = subprocess.run(
            words, cwd=house, env={"PYTHONPATH": "."}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    bin_folder = Path(sys.executable).parent
    assert "0 broken" in run(str(bin_folder / "lint-imports"))
    run(
        str(bin_folder / "ruff"),
        "check",
        "--no-cache",
        "benchmarks/plurals",
        "benchmarks/catalog.py",
    )
    kept = run(
        *(sys.executable, "-m", "services.cli.main", "conformance", "benchmark", "plurals"),
    )
    assert "plurals keeps every promise" in kept
