"""The office program that many finance teams use, run without its windows."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.throwaway_postgresql import go_without


@pytest.fixture(scope="module")
def libreoffice(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Path]]:
    """Save files in another form, all at one start of the program."""
    program = shutil.which("soffice")
    if program is None:
        go_without("LibreOffice (soffice) is not installed")
    profile = tmp_path_factory.mktemp("libreoffice")

    def save_as(form: str, folder: Path, *sources: Path) -> list[Path]:
        folder.mkdir(exist_ok=True)
        command = [program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", form]
        subprocess.run([*command, "--outdir", folder, *sources], check=True, capture_output=True, timeout=300)
        return [folder / f"{source.stem}.{form.partition(':')[0]}" for source in sources]

    return save_as
