"""What every paid provider is opened with: its checked address, its key, its lane."""

import hashlib
from dataclasses import dataclass

from pydantic import SecretStr

from orchestrator.errors import WrongUseError
from orchestrator.limits import Lane
from orchestrator.providers.http_addresses import check_listed, check_reachable
from orchestrator.providers.http_settings import HttpSettings
from orchestrator.providers.opening import Opening
from orchestrator.resources import Resources


class MissingKeyError(WrongUseError):
    """A provider's key is neither in the environment nor mounted."""


@dataclass(frozen=True)
class Access:
    """Where a provider is, and what opens it."""

    base_url: str
    key: SecretStr | None
    lane: Lane


async def open_access(
    name: str,
    own_url: str,
    settings: HttpSettings,
    opening: Opening,
    resources: Resources,
    key_name: str,
) -> Access:
    """Check the address and find the key.

    Args:
        name: Of the provider, as people read it.
        own_url: The maker's address; another one comes from the settings.
        settings: As the user gave them.
        opening: What for.
        resources: Of this process: its secrets and its lanes.
        key_name: The secret that is taken where none is named.

    Raises:
        WrongUseError: The address may not be called.
        MissingKeyError: The key is missing.
        ProviderUnavailableError: The address is not known.
    """
    base_url = (settings.base_url or own_url).rstrip("/")
    check_listed(base_url, own_url, resources.provider_hosts)
    key = resources.find_secret(settings.key or key_name)
    is_keyless = key is None and bool(settings.key or base_url == own_url)
    if is_keyless and not opening.is_dry:
        wanted = f"the secret {settings.key}" if settings.key else key_name
        where = f"POLYSENSE_SECRET_{settings.key}" if settings.key else key_name
        raise MissingKeyError(
            f"{name} needs {wanted}: set the variable {where}, or mount it as a file"
            f" {settings.key or key_name} in the folder that POLYSENSE_SECRETS names"
        )
    if not opening.is_dry:
        await check_reachable(base_url)
    secret = key.get_secret_value() if key is not None else ""
    digest = hashlib.sha256(f"{base_url}\n{secret}".encode()).hexdigest()[:16]
    lane = resources.lanes.lane(name, f"{name}-{digest}", settings.lane())
    return Access(base_url, key, lane)
