"""What the process that plans or works lends to runs: scorers, files, secrets, limits, prices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from orchestrator.limits import Lanes


def no_secret(name: str) -> SecretStr | None:
    """Know no secret at all."""
    del name
    return None


@dataclass(frozen=True)
class Resources:
    """Made once a process by the service or command that hosts runs."""

    find_scorers: Callable[[], Mapping[str, str]]
    """Returns the address of each local model's scorer as of now, by the model's name."""
    artefacts: Path
    """The folder that keeps hidden states, by checksum."""
    scorer_key: str | None = field(default=None, repr=False)
    """What scorers want to see, where they want to see anything."""
    silence_s: float = 45.0
    """A model that gives no sign of life for so long is taken for dead."""
    find_secret: Callable[[str], SecretStr | None] = field(default=no_secret, repr=False)
    """Returns a provider's key by its name; None where there is none."""
    provider_hosts: frozenset[str] | None = None
    """Hosts that a base URL may name beside the makers' own; None: any."""
    price_files: tuple[Path, ...] = ()
    """The user's, read before our own."""
    lanes: Lanes = field(default_factory=Lanes, repr=False)
    """The limits of each provider key, shared by all runs of the process."""
