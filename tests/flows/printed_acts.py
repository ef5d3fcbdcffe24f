"""The acts that people are told to do, read out of what was printed for them, and tried in a copy of the house."""

import csv
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from openpyxl import load_workbook

from schemas.approval import DecisionKind
from schemas.errors import ExitCode
from tests.flows.label import Label

Act = tuple[str, ...]
# Which places of payments.csv a text means that says OBLIGATION and names none.
UNNAMED: Final = ("Em conflito", "Falhou", "Indeterminado", "Excluído", "Pago, deduzido", "Não pago, deduzido")
WORDS: Final = re.compile(r"--(pay|paid|drop|difference)\b")
COMMANDS: Final = re.compile(
    r"repasse (decide|approve|reject|release|settle|run|unfreeze)\b([^;()\n`]*(?:`[^;()\n]*)?)"
)
REFUSED: Final = {ExitCode.USAGE, ExitCode.CONFIGURATION, ExitCode.BUG}


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of ledger and outputs, which the environment names for as long as it is there."""
    home = Path(os.environ["REPASSE_HOME"])
    copy = home.with_name("copy")
    shutil.copytree(home, copy)
    os.environ["REPASSE_HOME"] = str(copy)
    try:
        yield copy
    finally:
        os.environ["REPASSE_HOME"] = str(home)
        shutil.rmtree(copy)


def acts_of(label: Label, text: str) -> set[Act]:
    """Read the commands out of what was printed, each of several answers by itself."""
    acts = set[Act]()
    for name, rest in COMMANDS.findall(text):
        if name == "decide":
            named = re.findall(r"\bob-\w+", rest)
            words = set(WORDS.findall(rest))
            of_failed = words - {"pay"}  # of which a second attempt is approved; `--pay` is said of the others
            for key, has_failed in [(key, False) for key in named] or _unnamed(label):
                for word in of_failed if has_failed else words:
                    acts.add(("decide", key, f"--{word}", "--by", "bia", "--evidence", "x"))
        elif name == "approve" and (found := re.search(r"(\w+) --by \S+ --total (\S+)", rest)):
            acts.add(("approve", found[1], "--by", "bia", "--total", found[2]))
        elif name == "run":
            named = re.match(r" (\S+\.yaml)((?: --(?:period|file) \S+)*)", rest)
            acts.add(("run", named[1], *named[2].split()) if named else ("run", str(label.job)))
        elif name == "settle":
            acts.add(("settle",))
        elif name == "release":
            acts.add(("release", "--by", "bia"))
        elif name == "unfreeze" and (tags := re.findall(r"--accept (\S+)", rest)):
            words = [word for tag in tags for word in ("--accept", tag)]
            acts.add(("unfreeze", *words, "--by", "bia", "--by", "carla", "--evidence", "x"))
    return acts


def cells(folder: Path) -> Iterator[str]:
    """All texts of all workbooks of a folder."""
    for path in folder.rglob("*.xlsx"):
        for sheet in load_workbook(path, read_only=True):
            for row in sheet.iter_rows(values_only=True):
                yield from (cell for cell in row if isinstance(cell, str))


def unnamed_keys(label: Label) -> list[str]:
    """The obligations that the newest payments.csv has in a place on which people decide."""
    return [key for key, _ in _unnamed(label)]


def _unnamed(label: Label) -> list[tuple[str, bool]]:
    with label.ledger() as ledger:  # what was tried in a copy of it has written files as well
        known = {run.run_id for run in ledger.runs.list(None)}
    written = [path for path in label.folder.glob("out/**/payments.csv") if path.parent.name in known]
    written.sort(key=lambda path: path.stat().st_mtime)
    if not written:
        return []
    with written[-1].open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter=";"))
    mine = (row for row in rows if row["Situação"].startswith(UNNAMED) and row["Tipo"] != "Parte do titular")
    mine = (row for row in mine if row["Tipo"] == "Pagamento" or not row["Situação"].startswith("Falhou"))
    named = [(row["Código do pagamento"], row["Situação"].startswith("Falhou")) for row in mine]
    with label.ledger() as ledger:  # the file was written before people decided
        spoken_of = ledger.decisions.on_reports([key for key, _ in named])
    freed = {key for (key, _), decision in spoken_of.items() if decision.kind is DecisionKind.PAY}
    return [(key, has_failed) for key, has_failed in named if key not in freed]


# The service may tell otherwise, when it is looked at before an act, than when the act was printed.
_SINCE: Final = ("agora está", "is now", "the service says", "o serviço diz")


def take(label: Label, act: Act) -> None:
    """Do what was printed: it is never refused, unless the service has told otherwise since."""
    said = label.type(*act)
    if any(words in said.output for words in _SINCE):
        return
    assert said.exit_code not in REFUSED, (act, said.output)
    assert act[0] in {"run", "settle"} or said.exit_code == ExitCode.DONE, (act, said.output)
