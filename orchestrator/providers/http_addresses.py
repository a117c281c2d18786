"""Which addresses may be called: a base URL comes from a user, and may come over the API."""

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

from orchestrator.errors import ProviderUnavailableError, WrongUseError

METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(address)
    for address in ("100.100.100.200", "168.63.129.16", "fd00:ec2::254", "192.0.0.192")
)
"""Of clouds whose metadata are not at a link-local address."""
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def host_of(base_url: str) -> str:
    """Return the host and, where one is given, the port of a base URL, in lower case.

    Raises:
        WrongUseError: It is no http(s) address, or holds a user, a query or a fragment.
    """
    parts = urlsplit(base_url)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        shown = base_url if "@" not in base_url else "an address with a user in it"
        raise WrongUseError(f"base_url {shown}: allowed is http(s)://host[:port][/path]")
    if parts.username is not None or parts.query or parts.fragment:
        raise WrongUseError(
            f"base_url at {parts.hostname}: no user, query or fragment may stand in it; keys come"
            " from the environment"
        )
    return parts.hostname.lower() + (f":{port}" if port else "")


def check_listed(base_url: str, own: str, allowed: frozenset[str] | None) -> None:
    """Hold a base URL against the hosts that may be called; None allows every one.

    Raises:
        WrongUseError: Its host is neither the provider's own nor listed.
    """
    host = host_of(base_url)
    if allowed is None or host == host_of(own):
        return
    if host not in allowed and host.partition(":")[0] not in allowed:
        listed = ", ".join(sorted(allowed)) or "none"
        raise WrongUseError(
            f"base_url at {host} is not on this server's list; allowed: {host_of(own)}, and those"
            f" that POLYSENSE_PROVIDER_HOSTS names ({listed})"
        )


async def check_reachable(base_url: str) -> None:
    """Refuse a host that stands for link-local or metadata addresses, whoever names it.

    Raises:
        WrongUseError: It does.
        ProviderUnavailableError: Its name is not known.
    """
    host_of(base_url)
    parts = urlsplit(base_url)
    assert parts.hostname is not None, "host_of has seen it"
    port = parts.port or (443 if parts.scheme == "https" else 80)
    for address in await _addresses(parts.hostname, port):
        if address.is_link_local or address.is_multicast or address in METADATA_ADDRESSES:
            raise WrongUseError(
                f"base_url at {parts.hostname}: {address} is a link-local or metadata address,"
                " which is never called"
            )


async def _addresses(host: str, port: int) -> list[Address]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ProviderUnavailableError(f"no address is known for {host}: {error}") from error
    addresses: list[Address] = []
    for *_, place in found:
        address = ipaddress.ip_address(str(place[0]).partition("%")[0])
        mapped = getattr(address, "ipv4_mapped", None)
        addresses.append(mapped or address)
    return addresses
