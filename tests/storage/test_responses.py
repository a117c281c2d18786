import asyncio

from storage import responses
from storage.records import StoredResponse


def make_response(number, text="ja", **changes):
    given = {
        "key": number.to_bytes(32),
        "kind": "generate",
        "provider": "scorer",
        "model": "demo",
        "request": {"prompt": f"Frage {number}"},
        "response": {"text": text},
        "usage": {"n_tokens": 3},
    }
    return StoredResponse(**{**given, **changes})


async def test_only_stored_keys_are_found(database):
    await responses.put(database, [make_response(1), make_response(2, "nein")])

    found = await responses.find(database, [n.to_bytes(32) for n in (2, 3)])

    assert found == {(2).to_bytes(32): {"text": "nein"}}


async def test_nothing_asked_is_nothing_found(database):
    assert await responses.find(database, []) == {}
    assert await responses.put(database, []) == 0


async def test_the_first_response_to_a_request_stays(database):
    assert await responses.put(database, [make_response(1, "first")]) == 1
    assert await responses.put(database, [make_response(1, "second"), make_response(2)]) == 1

    found = await responses.find(database, [(1).to_bytes(32)])

    assert found == {(1).to_bytes(32): {"text": "first"}}


async def test_writers_that_meet_in_opposite_orders_do_not_block_each_other(database):
    rows = [make_response(n) for n in range(300)]

    written = await asyncio.gather(
        *(responses.put(database, rows[:: 1 if n % 2 else -1]) for n in range(12))
    )

    assert sum(written) == 300


async def test_a_response_comes_back_whole_and_in_the_order_asked(database):
    odd = make_response(2, "\x00 \ud800 ok", model="m\x00", request={"prompt": "\x00"})
    await responses.put(database, [make_response(1), odd])

    found = await responses.read(database, [n.to_bytes(32) for n in (2, 9, 1)])

    assert found == [odd, make_response(1)]
