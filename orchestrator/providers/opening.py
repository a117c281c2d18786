"""What a provider may be given when it is opened, beside its model's name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.requests import RequestKind
from orchestrator.budget import Purse
from orchestrator.prices import Price
from storage.database import Database


@dataclass(frozen=True)
class Opening:
    """Who opens a provider, and what for."""

    settings: Mapping[str, str] = field(default_factory=dict)
    """The provider's own; see `http_settings`."""
    kinds: frozenset[RequestKind] | None = None
    """What will be asked; None: whatever the model can answer."""
    is_known: bool = False
    """Whether the model was tried before and serves all of these kinds: it is not tried again."""
    price: Price | None = None
    """None: nobody knows it."""
    database: Database | None = None
    """Where replicas share the pace of a key; None: nobody else asks."""
    purse: Purse | None = None
    """The run's money; None: nothing is counted."""


AT_ONCE = Opening()
"""For a question or two outside a run."""
