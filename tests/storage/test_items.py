import asyncio

import pytest

from storage import items
from storage.records import ItemPart


async def test_items_come_back_in_order_and_whole(database, new_item):
    given = [new_item(n) for n in range(2500)]

    n_items = await items.put(database, "set", given)

    assert n_items == 2500
    found = [stored async for stored in items.stream(database, "set")]
    assert [stored.item for stored in found] == given
    assert [stored.number for stored in found] == list(range(2500))


async def test_an_asynchronous_source_is_read_as_well(database, new_item):
    async def source():
        for number in range(1001):
            yield new_item(number)

    assert await items.put(database, "set", source()) == 1001
    assert len(await items.read(database, "set", 0, 5000)) == 1001


async def test_a_range_is_half_open(database, new_item):
    await items.put(database, "set", [new_item(n) for n in range(10)])

    assert [stored.number for stored in await items.read(database, "set", 3, 6)] == [3, 4, 5]
    assert await items.read(database, "set", 6, 6) == []
    assert await items.read(database, "other", 0, 6) == []


async def test_a_stored_set_is_not_read_again(database, new_item):
    await items.put(database, "set", [new_item(0)])

    def exploding():
        raise AssertionError("read again")
        yield

    assert await items.put(database, "set", exploding()) == 1


async def test_a_set_whose_storing_was_cut_off_is_completed(database, new_item):
    def cut_off():
        for number in range(1500):
            yield new_item(number)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        await items.put(database, "set", cut_off())
    n_after_the_cut = await items.count_items(database, "set")
    await items.put(database, "set", (new_item(n) for n in range(1600)))

    assert n_after_the_cut is None
    assert await items.count_items(database, "set") == 1600
    assert len(await items.read(database, "set", 0, 5000)) == 1600


async def test_several_writers_of_one_set_make_one_set(database, new_item):
    given = [new_item(n) for n in range(1200)]

    counts = await asyncio.gather(*(items.put(database, "set", given) for _ in range(4)))

    assert counts == [1200] * 4
    assert len(await items.read(database, "set", 0, 5000)) == 1200


async def test_an_empty_set_is_a_set(database):
    assert await items.put(database, "empty", []) == 0
    assert await items.count_items(database, "empty") == 0


async def test_any_text_of_an_item_survives(database, new_item):
    odd = "NUL \x00, surrogate \udcff, substitute \x1a0000, ‏عربي, 𝔘𝔫𝔦, \\u0000"
    item = new_item(
        0, id=odd, subset=odd, unit=odd, language=odd, fields={odd: [odd, {"deep": odd}]}
    )

    await items.put(database, "set", [item])

    assert (await items.read(database, "set", 0, 1))[0].item == item


async def test_a_text_of_ten_million_characters_survives(database, new_item):
    item = new_item(0, fields={"text": "ß日" * 5_000_000})

    await items.put(database, "set", [item])

    assert (await items.read(database, "set", 0, 1))[0].item == item


async def test_numbers_keep_every_digit_and_fields_their_order(database, new_item):
    fields = {"z": 0.1 + 0.2, "a": 2**70, "m": -0.0, "é": 1e-320}

    await items.put(database, "set", [new_item(0, fields=fields)])

    found = (await items.read(database, "set", 0, 1))[0].item.fields
    assert list(found.items()) == list(fields.items())
    assert str(found["m"]) == "-0.0"


async def test_items_can_be_found_by_number(database, new_item):
    await items.put(database, "set", [new_item(n) for n in range(10)])

    found = await items.find(database, "set", [7, 2, 99])

    assert [stored.number for stored in found] == [2, 7]


async def test_where_the_languages_and_subsets_of_a_set_stand_is_known(database, new_item):
    await items.put(database, "set", [new_item(n) for n in range(10)])

    # Even numbers are ar, odd ones de; every third one has no subset.
    expected = [
        ItemPart("ar", None, 0, 6),
        ItemPart("de", "easy", 1, 7),
        ItemPart("ar", "easy", 2, 8),
        ItemPart("de", None, 3, 9),
    ]
    assert await items.parts(database, "set") == expected
    assert await items.parts(database, "set") == expected  # noted by the first to ask
    assert await items.parts(database, "other") == []
