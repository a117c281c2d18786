"""A service as a real process on a real socket."""

import json
import signal
import socket
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request

import pytest

from services.web.serve import AddressError, open_socket
from services.web.settings import ServiceSettings

PROGRAM = textwrap.dedent(
    """
    import asyncio, contextlib, sys
    from services.web.app import make_app
    from services.web.serve import serve
    from services.web.settings import ServiceSettings

    class WeightsError(Exception):
        pass

    @contextlib.asynccontextmanager
    async def lifespan(app):
        if "--broken" in sys.argv:
            raise WeightsError("no weights in /somewhere")
        yield
        sys.stdout.write("closed\\n")

    settings = ServiceSettings(port=int(sys.argv[1]))
    app = make_app("example", "For tests.", settings, lifespan=lifespan)

    @app.get("/slow")
    async def slow() -> str:
        sys.stdout.write("asked\\n")
        sys.stdout.flush()
        await asyncio.sleep(0.5)
        return "done"

    serve(app, settings, start_errors={WeightsError: 2})
    """
)


@pytest.fixture
def start_service():
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def port_of(process):
    for line in process.stderr:
        facts = json.loads(line)
        if facts["message"] == "listening":
            return facts["port"]
    raise AssertionError


def test_sigterm_lets_a_request_in_flight_end_and_then_closes_the_app(start_service):
    process = start_service("0")
    port = port_of(process)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert process.stdout.readline() == "asked\n"

        process.send_signal(signal.SIGTERM)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))

    rest, _ = process.communicate(timeout=20)
    assert answer.endswith(b'"done"')
    assert rest == "closed\n"
    assert process.returncode == 0


def test_an_interrupt_ends_with_130(start_service):
    process = start_service("0")
    port_of(process)

    process.send_signal(signal.SIGINT)

    process.communicate(timeout=20)
    assert process.returncode == 130


def test_a_taken_port_is_one_line_and_exit_code_2(start_service):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        process = start_service(str(port))
        _, complaint = process.communicate(timeout=60)

    assert process.returncode == 2
    assert complaint == (
        f"port {port} of 127.0.0.1 is taken; end what listens there or choose another port\n"
    )


def test_a_foreseen_error_at_the_start_is_one_line_and_its_exit_code(start_service):
    process = start_service("0", "--broken")

    _, complaint = process.communicate(timeout=60)

    assert process.returncode == 2
    assert complaint == "no weights in /somewhere\n"


def test_an_answer_over_a_real_socket_names_no_server_software(start_service):
    port = port_of(start_service("0"))

    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/nothing", timeout=20)

    with caught.value as answer:
        assert json.load(answer)["error"] == "NotFoundError"
        assert "server" not in answer.headers


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3"])
def test_listening_beyond_loopback_without_a_key_is_refused(host):
    with pytest.raises(AddressError, match="needs a key"):
        open_socket(ServiceSettings(host=host, port=0))


def test_with_a_key_any_address_may_be_listened_on():
    with open_socket(ServiceSettings(host="0.0.0.0", port=0, api_key="k")) as listener:
        assert listener.getsockname()[1] > 0


def test_an_address_of_another_machine_is_a_clear_sentence():
    with pytest.raises(AddressError, match=r"cannot listen on 192\.0\.2\.1, port 8100"):
        open_socket(ServiceSettings(host="192.0.2.1", api_key="k"))
