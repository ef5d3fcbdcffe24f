"""A process that typesets one share of the statements: `python -m ... FOLDER`, pages on stdin, names on stdout."""

import json
import sys
from pathlib import Path

from io_adapters.outputs.statements.folder import write_pages

NO_OUTPUT = 74  # EX_IOERR of sysexits.h


def main() -> int:
    """Write what stdin holds, a JSON list of pairs of name and page; tells the names of the files on stdout."""
    pages = [(str(name), page) for name, page in json.load(sys.stdin.buffer)]
    try:
        written = write_pages(pages, Path(sys.argv[1]))
    except OSError:
        return NO_OUTPUT
    sys.stdout.write(json.dumps([path.name for path in written]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
