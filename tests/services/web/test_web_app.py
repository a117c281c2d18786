"""What every service does with any request, through the app without a socket."""

import json
import logging
import sys

import httpx
import pytest
from pydantic import BaseModel, SecretStr
from pydantic_settings import SettingsConfigDict

from services.web.app import make_app
from services.web.auth import SESSION_COOKIE, PageAccess, session_token
from services.web.errors import answer_errors
from services.web.logs import JsonFormatter
from services.web.settings import ServiceSettings, SettingsError, is_loopback

KEY = "correct-horse"


class TooMuchError(Exception):
    """A domain error that can be tried again later."""

    retry_after_s = 7


class Order(BaseModel):
    n_cups: int


def example_app(*, readiness=None, pages=None, **settings):
    app = make_app(
        "example", "For tests.", ServiceSettings(**settings), readiness=readiness, pages=pages
    )
    answer_errors(app, {TooMuchError: 503})

    @app.post("/v1/orders")
    async def order(order: Order) -> dict[str, int]:
        if order.n_cups > 10:
            raise TooMuchError(f"{order.n_cups} cups, limit 10")
        if order.n_cups < 0:
            raise ZeroDivisionError
        return {"n_cups": order.n_cups}

    @app.get("/v1/orders/{number}")
    async def show(number: int) -> int:
        return number

    return app


def client_of(app, **options):
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://service", **options
    )


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


async def test_a_domain_error_keeps_its_class_and_sentence_and_says_when_to_come_back():
    async with client_of(example_app()) as client:
        answer = await client.post("/v1/orders", json={"n_cups": 11})

    assert answer.status_code == 503
    assert answer.json() == {"error": "TooMuchError", "detail": "11 cups, limit 10"}
    assert answer.headers["retry-after"] == "7"


async def test_an_unknown_path_is_answered_in_the_one_shape():
    async with client_of(example_app()) as client:
        answer = await client.get("/v1/nothing")

    assert answer.status_code == 404
    assert answer.json()["error"] == "NotFoundError"
    assert "'/v1/nothing'" in answer.json()["detail"]


async def test_a_wrong_method_is_told_the_allowed_one():
    async with client_of(example_app()) as client:
        answer = await client.delete("/v1/orders")

    assert answer.status_code == 405
    assert answer.json()["detail"] == "DELETE is not allowed on '/v1/orders'; allowed: POST"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ('{"n_cups": "many"}', "body.n_cups: Input should be a valid integer"),
        ("{}", "body.n_cups: Field required"),
        ("{", "JSON decode error"),
        (r'{"n_cups": "\ud800"}', r"(met '\ud800')"),
        ('{"n_cups": NaN}', "body.n_cups: "),
    ],
)
async def test_an_invalid_request_is_one_sentence_that_says_where_and_what_was_met(body, sentence):
    headers = {"Content-Type": "application/json"}
    async with client_of(example_app()) as client:
        answer = await client.post("/v1/orders", content=body, headers=headers)

    assert answer.status_code == 422
    assert answer.json()["error"] == "InvalidRequestError"
    assert sentence in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


async def test_an_unforeseen_error_is_logged_and_answered_500_without_its_insides(caplog):
    async with client_of(example_app()) as client:
        answer = await client.post(
            "/v1/orders", json={"n_cups": -1}, headers={"X-Request-ID": "abc"}
        )

    assert answer.status_code == 500
    assert answer.json()["error"] == "InternalError"
    assert "abc" in answer.json()["detail"]
    assert "ZeroDivision" not in answer.text
    assert "ZeroDivisionError" in caplog.text


async def test_with_a_key_everything_but_health_needs_it():
    app = example_app(api_key=SecretStr(KEY))
    async with client_of(app) as client:
        without = [
            (await client.get(path)).status_code
            for path in ("/v1/orders/1", "/openapi.json", "/nothing", "/health/live")
        ]
        wrong = await client.get("/v1/orders/1", headers=bearer(KEY + "x"))
        right = await client.get("/v1/orders/1", headers=bearer(KEY))

    assert without == [401, 401, 401, 200]
    assert wrong.json()["error"] == "UnauthorizedError"
    assert wrong.headers["www-authenticate"] == "Bearer"
    assert right.json() == 1


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 200), ("0.0.0.0", 401)])
async def test_metrics_are_open_on_loopback_only(host, status):
    app = example_app(api_key=SecretStr(KEY), host=host)
    async with client_of(app) as client:
        answer = await client.get("/metrics")

    assert answer.status_code == status


async def test_a_write_from_another_sites_page_is_refused_even_without_a_key():
    async with client_of(example_app()) as client:
        foreign = await client.post(
            "/v1/orders", json={"n_cups": 1}, headers={"Origin": "http://elsewhere"}
        )
        own = await client.post(
            "/v1/orders", json={"n_cups": 1}, headers={"Origin": "http://service"}
        )

    assert foreign.status_code == 403
    assert own.status_code == 200


async def test_a_session_cookie_reads_pages_but_writes_only_with_an_origin():
    app = example_app(api_key=SecretStr(KEY), pages=PageAccess())
    cookies = {SESSION_COOKIE: session_token(SecretStr(KEY))}
    async with client_of(app, cookies=cookies) as client:
        read = await client.get("/v1/orders/1")
        blind = await client.post("/v1/orders", json={"n_cups": 1})
        own = await client.post(
            "/v1/orders", json={"n_cups": 1}, headers={"Origin": "http://service"}
        )

    assert [read.status_code, blind.status_code, own.status_code] == [200, 401, 200]


