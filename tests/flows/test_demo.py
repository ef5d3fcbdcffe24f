"""`repasse demo`: in under forty lines, and then two people finish at the desk what one has prepared."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.flows.desk.office import words_of
from tests.flows.label import COMMAND

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
SHORTEST_DOCUMENT = 11


class Visitor:
    """Somebody at the demo's desk."""

    def __init__(self, url: str, name: str, password: str) -> None:
        self.http = httpx.Client(base_url=url, follow_redirects=True, headers={"Origin": url}, timeout=60)
        self.send("/sign-in", at="/sign-in", name=name, password=password)

    def page(self, path: str) -> str:
        answer = self.http.get(path)
        assert answer.status_code == 200, path
        return answer.text

    def send(self, path: str, *, at: str, **fields: str) -> httpx.Response:
        token = re.search(r'name="token" value="([0-9a-f]+)"', self.page(at))
        assert token is not None
        answer = self.http.post(path, data=fields | {"token": token[1]})
        assert answer.status_code == 200, words_of(answer.text)
        return answer


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[str], Path]]:
    """Run the demo until its desk listens; gives what it said, and where."""
    place = tmp_path_factory.mktemp("demo")
    outside = ("REPASSE_", "PREFECT_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    with subprocess.Popen(
        [*COMMAND, "demo", "--desk", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=place,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line.rstrip("\n"))
            if line.startswith("  2. Saia"):
                break
        yield said, place
        process.send_signal(signal.SIGINT)
        said += process.stdout.read().splitlines()
        assert process.wait(60) == 0, "\n".join(said)
    assert not any("Traceback" in line for line in said)


@pytest.fixture(scope="module")
def desk(demo) -> tuple[str, str]:
    """The desk's address, and the password of both people."""
    text = "\n".join(demo[0])
    found = re.search(r"A mesa: (\S+).*senha dos dois: (\S+)", text, re.DOTALL)
    assert found is not None, text
    return found[1], found[2]


def test_it_says_what_matters_in_under_forty_lines_and_names_files_that_are_there(demo):
    said, place = demo
    assert len(said) < 40
    files = [line.strip() for line in said if line.strip().endswith("reconciliation.xlsx")]
    assert len(files) == 3
    assert all((place / file).is_file() for file in files)
    assert not [line for line in said if re.search(rf"\d{{{SHORTEST_DOCUMENT},}}", line.split("/")[0])]


def test_whoever_prepared_the_fees_cannot_approve_them_and_the_other_can(desk):
    url, password = desk
    ana, bia = Visitor(url, "Ana Prado", password), Visitor(url, "Bia Souza", password)
    plan = re.search(r'href="(/plans/sha256:[0-9a-f]+)"', bia.page("/"))
    assert plan is not None
    assert "/approve" not in ana.page(plan[1])
    page = bia.page(plan[1])
    assert "Destino mudou" in words_of(page)
    assert "Muito acima do histórico" in words_of(page)
    total = re.search(r"Total a enviar R\$ ([\d.,]+)", words_of(page))
    assert total is not None
    bia.send(f"{plan[1]}/approve", at=plan[1], total=total[1])
    until = time.monotonic() + 120
    while "12 pagamentos" not in (paid := words_of(bia.page("/payments?job=aurora-fees&state=paid"))):
        assert time.monotonic() < until, paid
        time.sleep(0.5)
    assert f"12 pagamentos · R$ {total[1]}" in paid
