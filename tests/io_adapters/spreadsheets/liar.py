"""A reader that was taken over: it answers each request with what it is told to, and none of it is true.

Run as a module in the place of the real one; the answers are in the file that `TMPDIR` names.
"""

import json
import os
import sys
from pathlib import Path

from io_adapters.spreadsheets.transfer import receive, send


def main() -> None:
    """Answer until nobody asks any more."""
    lies = json.loads(Path(os.environ["TMPDIR"], "lies.json").read_text(encoding="utf-8"))
    send(sys.stdout.buffer, {"ready": True, "caged": True})
    while (message := receive(sys.stdin.buffer)) is not None:
        lie = lies.get(message[0]["ask"], {"done": True})
        send(sys.stdout.buffer, lie.get("words", lie), bytes.fromhex(lie.get("body", "")))


if __name__ == "__main__":
    main()