async def test_a_browser_without_a_session_is_sent_to_the_login_page():
    app = example_app(api_key=SecretStr(KEY), pages=PageAccess())
    async with client_of(app, headers={"Accept": "text/html"}) as client:
        answer = await client.get("/v1/orders/1")
        login = await client.get("/login")

    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert login.status_code == 404  # This app has no such page, but the gate lets it through.


async def test_a_session_cookie_means_nothing_to_a_service_without_pages():
    cookies = {SESSION_COOKIE: session_token(SecretStr(KEY))}
    async with client_of(example_app(api_key=SecretStr(KEY)), cookies=cookies) as client:
        answer = await client.get("/v1/orders/1")

    assert answer.status_code == 401


async def test_a_body_over_the_limit_is_refused_whether_it_declares_its_length_or_not():
    async def stream():
        yield b"x" * 1000
        yield b"x" * 1000

    async with client_of(example_app(max_body_bytes=1024)) as client:
        declared = await client.post("/v1/orders", content=b"x" * 1025)
        streamed = await client.post("/v1/orders", content=stream())

    assert [declared.status_code, streamed.status_code] == [413, 413]
    assert declared.json()["error"] == streamed.json()["error"] == "BodyTooLargeError"
    assert "limit is 1024" in streamed.json()["detail"]


async def test_readiness_says_what_is_missing_until_nothing_is():
    missing = ["the weights are still loading"]

    async def readiness():
        return missing[0] if missing else None

    async with client_of(example_app(readiness=readiness)) as client:
        before = await client.get("/health/ready")
        missing.clear()
        after = await client.get("/health/ready")

    assert before.status_code == 503
    assert before.json() == {"error": "NotReadyError", "detail": "the weights are still loading"}
    assert after.json() == {"status": "ready"}


async def test_requests_are_counted_under_their_route_not_their_path():
    async with client_of(example_app()) as client:
        await client.get("/v1/orders/1")
        await client.get("/v1/orders/2")
        await client.get("/nothing/3")
        text = (await client.get("/metrics")).text

    route = 'method="GET",route="/v1/orders/{number}"'
    assert f'polysense_http_requests_total{{{route},status="200"}} 2.0' in text
    assert f"polysense_http_request_duration_seconds_count{{{route}}} 2.0" in text
    assert 'route="unmatched",status="404"' in text
    assert "nothing" not in text


async def test_two_apps_in_one_process_count_apart():
    first, second = example_app(), example_app()
    async with client_of(first) as client:
        await client.get("/v1/orders/1")
    async with client_of(second) as client:
        text = (await client.get("/metrics")).text

    assert "/v1/orders" not in text


async def test_every_answer_bears_security_headers_and_a_request_id():
    async with client_of(example_app(api_key=SecretStr(KEY))) as client:
        refused = await client.get("/v1/orders/1", headers={"X-Request-ID": "line\tbreak"})

    assert refused.headers["x-content-type-options"] == "nosniff"
    assert refused.headers["referrer-policy"] == "same-origin"
    assert "default-src 'none'" in refused.headers["content-security-policy"]
    assert len(refused.headers["x-request-id"]) == 32


async def test_the_description_is_openapi_3_1_and_names_errors_and_the_key():
    async with client_of(example_app(api_key=SecretStr(KEY)), headers=bearer(KEY)) as client:
        document = (await client.get("/openapi.json")).json()

    assert document["openapi"].startswith("3.1")
    assert document["security"] == [{"key": []}]
    responses = document["paths"]["/v1/orders"]["post"]["responses"]
    assert set(responses) == {"200", "default"}
    assert "ErrorBody" in json.dumps(responses["default"])


def test_a_log_line_is_json_with_its_facts_and_no_secret():
    record = logging.makeLogRecord(
        {"name": "x", "msg": "phrase", "levelname": "INFO", "n_items": 3, "key": SecretStr(KEY)}
    )

    line = json.loads(JsonFormatter("scorer").format(record))

    assert (line["service"], line["message"], line["n_items"]) == ("scorer", "phrase", 3)
    assert KEY not in json.dumps(line)


def test_a_logged_error_stays_on_one_line():
    try:
        raise TooMuchError
    except TooMuchError:
        record = logging.makeLogRecord({"msg": "phrase", "exc_info": sys.exc_info()})

    text = JsonFormatter("scorer").format(record)

    assert "TooMuchError" in json.loads(text)["exception"]
    assert "\n" not in text


def test_an_empty_key_is_no_key():
    assert ServiceSettings(api_key="  ").api_key is None


def test_a_wrong_setting_names_its_variable_but_never_a_key(monkeypatch):
    class ExampleSettings(ServiceSettings):
        model_config = SettingsConfigDict(env_prefix="EXAMPLE_")

    monkeypatch.setenv("EXAMPLE_PORT", "70000")
    with pytest.raises(SettingsError, match=r"^EXAMPLE_PORT='70000': .*65535$"):
        ExampleSettings.read()
    monkeypatch.setenv("EXAMPLE_PORT", "1")
    monkeypatch.setenv("EXAMPLE_API_KEY", "two words")
    with pytest.raises(SettingsError, match="printable ASCII") as caught:
        ExampleSettings.read()
    assert "two words" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.7", False),
        ("example.org", False),
    ],
)
def test_only_loopback_is_loopback(host, is_local):
    assert is_loopback(host) is is_local
