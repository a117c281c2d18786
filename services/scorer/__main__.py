"""Start the scorer: `python -m services.scorer`."""

from services.scorer.app import main

if __name__ == "__main__":
    main()
