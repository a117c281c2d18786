"""The containers' files name commands, ports, paths and folders that exist."""

import re
import tomllib
from pathlib import Path

import pytest
import typer
import yaml

from services.cli import living
from services.cli.main import app
from services.web.app import make_app
from services.web.settings import ServiceSettings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text()
PORTS = {
    "scorer": living.ServicePorts().scorer,
    "encoder": living.ServicePorts().scorer,
    "orchestrator": living.ServicePorts().orchestrator,
    "metrics": living.ServicePorts().metrics,
}


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())


@pytest.fixture(scope="module")
def own_services(compose):
    return {n: s for n, s in compose["services"].items() if s["image"] == "polysense:local"}


def test_there_is_a_container_for_every_service_that_can_be_served(own_services):
    served = {service["command"][1] for service in own_services.values()}

    assert served == {name.value for name in living.ServiceName}


def test_every_command_is_one_that_the_command_line_takes(own_services):
    commands = typer.main.get_command(app).commands
    for service in own_services.values():
        name, *arguments = service["command"]
        commands[name].make_context(name, arguments)


def test_ports_are_published_to_this_machine_only_and_are_the_services_own(own_services):
    for name, service in own_services.items():
        for published in service.get("ports", []):
            assert published == f"127.0.0.1:{PORTS[name]}:{PORTS[name]}"


def test_a_service_that_listens_on_every_address_cannot_start_without_a_key(own_services):
    for name, service in own_services.items():
        environment = service["environment"]
        for variable in [v for v in environment if v.endswith("_HOST")]:
            key = environment[variable.replace("_HOST", "_API_KEY")]
            assert re.match(r"\$\{[A-Z_]+_API_KEY:\?", key), name


def test_every_variable_that_must_be_given_is_in_the_example(compose):
    wanted = set(re.findall(r"\$\{([A-Z_]+):\?", yaml.safe_dump(compose)))
    example = (ROOT / "deploy/.env.example").read_text()

    assert wanted == set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE))


def test_health_is_asked_on_the_services_port_and_a_path_it_has(own_services):
    paths = set(make_app("example", "For tests.", ServiceSettings()).openapi()["paths"])
    for name in PORTS:
        check = own_services[name]["healthcheck"]["test"][-1]
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/[a-z/]+)'", check)
        assert found is not None
        assert int(found[1]) == PORTS[name]
        assert found[2] in paths


def test_containers_may_do_as_little_as_possible(own_services):
    for service in own_services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_volumes_that_are_mounted_are_declared(compose):
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in compose["volumes"]


def test_the_image_holds_every_package_and_copies_only_what_exists():
    copied = {
        word
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)
        for word in line.split()[:-1]
    }
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]

    assert set(contracts["root_packages"]) <= copied
    assert all((ROOT / word).exists() for word in copied)
    allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert copied == set(allowed)


def test_the_image_has_a_free_base_a_user_without_rights_and_no_compiler():
    assert DOCKERFILE.count("FROM ${BASE}") == 2
    assert "ARG BASE=debian:bookworm-slim" in DOCKERFILE
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)
    final = DOCKERFILE.rsplit("FROM ", 1)[1]
    assert not re.search(r"\b(gcc|build-essential|pip install|python3-dev)\b", final)


def test_the_image_installs_the_same_demo_weights_as_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    weights = re.search(r"^DEMO_WEIGHTS := (.+)$", makefile, re.MULTILINE)

    assert weights is not None
    assert weights[1] in DOCKERFILE
