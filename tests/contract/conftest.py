"""The plugin of the one file that asks the sandbox everything its description allows."""

from pathlib import Path

import pytest

ASKED_EVERYTHING = "test_sandbox_openapi.py"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> None:
    """Load schemathesis, which takes seconds to import, when its file is collected and not before."""
    if file_path.name == ASKED_EVERYTHING:
        parent.config.pluginmanager.import_plugin("schemathesis.pytest.plugin")
