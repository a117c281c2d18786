"""The documents tell the truth: commands parse, make targets exist, links lead somewhere."""

import itertools
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
import typer

from services.cli.main import app

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MACHINE_PATH = re.compile(rb"(?<![\w.~$}/-])/(?:work|root|home|tmp)/[\w.]")
PLACEHOLDER = re.compile(r"[….<]{1,3}|[A-Z]{3,}")


def commands_of(text, program):
    """Return every command line of a program, in fences and in code spans."""
    lines = [line for block in FENCE.findall(text) for line in block.splitlines()]
    # A span of two words names a command; it is no line that somebody would type.
    spans = [span for span in SPAN.findall(FENCE.sub("", text)) if span.count(" ") > 1]
    found = []
    for line in [*lines, *spans]:
        command = re.split(r" [|>#<&]|  #", line.strip())[0].strip()
        if command.startswith(f"{program} "):
            found.append(command)
    return found


def spelled_out(words):
    """Turn `serve scorer|worker` into `serve scorer` and `serve worker`."""
    return itertools.product(*(word.split("|") for word in words))


def parse(words):
    """Let the command line take the words apart without running the command.

    A command's bare name only names it.
    """
    command = typer.main.get_command(app)
    while isinstance(command, click.Group) or hasattr(command, "commands"):
        if words[0] not in command.commands and hasattr(command, "default"):
            words = [command.default, *words]
        name, *words = words
        command = command.commands[name]
    if words or not any(parameter.required for parameter in command.params):
        command.make_context("polysense", list(words))


def anchor(heading):
    words = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", ""))
    return words.strip().replace(" ", "-")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_polysense_command_in_a_document_is_one_that_exists(document):
    for command in commands_of(document.read_text(encoding="utf-8"), "polysense"):
        _, *words = shlex.split(command)
        if not any(PLACEHOLDER.fullmatch(word) for word in words):
            for one in spelled_out(words):
                parse(one)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_make_target_in_a_document_exists(document):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    for command in commands_of(document.read_text(encoding="utf-8"), "make"):
        named = [word for word in shlex.split(command)[1:] if "=" not in word]
        assert set(named) <= targets, command


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_within_the_repository_leads_somewhere(document):
    for link in LINK.findall(FENCE.sub("", document.read_text(encoding="utf-8"))):
        if re.match(r"https?:", link):
            continue
        name, _, fragment = link.partition("#")
        target = document.parent / name if name else document
        assert target.exists(), link
        if fragment:
            headings = HEADING.findall(target.read_text(encoding="utf-8"))
            assert fragment in {anchor(heading) for heading in headings}, link


def test_every_make_target_says_what_it_does():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)

    assert phony is not None
    for target in phony[1].split():
        assert re.search(rf"^{target}:.*## \w", makefile, re.MULTILINE), target


def test_no_file_names_a_path_of_somebodys_machine():
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]

    found = {
        f"{path.relative_to(ROOT)}: {match[0].decode()}"
        for path in paths
        if path.is_file()
        for match in MACHINE_PATH.finditer(path.read_bytes())
    }

    assert not found
