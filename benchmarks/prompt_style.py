"""Which prompt style does a run ask in, where its user gave a file of own templates?"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar


class StyledSettings(Protocol):
    """Settings with a `prompt_style`, one of whose values is `file`, and a `prompt_file`."""

    @property
    def prompt_style(self) -> str:
        """`file`, `all`, or a style that comes with the benchmark."""

    @property
    def prompt_file(self) -> str:
        """Empty where there is none."""

    @property
    def model_fields_set(self) -> set[str]:
        """What the user chose."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401
        """Return the settings with some of them changed."""


Settings = TypeVar("Settings", bound=StyledSettings)


def settle_style(settings: Settings) -> Settings:
    """Return the settings with the style `file` where a file is given and no style was chosen.

    Raises:
        ValueError: The style is `file` and there is none, or a file stands beside another style.
    """
    style, is_given = settings.prompt_style, bool(settings.prompt_file)
    if style == "file" and not is_given:
        raise ValueError("prompt_style=file needs prompt_file=<path>")
    if not is_given or style in ("file", "all"):
        return settings
    if "prompt_style" in settings.model_fields_set:
        raise ValueError(f"prompt_style={style} excludes a prompt_file")
    settled: Settings = settings.model_copy(update={"prompt_style": "file"})
    return settled
