"""What a user may say of a paid model with `--setting`: addresses, names of keys, limits.

These settings belong to the provider, not to the benchmark; they are told apart by their names.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmarks.validation import problem_reason
from orchestrator.errors import WrongUseError
from orchestrator.limits import LaneSettings

LIMITS = ("max_concurrency", "requests_per_minute", "tokens_per_minute", "characters_per_minute")
SECRET_HEADERS = ("auth", "key", "cookie", "token", "secret")


class HttpSettings(BaseModel):
    """What every provider over HTTP has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = ""
    """Empty: the maker's own."""
    key: str = Field(default="", pattern=r"^[A-Za-z0-9_-]*$")
    """The name of a secret, never the key itself; empty: the provider's own."""
    timeout_s: float = Field(default=120.0, gt=0, le=600)
    """Of one call, all in all."""
    max_concurrency: int = Field(default=16, ge=1, le=1024)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    characters_per_minute: float | None = Field(default=None, gt=0)

    def lane(self) -> LaneSettings:
        """Return the limits of the key."""
        return LaneSettings(**{name: getattr(self, name) for name in LIMITS})


class OpenAISettings(HttpSettings):
    """Of `openai:<model>`."""

    organization: str = ""
    project: str = ""
    headers: str = ""
    """`Name: value; Name: value`; not for secrets."""
    key_header: str = Field(default="", pattern=r"^[A-Za-z0-9-]*$")
    """The header that carries the key as it is; empty: `Authorization: Bearer`."""
    thinking_tokens: int = Field(default=0, ge=0, le=1_000_000)
    """Tokens beside the answer's own that a model may think with."""
    reasoning_effort: str = ""
    sampling: Literal["asked", "server"] = "asked"
    """server: neither temperature, top_p nor seed is sent; for models that refuse them."""

    def extra_headers(self) -> dict[str, str]:
        """Return what is sent with every call beside the key.

        Raises:
            WrongUseError: A header is malformed or looks like a secret.
        """
        found = {}
        for part in filter(None, (part.strip() for part in self.headers.split(";"))):
            name, colon, value = (piece.strip() for piece in part.partition(":"))
            if not (colon and name and value.isprintable()):
                raise WrongUseError(f"headers: met {part!r}; allowed: Name: value; Name: value")
            if any(word in name.lower() for word in SECRET_HEADERS):
                raise WrongUseError(
                    f"headers: {name} looks like a secret, and settings are stored; name the"
                    " secret with key= and its header with key_header="
                )
            found[name] = value
        if self.organization:
            found["OpenAI-Organization"] = self.organization
        if self.project:
            found["OpenAI-Project"] = self.project
        return found


class DeepLSettings(HttpSettings):
    """Of `deepl`."""

    glossary: str = ""
    """The id of a glossary that lies at DeepL."""
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    texts_per_call: int = Field(default=50, ge=1, le=50)


class GoogleSettings(HttpSettings):
    """Of `google`."""

    api_version: Literal["v2", "v3"] = "v2"
    google_project: str = ""
    """For v3: the project's id."""
    location: str = "global"
    glossary: str = ""
    """For v3: the glossary's id."""
    texts_per_call: int = Field(default=100, ge=1, le=128)


CLASSES: Mapping[str, type[HttpSettings]] = {
    "openai": OpenAISettings,
    "deepl": DeepLSettings,
    "google": GoogleSettings,
}


def split_settings(kind: str, settings: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Part what belongs to the benchmark from what belongs to the provider of a model's kind."""
    own = CLASSES[kind].model_fields if kind in CLASSES else {}
    return (
        {name: value for name, value in settings.items() if name not in own},
        {name: value for name, value in settings.items() if name in own},
    )


def read_http_settings(kind: str, settings: Mapping[str, str]) -> Any:  # noqa: ANN401  # of CLASSES
    """Return a provider's settings, checked.

    Raises:
        WrongUseError: A value is not allowed.
    """
    try:
        return CLASSES[kind].model_validate(dict(settings))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise WrongUseError(
            f"--setting {name}={first['input']}: {problem_reason(first)}"
        ) from error
