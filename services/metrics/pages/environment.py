"""The templates and the few functions that they use; everything is escaped."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.filters import do_urlencode

from services.metrics.pages.texts import direction, language_tag, printable, words

NONE = "–"
MINUS = "−"


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with a fixed number of decimals; a dash for None."""
    return NONE if value is None else f"{value:.{digits}f}".replace("-", MINUS)


def count(value: int | None) -> str:
    """Write a count with thin spaces between thousands; a dash for None."""
    return NONE if value is None else f"{value:,}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """Write a share in per cent; only the whole is written as 100."""
    if value is None:
        return NONE
    return f"{min(100 * value, 99.9) if value < 1 else 100:.3g}\u202f%"


def moment(value: datetime | None) -> str:
    """Write a point in time to the minute, in UTC; a dash for None."""
    return NONE if value is None else f"{value:%Y-%m-%d %H:%M}"


def duration(value: timedelta | None) -> str:
    """Write how long something took; a dash for None."""
    if value is None:
        return NONE
    seconds = value.total_seconds()
    if seconds < 60:
        return f"{seconds:.1f}\u202fs"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours}\u202fh {minutes:02}\u202fmin" if hours else f"{minutes}\u202fmin {rest:02}\u202fs"
    )


def query(**parameters: object) -> str:
    """Return the query of an address, without what is empty."""
    kept = {name: printable(str(value)) for name, value in parameters.items() if value}
    return "?" + do_urlencode(kept) if kept else ""


def _finalize(value: Any) -> Any:  # noqa: ANN401  # whatever a template prints
    """Make sure that what is printed can be sent, before it is escaped."""
    if type(value) is str:
        return printable(value)
    return NONE if value is None else value


def make_environment() -> Environment:
    """Return the environment of all pages."""
    environment = Environment(
        loader=PackageLoader("services.metrics", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=number, count=count, percent=percent, moment=moment, duration=duration,
        words=words, tag=language_tag, direction=direction,
    )  # fmt: skip
    environment.globals["query"] = query
    return environment


PAGES = make_environment()


def render(template: str, **values: object) -> str:
    """Return a page."""
    return PAGES.get_template(template).render(values)


def flatten(value: Any, name: str = "") -> list[tuple[str, str]]:  # noqa: ANN401  # any JSON value
    """Write a JSON document as lines of a dotted name and a value."""
    if isinstance(value, Mapping) and value:
        return [
            line
            for key, each in value.items()
            for line in flatten(each, f"{name}.{key}" if name else str(key))
        ]
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return [
            line
            for position, each in enumerate(value)
            for line in flatten(each, f"{name}[{position}]")
        ]
    return [(printable(name), words(value))]


PAGES.filters["flatten"] = flatten
