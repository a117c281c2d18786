"""Settings that every service has, read once at its start."""

import ipaddress
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from benchmarks.validation import problem_reason


class SettingsError(Exception):
    """A setting from the environment that is not allowed; the message names its variable."""


def _key_or_none(value: object) -> object:
    """Read an empty key as no key, and refuse one that no HTTP header can carry."""
    text = value.get_secret_value() if isinstance(value, SecretStr) else value
    if not isinstance(text, str):
        return value
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isprintable() and " " not in text):
        message = "a key is made of printable ASCII characters without spaces"
        raise ValueError(message)
    return SecretStr(text)


ApiKey = Annotated[SecretStr | None, BeforeValidator(_key_or_none)]


class ServiceSettings(BaseSettings):
    """A service adds its own fields and its prefix: `SettingsConfigDict(env_prefix="SCORER_")`."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    host: str = Field(default="127.0.0.1", min_length=1)
    """The address to listen on; any other than loopback needs a key."""
    port: int = Field(default=8100, ge=0, le=65535)
    """0 takes a free one."""
    api_key: ApiKey = None
    """What callers send as `Authorization: Bearer …`; None asks for nothing."""
    max_body_bytes: int = Field(default=32 * 1024 * 1024, ge=1024)
    """A larger request body is answered 413."""
    drain_timeout_s: int = Field(default=20, ge=0, le=3600)
    """How long requests in flight may take to end after SIGTERM."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @classmethod
    def read(cls, **given: object) -> Self:
        """Read the environment; what is given here wins.

        Raises:
            SettingsError: A value is not allowed.
        """
        try:
            return cls(**given)  # type: ignore[arg-type]
        except ValidationError as error:
            raise SettingsError(
                _first_problem(error, cls.model_config.get("env_prefix", ""))
            ) from None


def _first_problem(error: ValidationError, prefix: str) -> str:
    first = error.errors(include_url=False)[0]
    name = prefix + "_".join(str(part) for part in first["loc"]).upper()
    met = "" if "KEY" in name else f"={first['input']!r}"
    return f"{name}{met}: {problem_reason(first)}"


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
