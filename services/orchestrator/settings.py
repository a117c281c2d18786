"""Settings of the orchestrator and of its workers."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.web.settings import ServiceSettings


class OrchestratorSettings(ServiceSettings):
    """What the orchestrator reads from the environment."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_prefix="ORCHESTRATOR_")

    port: int = Field(default=8102, ge=0, le=65535)


class WorkerSettings(ServiceSettings):
    """What a worker reads from the environment; it listens on nothing."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_prefix="WORKER_")

    concurrency: int = Field(default=4, ge=1, le=256)
    """Jobs at a time."""
    lease_s: float = Field(default=20.0, ge=1.0, le=3600.0)
    """Without a sign of life for so many seconds, its jobs go to other workers."""
    silence_s: float = Field(default=45.0, ge=1.0, le=3600.0)
    """A model that gives no sign of life for so many seconds is taken for dead."""
