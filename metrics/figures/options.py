"""Which choices does a figure leave to its caller, and what were they?"""

from collections.abc import Mapping, Sequence

from metrics.errors import FigureError


def chosen(
    options: Mapping[str, str], allowed: Mapping[str, Sequence[str]], kind: str
) -> dict[str, str]:
    """Return every option with its value; the first allowed one is the default.

    Args:
        options: What the caller chose.
        allowed: By option, the values it may have.
        kind: The figure, for messages.

    Raises:
        FigureError: An option, or a value, is not allowed.
    """
    for name, value in options.items():
        if name not in allowed:
            names = ", ".join(sorted(allowed)) or "none"
            raise FigureError(f"figure {kind!r} has no option {name!r}; allowed: {names}")
        if value not in allowed[name]:
            values = ", ".join(allowed[name])
            raise FigureError(f"figure {kind!r}: {name}={value!r} is unknown; allowed: {values}")
    return {name: options.get(name, values[0]) for name, values in allowed.items()}
