"""The process itself: started as a user would, with the fake model so that it takes no torch."""

import os
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest


def start(tmp_path, **settings):
    variables = {f"SCORER_{name.upper()}": str(value) for name, value in settings.items()}
    return subprocess.Popen(
        [sys.executable, "-m", "services.scorer"],
        env={**os.environ, "SCORER_CACHE": str(tmp_path), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_ready(port, process):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    pytest.fail("not ready after 30 s")


def plain_lines(text):
    return [line for line in text.splitlines() if not line.startswith("{")]


def test_a_process_serves_until_it_is_told_to_end_and_its_port_is_its_own(tmp_path):
    port = free_port()
    process = start(tmp_path, model="fake", port=port)
    try:
        wait_until_ready(port, process)
        body = {"items": [{"continuation": "abc"}]}
        answer = httpx.post(f"http://127.0.0.1:{port}/v1/logprob", json=body).json()
        second = start(tmp_path, model="fake", port=port)
        _, told = second.communicate(timeout=30)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    assert answer["results"][0]["sum"] == -3.0
    assert second.returncode == 2
    assert plain_lines(told) == [
        f"port {port} of 127.0.0.1 is taken; end what listens there or choose another port"
    ]
    assert process.returncode == 0


def test_a_folder_without_weights_is_one_line_and_exit_code_2(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    process = start(tmp_path, model=f"hf:{tmp_path}", port=0)
    _, told = process.communicate(timeout=60)

    assert process.returncode == 2
    assert len(plain_lines(told)) == 1
    assert "no weights in" in told


def test_a_wrong_setting_is_one_line_and_exit_code_2(tmp_path):
    process = start(tmp_path, model="fake", dtype="int3")
    _, told = process.communicate(timeout=30)

    assert process.returncode == 2
    assert told.startswith("SCORER_DTYPE='int3'")
    assert len(told.splitlines()) == 1
