"""Keys of paid providers: from the environment or from mounted files, never from anywhere else."""

import os
import re
from pathlib import Path

from pydantic import SecretStr

from services.web.settings import SettingsError

OWN_NAMES = frozenset({"OPENAI_API_KEY", "DEEPL_API_KEY", "GOOGLE_API_KEY"})
PREFIX = "POLYSENSE_SECRET_"
"""Of the variables that a setting may name: no other one can be asked for."""
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_BYTES = 16_384


def find_secret(name: str, folder: Path | None) -> SecretStr | None:
    """Return a provider's key; None where there is none.

    Args:
        name: `OPENAI_API_KEY` and its like, or a name that a user chose.
        folder: Holds mounted secrets, a file each; the environment comes first.

    Raises:
        SettingsError: What is found there cannot be a key.
    """
    variable = name if name in OWN_NAMES else f"{PREFIX}{name}"
    text = os.environ.get(variable, "").strip()
    where = f"the variable {variable}"
    if not text and folder is not None and NAME.fullmatch(name):
        path = folder / name
        where = f"the file {path}"
        if path.is_file():
            text = path.read_bytes()[:MAX_BYTES].decode(errors="replace").strip()
    if not text:
        return None
    if not (text.isascii() and text.isprintable() and " " not in text):
        raise SettingsError(
            f"{where} holds no key: it is made of printable ASCII characters without spaces"
        )
    return SecretStr(text)
