"""Figures over HTTP: every format, the same picture twice, errors in the one shape."""

import json

import pytest

RUN = "01RUN000000000000000000001"
ADDRESS = "/v1/figures/dtails-comparison"


@pytest.mark.parametrize(
    ("form", "media_type", "start"),
    [
        ("json", "application/json", b"{"),
        ("svg", "image/svg+xml", b"<svg"),
        ("png", "image/png", b"\x89PNG"),
        ("pdf", "application/pdf", b"%PDF"),
    ],
)
async def test_a_figure_comes_in_every_format(client, run, form, media_type, start):
    answer = await client.get(ADDRESS, params={"run": RUN, "format": form})

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media_type)
    assert answer.content.startswith(start)


async def test_the_specification_is_the_default_and_holds_the_scores_and_the_caption(client, run):
    document = (await client.get(ADDRESS, params={"run": RUN})).json()

    bars = [row for panel in document["concat"] for row in panel["data"]["values"]]
    assert {bar["language"]: bar["value"] for bar in bars} == {"ar": 0.5, "fa": None}
    assert next(bar["missing"] for bar in bars if bar["language"] == "fa").startswith("no value")
    assert "Method: " in document["usermeta"]["caption"]
    assert document["$schema"].endswith("/v5.json")


async def test_the_same_runs_give_the_same_bytes(client, run):
    first, second = [
        (await client.get(ADDRESS, params={"run": RUN, "format": "svg"})).content for _ in range(2)
    ]

    assert first == second
    assert b'role="img" aria-label="Share of right variations.' in first
    assert b"<script>" not in first


async def test_a_dark_figure_differs_and_can_go_without_its_caption(client, run):
    given = {"run": RUN, "format": "svg"}

    light = await client.get(ADDRESS, params=given)
    dark = await client.get(ADDRESS, params={**given, "theme": "dark"})
    bare = await client.get(ADDRESS, params={**given, "caption": "false"})

    assert light.content != dark.content
    assert "Method" in light.text
    assert "Method" not in bare.text


@pytest.mark.parametrize(
    ("address", "params", "status", "error", "words"),
    [
        ("/v1/figures/pie", {"run": RUN}, 422, "FigureError", "unknown figure 'pie'"),
        ("/v1/figures/semrel-violins", {"run": RUN}, 422, "FigureError", "met dtails"),
        (ADDRESS, {"run": "nobody"}, 404, "UnknownRunError", "nobody"),
        (ADDRESS, {"run": RUN, "option": "spread=wide"}, 422, "FigureError", "allowed: sd"),
        (ADDRESS, {"run": RUN, "option": "spread"}, 422, "FigureError", "name=value"),
        (ADDRESS, {"run": RUN, "format": "gif"}, 422, "InvalidRequestError", "format"),
        (ADDRESS, {}, 422, "InvalidRequestError", "run"),
    ],
)
async def test_wrong_use_is_the_callers_fault(client, run, address, params, status, error, words):
    answer = await client.get(address, params=params)

    assert answer.status_code == status
    assert answer.json()["error"] == error
    assert words in json.dumps(answer.json())


async def test_figures_need_the_key(open_client, run):
    async with open_client(api_key="secret-key-of-this-test") as opened:
        answer = await opened.get(ADDRESS, params={"run": RUN})

    assert answer.status_code == 401
