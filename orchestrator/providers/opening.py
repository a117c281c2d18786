"""What a provider may be given when it is opened, beside its model's name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.requests import RequestKind
from orchestrator.budget import Purse
from orchestrator.prices import Price, find_price
from orchestrator.providers.http_addresses import host_of
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
    is_dry: bool = False
    """Whether nothing will be asked: neither a key nor an address that answers is needed."""
    price: Price | None = None
    """Of a known model; None: nobody knows it."""
    database: Database | None = None
    """Where replicas share the pace of a key; None: nobody else asks."""
    purse: Purse | None = None
    """The run's money; None: nothing is counted."""

    @property
    def is_tried(self) -> bool:
        """Whether the model is to be tried first."""
        return not (self.is_known or self.is_dry)

    def price_of(self, model: str, base_url: str, own_files: Sequence[Path]) -> Price | None:
        """Return the price that a run began with, or the one that is listed now."""
        return self.price if self.is_known else find_price(model, host_of(base_url), own_files)


AT_ONCE = Opening()
"""For a question or two outside a run."""
