"""The command `polysense`: puts the commands together and turns errors into one line each."""

import sys
import warnings

import typer
from typer.exceptions import Abort, TyperException

from services.cli import (
    agreement_commands,
    annotation_commands,
    batch_commands,
    bench_commands,
    building_commands,
    bundles_commands,
    bws_commands,
    comparing_commands,
    conformance_commands,
    demonstration,
    dibimt_commands,
    figure_commands,
    finetune_commands,
    housekeeping_commands,
    inspecting,
    labels,
    living,
    mining_commands,
    proposing_commands,
    published_commands,
    reading,
    rejudging_commands,
    rules_commands,
    running,
    selftest_commands,
)
from services.cli.exits import INTERRUPTED, WRONG_USE, exit_code
from services.processes import ServiceStartError

app = typer.Typer(
    name="polysense",
    help="How well a model keeps word senses apart across languages.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for room in (
    *(inspecting, running, reading, living, demonstration),
    *(agreement_commands, mining_commands, rules_commands, conformance_commands),
    *(bws_commands, finetune_commands, dibimt_commands, figure_commands, published_commands),
    *(annotation_commands, building_commands, proposing_commands),
    *(bench_commands, bundles_commands, comparing_commands, rejudging_commands),
    *(selftest_commands, batch_commands),
    *(housekeeping_commands, labels),
):
    room.add_commands(app)


def main() -> None:
    """Run one command; errors that were foreseen are one line on stderr."""
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")
    code: object = None
    try:
        code = app(standalone_mode=False)
    except TyperException as error:
        _end(error.format_message(), WRONG_USE)
    except (KeyboardInterrupt, Abort):
        _end("interrupted", INTERRUPTED)
    except ServiceStartError as error:
        _end(str(error), error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has read enough
        sys.exit(0)
    except Exception as error:
        known = exit_code(error)
        if known is None:
            raise
        _end(str(error), known)
    sys.exit(code if isinstance(code, int) else 0)


def _end(message: str, code: int) -> None:
    sys.stderr.write(" ".join(message.split()) + "\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
