"""What a call costs: from a dated file of our own, and from the user's before it."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmarks.validation import first_problem
from orchestrator.errors import WrongUseError

OWN_FILE = Path(__file__).parent / "prices.yaml"
MILLION = 1_000_000
ANY_HOST = "any"


class Price(BaseModel):
    """The price of one model at one address, as of a day."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    """As `--model` spells it; `openai:*` stands for every model of a provider."""
    host: str
    """Of the base URL; `any` for every one."""
    input_per_million: float = Field(default=0.0, ge=0)
    """Money for a million tokens that are read."""
    cached_input_per_million: float | None = Field(default=None, ge=0)
    """The same for tokens that the provider remembers; None: no discount."""
    output_per_million: float = Field(default=0.0, ge=0)
    characters_per_million: float = Field(default=0.0, ge=0)
    batch_discount: float = Field(default=0.0, ge=0, le=1)
    """What share of the price a batch saves."""
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    as_of: date

    def of_tokens(self, n_input: int, n_output: int, n_cached: int = 0) -> float:
        """Return the money for tokens read and written; cached ones are among those read."""
        cached = self.cached_input_per_million
        cached = self.input_per_million if cached is None else cached
        read = (n_input - n_cached) * self.input_per_million + n_cached * cached
        return (read + n_output * self.output_per_million) / MILLION

    def of_characters(self, n_characters: int) -> float:
        """Return the money for characters that are translated."""
        return n_characters * self.characters_per_million / MILLION


class _PriceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    as_of: date
    currency: str
    prices: list[dict[str, Any]]


def find_price(model: str, host: str, own_files: Sequence[Path] = ()) -> Price | None:
    """Return the price of a model at an address; None where nobody knows it, which is not 0.

    Args:
        model: As `--model` spells it.
        host: Of the base URL that is called.
        own_files: The user's, read before ours.

    Raises:
        WrongUseError: A file is malformed.
    """
    provider = model.partition(":")[0]
    for path in (*own_files, OWN_FILE):
        found = [price for price in read_prices(path) if price.host in {host, ANY_HOST}]
        for name in (model, f"{provider}:*"):
            for price in found:
                if price.model == name:
                    return price
    return None


def read_prices(path: Path) -> list[Price]:
    """Read a price file.

    Raises:
        WrongUseError: It is missing or malformed.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        file = _PriceFile.model_validate(document)
        shared = {"as_of": file.as_of, "currency": file.currency}
        return [Price.model_validate({**shared, **each}) for each in file.prices]
    except OSError as error:
        raise WrongUseError(f"no price file at {path}") from error
    except ValidationError as error:
        raise WrongUseError(f"{path}: {first_problem(error)}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise WrongUseError(f"{path}: no price file: {' '.join(str(error).split())}") from error
