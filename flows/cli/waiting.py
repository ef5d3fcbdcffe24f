"""A preloaded process that waits for one command, since loading the program takes seconds."""

import json
import os
import sys
from importlib import import_module
from typing import Final

# What a payout imports on its way; Prefect's part only where Prefect is there to see it.
_LOADED: Final = (
    "flows.cli.payouts",
    "flows.cli.printing",
    "flows.start",
    "flows.runner",
    "flows.intake.read_lines",
    "io_adapters.outputs.corrections",
    "io_adapters.outputs.plan_workbook",
    "io_adapters.outputs.statements.folder",
)
_WATCHED: Final = ("flows.payout", "flows.settle")
READY: Final = b"ready\n"


def wait() -> None:
    """Load the program, say so, and run the one command that comes on standard input; none, where that is closed.

    The command is a line of JSON: `arguments`, and `log`, the file that gets all it writes.
    """
    for name in (*_LOADED, *(_WATCHED if os.environ.get("PREFECT_API_URL") else ())):
        import_module(name)
    os.write(sys.stdout.fileno(), READY)
    line = sys.stdin.readline()
    if not line:
        return
    command = json.loads(line)
    log = os.open(command["log"], os.O_WRONLY | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(log)
    os.close(nothing)
    sys.argv = ["repasse", *command["arguments"]]
    from flows.cli.app import main

    main()
