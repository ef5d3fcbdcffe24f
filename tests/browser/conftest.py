"""Real Chromium, and the desk as `repasse desk` serves it, its runs as child processes of their own.

One desk, one service and one browser serve all tests of a module; what a test pays is a job of its own.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.approval import Role
from tests.flows.oracle import Oracle
from tests.throwaway_postgresql import go_without

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "test-output" / "desk"
COMMAND = (sys.executable, "-c", "from flows.cli import main; main()")
PASSWORD = "correct horse battery"  # noqa: S105
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
]


@pytest.fixture(scope="module")  # no longer: while it is open, no other test of this process can run an event loop
def chromium() -> Iterator[object]:
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        go_without("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def service() -> Iterator[Oracle]:
    with EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0.2, done_after_s=0.6)) as sandbox:
        oracle = Oracle(sandbox)
        yield oracle
        oracle.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the desk's home and jobs."""
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="module")
def environment(place: Path, service: Oracle) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REPASSE_", "PREFECT_"))}
    mine = {"HOME": str(place / "home"), "API_URL": service.url, "API_KEY": service.api_key}
    return kept | {f"REPASSE_{name}": value for name, value in mine.items()} | {"REPASSE_JOBS": str(place / "jobs")}


@pytest.fixture(scope="module")
def desk(environment: dict[str, str], place: Path, jobs: Path) -> Iterator[str]:
    """The address of a desk with its users; the first is made as people make them."""
    words = [*COMMAND, "desk", "user", "add", "Ana Lima", "--password-stdin", "--role=preparer"]
    subprocess.run(words, env=environment, cwd=ROOT, input=PASSWORD.encode(), check=True, timeout=60)
    with open_ledger_of(read_settings(environment)) as ledger:
        kept = ledger.desk_users.get("Ana Lima").password_hash
        for name, role in (("Bia Souza", Role.APPROVER), ("Caio Prado", Role.RESOLVER)):
            ledger.desk_users.add(name, {role}, kept)
    told = subprocess.Popen([*COMMAND, "desk", "--port", "0"], env=environment, cwd=ROOT, stdout=subprocess.PIPE)
    assert told.stdout is not None
    line = told.stdout.readline().decode()
    assert line.startswith("desk at http://127.0.0.1:"), line
    yield line.removeprefix("desk at ").strip()
    told.terminate()
    told.wait(20)
    told.stdout.close()


@pytest.fixture
def someone(chromium, desk: str) -> Iterator[Callable[..., object]]:
    """Open a browser for somebody and sign them in; whatever a page complains of fails the test."""
    contexts, complaints = [], []

    def sign_in(name: str, *, script: bool = True, wide: int = 1180, dark: bool = False):
        scheme = "dark" if dark else "light"
        size = {"width": wide, "height": 844}
        context = chromium.new_context(
            viewport=size, java_script_enabled=script, color_scheme=scheme, accept_downloads=True
        )
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(desk)
        page.fill("input[name=name]", name)
        page.fill("input[name=password]", PASSWORD)
        page.click("main button.main")
        page.wait_for_url(f"{desk}/")
        return page

    yield sign_in
    for context in contexts:
        context.close()
    refused = tuple(f"status of {code}" for code in (404, 413, 422))
    assert [text for text in complaints if not any(code in text for code in refused)] == []


@pytest.fixture
def shot() -> Callable[..., None]:
    """Keep a picture of a page, for people to look at, and see that it fits its window and lets everybody in."""
    sync_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
    SHOTS.mkdir(parents=True, exist_ok=True)

    def take(page, name: str, *, script: bool = True) -> None:
        # In a picture of the whole page, what stays in sight would stand in its middle.
        page.evaluate("document.querySelectorAll('.bar').forEach(bar => { bar.style.position = 'static' })")
        page.screenshot(path=str(SHOTS / f"{name}.png"), full_page=True)
        page.evaluate("document.querySelectorAll('.bar').forEach(bar => { bar.style.position = '' })")
        narrow = page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")
        assert narrow, f"{name} is wider than its window"
        if not script:  # axe is one
            return
        found = sync_playwright.Axe().run(page).response["violations"]
        told = [(rule["id"], [node["html"][:120] for node in rule["nodes"][:3]]) for rule in found]
        assert told == [], f"{name}: axe has something to say"

    return take
