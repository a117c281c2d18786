"""What can be wrong with what is asked of the metrics."""


class MetricsError(Exception):
    """The outcomes at hand do not allow what was asked."""


class FigureError(MetricsError):
    """No such figure, or these runs cannot be drawn as it; the caller's fault."""
