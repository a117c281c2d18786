"""Settings of the metrics service."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.web.settings import ServiceSettings


class MetricsSettings(ServiceSettings):
    """What the metrics service reads from the environment."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_prefix="METRICS_")

    port: int = Field(default=8103, ge=0, le=65535)
