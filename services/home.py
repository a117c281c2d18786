"""Where polysense keeps its state on this machine, and which database holds its runs."""

import os
import tempfile
from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from storage.embedded import start_postgres

SYSTEM_FOLDER = Path("/var/lib/polysense")


class HomeSettings(BaseSettings):
    """What every command and service of one machine shares."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    home: Path | None = Field(default=None, validation_alias="POLYSENSE_HOME")
    """Holds the database, artefacts, logs; None: the user's data folder, as root a system one."""
    cache: Path | None = Field(default=None, validation_alias="POLYSENSE_CACHE")
    """Holds converted weights; None: `cache` in the home."""
    database_url: SecretStr | None = Field(default=None, validation_alias="DATABASE_URL")
    """Takes the place of the bundled Postgres."""
    scorer_key: SecretStr | None = Field(default=None, validation_alias="SCORER_API_KEY")
    """The key of the scorers; those started here ask for it as well."""
    scorers: dict[str, str] = Field(default_factory=dict, validation_alias="POLYSENSE_SCORERS")
    """Addresses of scorers by model name, as JSON; those of this home are found without it."""
    secrets: Path | None = Field(default=None, validation_alias="POLYSENSE_SECRETS")
    """A folder with keys of paid providers, a file each; the environment comes first."""
    prices: Path | None = Field(default=None, validation_alias="POLYSENSE_PRICES")
    """A price file that is read before our own."""
    provider_hosts: tuple[str, ...] = Field(default=(), validation_alias="POLYSENSE_PROVIDER_HOSTS")
    """Hosts that runs made over the API may name in base_url, as JSON, such as ["llm:8000"]."""
    webhooks: tuple[str, ...] = Field(default=(), validation_alias="POLYSENSE_WEBHOOKS")
    """Addresses, and what lies below them, that the end of a run may be told to, as JSON."""
    webhook_secret: SecretStr | None = Field(
        default=None, validation_alias="POLYSENSE_WEBHOOK_SECRET"
    )
    """Signs what is told."""


class Home:
    """The folders of one installation; made as they are needed."""

    def __init__(self, settings: HomeSettings) -> None:
        self.settings = settings
        self.folder = (settings.home or _default_folder()).expanduser().absolute()
        self.cache = (settings.cache or self.folder / "cache").expanduser().absolute()
        self.artefacts = self.folder / "artefacts"
        self.logs = self.folder / "logs"
        self.scorers = self.folder / "scorers"
        self.postgres = self.folder / "postgres"

    @property
    def scorer_key(self) -> str | None:
        """The key that scorers want to see, if they want to see one."""
        key = self.settings.scorer_key
        return (key.get_secret_value().strip() or None) if key is not None else None

    def database_url(self) -> str:
        """Return the address of the database; starts the bundled Postgres if it is the one.

        Raises:
            StorageError: It cannot be started.
        """
        if self.settings.database_url is not None:
            return self.settings.database_url.get_secret_value()
        self.folder.mkdir(parents=True, exist_ok=True)
        return start_postgres(self.postgres)


def open_home() -> Home:
    """Read the environment and return the home it names."""
    return Home(HomeSettings())


def _default_folder() -> Path:
    if os.geteuid() == 0:
        return SYSTEM_FOLDER
    folder = user_data_path("polysense")
    if os.access(_first_existing(folder), os.W_OK):
        return folder
    return Path(tempfile.gettempdir()) / f"polysense-{os.geteuid()}"


def _first_existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())
