"""Start the orchestrator: `python -m services.orchestrator`."""

from services.orchestrator.app import main

if __name__ == "__main__":
    main()
