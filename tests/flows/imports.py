"""What a command imports, in a process of its own."""

import json
import os
import subprocess
import sys

IMPORTED = """
import json, sys
from flows.cli import main
sys.argv = ["repasse", *sys.argv[1:]]
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
# What runs flows, serves pages, talks to the service or sets statements.
NEVER = ("prefect", "fastapi", "uvicorn", "typst", "httpx", "openpyxl", "distributed", "dask", "hypothesis")


def imported_by(*command: str) -> set[str]:
    """Run a command in a process of its own; returns what it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *command], capture_output=True, text=True, check=False, env=os.environ
    )
    return set(json.loads(done.stderr.splitlines()[-1]))
