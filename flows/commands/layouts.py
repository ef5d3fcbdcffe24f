"""layouts and schema: what Repasse can read, and how to declare what it cannot read yet."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from flows.terminal.printing import console_for
from io_adapters.spreadsheets.declarations import (
    job_schema,
    known_layouts,
    layout_schema,
    policy_schema,
    read_layout,
)
from io_adapters.spreadsheets.reading import open_file
from schemas.exit_codes import ExitCode
from schemas.layouts.drafting import draft_layout
from schemas.layouts.layout import Layout

Result = tuple[ExitCode, dict[str, Any]]


def list_layouts(*, as_json: bool) -> Result:
    """List the layouts Repasse brings along."""
    console = console_for(as_json=as_json)
    layouts = _known()
    by_table = Counter(layout.table for layout in layouts)
    width = max(len(layout.layout) for layout in layouts)
    for layout in layouts:
        console.print(f"{layout.layout:<{width}}  {layout.table:<13}  {layout.title}", soft_wrap=True, markup=False)
    return ExitCode.DONE, {"layouts": [layout.layout for layout in layouts], "tables": dict(by_table)}


def new_layout(file: Path, name: str | None, *, as_json: bool) -> Result:
    """Print the draft of a layout for a file, for a person to finish.

    Raises:
        UnreadableFile: the file cannot be read.
    """
    with open_file(str(file), language="en") as opened:
        draft = draft_layout(opened.views, _known(), name or _name_of(file))
    if not as_json:
        sys.stdout.write(draft)
    return ExitCode.DONE, {"layout": draft}


def print_schema(what: str) -> ExitCode:
    """Print the JSON Schema of job files or of layouts."""
    schemas = {"job": job_schema, "layout": layout_schema, "policy": policy_schema}
    if what not in schemas:
        sys.stderr.write(f"repasse: there is no schema of {what}; there are: {', '.join(schemas)}\n")
        return ExitCode.USAGE
    sys.stdout.write(json.dumps(schemas[what](), ensure_ascii=False, indent=1) + "\n")
    return ExitCode.DONE


def _known() -> list[Layout]:
    return [read_layout(name, Path()) for name in known_layouts()]


def _name_of(file: Path) -> str:
    """Make a layout's name of a file's: letters, digits and hyphens."""
    stem = "".join(mark if mark.isascii() and mark.isalnum() else "-" for mark in file.name.split(".")[0].lower())
    return "-".join(filter(None, stem.split("-"))) or "mine"
