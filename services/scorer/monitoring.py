"""What Prometheus may know of the queue before the model."""

from prometheus_client import CollectorRegistry, Gauge

from scorer.batching.model_thread import ModelThread


def watch_queue(registry: CollectorRegistry, model_thread: ModelThread) -> None:
    """Register the queue's length and whether the model is loaded."""
    waiting = Gauge(
        "polysense_scorer_waiting_tokens",
        "Tokens of questions that wait for the model.",
        registry=registry,
    )
    waiting.set_function(lambda: model_thread.n_waiting_tokens)
    loaded = Gauge(
        "polysense_scorer_model_loaded", "1 when the model is loaded.", registry=registry
    )
    loaded.set_function(lambda: float(model_thread.loaded.done()))
