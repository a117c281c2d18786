"""Whom the end of a run is told: allowed addresses only, signed, once, and never to its harm."""

import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from pydantic import SecretStr

from orchestrator.errors import WrongUseError
from services.home import HomeSettings
from services.orchestrator.webhooks import check_webhook, teller
from storage import runs, webhooks
from storage.records import NewRun


@pytest.fixture
def listener():
    """Return a server's address, the requests it has seen, and what it answers."""
    seen, answers = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.path, self.headers.get("X-Polysense-Signature"), body))
            self.send_response(answers.pop() if answers else 200)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", seen, answers
    server.shutdown()
    server.server_close()


@pytest.fixture
async def ended_run(database):
    """Return a function that stores an ended run and whom its end is told."""

    async def make(url):
        async with database.begin() as connection:
            await connection.exec_driver_sql("INSERT INTO item_sets VALUES ('s', 0)")
        given = dict.fromkeys(("benchmark", "model"), "x") | {"item_set": "s", "seed": 0}
        run = NewRun(id="R", spec={}, manifest={}, settings={}, n_items=0, cells=(), **given)
        await runs.create(database, run)
        await webhooks.put(database, "R", url)
        await runs.set_status(database, "R", "failed", allowed_from=("queued",), reason="why")

    return make


def settings_of(*allowed, secret=None):
    return HomeSettings(
        POLYSENSE_WEBHOOKS=allowed,
        POLYSENSE_WEBHOOK_SECRET=None if secret is None else SecretStr(secret),
    )


async def test_an_end_is_told_once_and_signed(database, listener, ended_run):
    url, seen, _ = listener
    await ended_run(f"{url}/hook")
    tell = teller(database, settings_of(url, secret="s3"))

    await tell()
    await tell()

    [(path, signature, body)] = seen
    told = json.loads(body)
    assert path == "/hook"
    assert (told["run"], told["status"], told["reason"]) == ("R", "failed", "why")
    assert signature == f"sha256={hmac.new(b's3', body, hashlib.sha256).hexdigest()}"


async def test_a_refusal_is_noted_and_changes_nothing_about_the_run(database, listener, ended_run):
    url, seen, answers = listener
    answers.append(500)
    await ended_run(url)
    tell = teller(database, settings_of(url))

    await tell()
    await tell()  # not due yet

    assert len(seen) == 1
    assert await webhooks.problem_of(database, "R") == "HTTP 500"
    assert (await runs.get(database, "R")).status == "failed"


async def test_what_is_allowed_no_more_is_not_told(database, listener, ended_run):
    url, seen, _ = listener
    await ended_run(url)

    await teller(database, settings_of())()

    assert seen == []
    assert "is not allowed" in (await webhooks.problem_of(database, "R") or "")


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/hook",
        "https://example.org/hook",
        "http://example.org:81/hook",
        "http://example.org/other",
        "http://example.org/hooks",
        "http://example.org/hook/../other",
        "http://user@example.org/hook",
        "file:///hook",
        "http://[::1",
        "",
    ],
)
def test_only_what_lies_below_an_allowed_address_is_allowed(url):
    with pytest.raises(WrongUseError, match="is not allowed; allowed: http:"):
        check_webhook(settings_of("http://example.org/hook"), url)


def test_an_allowed_address_and_what_lies_below_it_may_be_told():
    allowed = settings_of("http://example.org/hook")

    for url in ("http://example.org/hook", "http://example.org/hook/a?b=c"):
        assert check_webhook(allowed, url) == url
