"""What the process that plans or works lends to runs: where scorers listen, where files rest."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Resources:
    """Made once a process by the service or command that hosts runs."""

    find_scorers: Callable[[], Mapping[str, str]]
    """Returns the address of each local model's scorer as of now, by the model's name."""
    artefacts: Path
    """The folder that keeps hidden states, by checksum."""
    scorer_key: str | None = field(default=None, repr=False)
    """What scorers want to see, where they want to see anything."""
