"""Responses by the content of their request: the cache that all runs share."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, execute, fetch_all, transaction
from storage.encoding import from_json, from_text, to_json, to_text
from storage.records import StoredResponse

INSERT = """INSERT INTO responses (key, kind, provider, model, request, response, usage)
SELECT key, kind, provider, model, request::json, response::json, usage::json
FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS new (key, kind, provider, model, request, response, usage)
ORDER BY key
ON CONFLICT DO NOTHING"""


async def find(
    source: Database | AsyncConnection, keys: Iterable[bytes]
) -> dict[bytes, dict[str, Any]]:
    """Return the stored responses by key; a key without one is left out."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            "SELECT key, response::text FROM responses WHERE key = ANY($1::bytea[])",
            list(keys),
        )
    return {row.key: from_json(row.response) for row in rows}


async def known(source: Database | AsyncConnection, keys: Iterable[bytes]) -> set[bytes]:
    """Return those of the keys under which a response is stored."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection, "SELECT key FROM responses WHERE key = ANY($1::bytea[])", list(keys)
        )
    return {row.key for row in rows}


async def read(source: Database | AsyncConnection, keys: Sequence[bytes]) -> list[StoredResponse]:
    """Return responses with their requests, in the order of the keys; unknown keys are left out."""
    async with transaction(source) as connection:
        rows = await fetch_all(
            connection,
            """SELECT key, kind, provider, model, request::text, response::text, usage::text
                FROM responses WHERE key = ANY($1::bytea[])
                ORDER BY array_position($1::bytea[], key)""",
            list(keys),
        )
    return [
        StoredResponse(
            key=row.key,
            kind=row.kind,
            provider=from_text(row.provider),
            model=from_text(row.model),
            request=from_json(row.request),
            response=from_json(row.response),
            usage=from_json(row.usage),
        )
        for row in rows
    ]


async def put(source: Database | AsyncConnection, rows: Sequence[StoredResponse]) -> int:
    """Store responses; the first one under a key stays.

    Returns:
        How many were new.
    """
    if not rows:
        return 0
    async with transaction(source) as connection:
        return await execute(
            connection,
            INSERT,
            [row.key for row in rows],
            [row.kind for row in rows],
            [to_text(row.provider) for row in rows],
            [to_text(row.model) for row in rows],
            [to_json(row.request) for row in rows],
            [to_json(row.response) for row in rows],
            [to_json(row.usage) for row in rows],
        )
