"""Start the metrics service: `python -m services.metrics`."""

from services.metrics.app import main

if __name__ == "__main__":
    main()
