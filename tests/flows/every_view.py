"""Every view there is, looked through at any moment: none breaks off, each adds up, whoever looks, in whatever form.

A view that is right at the end of a history may be wrong in the middle of it: while a plan waits, after a doubt, a
rejection, a decision. So whoever plays a history calls `look_through` after each act.
"""

import json
import re
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from typer.testing import CliRunner

from flows.books.month import months
from flows.books.owed import owed_at
from flows.books.write import reconciliation_of
from flows.cli import app
from flows.desk.app import opened_desk
from flows.desk.guard import DeskSettings
from flows.house_ledger import open_ledger_of
from flows.payables.waits import gather_waits
from flows.settings import read_settings
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_record
from io_adapters.outputs.run_folder import write_outputs
from schemas.account import WHERE_IT_IS
from schemas.approval import Role
from schemas.errors import ExitCode
from schemas.job import BRASILIA
from schemas.values.money import SignedSums
from schemas.waits import WaitKind
from tests.flows.desk.office import Browser, RunsHere, hashed
from tests.sampled import EVERYTHING

LANGUAGES: Final = {"en": "C.UTF-8", "pt-BR": "pt_BR.UTF-8"}
FORMATS: Final = ("xlsx", "csv", "parquet", "json")
BROKEN: Final = {ExitCode.BUG, ExitCode.USAGE, ExitCode.CONFIGURATION}
TEMPLATES: Final = re.compile(r"\{[a-z_]+\}")
LINK: Final = re.compile(r'href="(/(?:runs|plans|months|payees|payments|doubts)[^"#]*)"')


def look_through(
    job: Path | None = None,
    *,
    at_desk: bool = False,
    newest: int | None = None,
    languages: Collection[str] | None = None,
) -> str:
    """Look through all that the terminal and the outputs show, and at the desk's pages if asked.

    Args:
        newest: Of how many runs the outputs are written again, the newest first; None for all.
        languages: In which; None for one after the other, look by look, and for both with SIMULATE=all.

    Returns:
        All that the terminal printed, JSON aside, for whoever wants to obey it.
    """
    if languages is None:
        languages = tuple(LANGUAGES) if EVERYTHING else (next(_TURNS),)
    with open_ledger_of(read_settings()) as ledger:
        _what_waits_is_owed(ledger)
        printed = "\n".join(_terminal(ledger, job, languages))
        _outputs(ledger, newest, languages)
    if at_desk:
        for _ in pages_of_desk(job, languages=languages):
            """Each was opened, and none broke off."""
    return printed


_TURNS: Final = cycle(LANGUAGES)


def _what_waits_is_owed(ledger: Ledger) -> None:
    """What waits for somebody is what is owed, once, each sum under the same name; what is carried waits for time."""
    waiting, owed = SignedSums[str](), SignedSums[str]()
    for wait in gather_waits(ledger, ledger.now()):
        if any(why.code == "returned_nobodys" for why in wait.reasons):
            continue  # owed to nobody until somebody says whose it is
        waiting[SAME_AS.get(wait.kind, wait.kind.value)] += wait.amount_cents
    for due in owed_at(ledger, ledger.today()).sums:
        owed[due.place] += due.amount_cents
    for place in ("held", "failed", "refused", "conflict", "returned"):
        assert waiting[place] == owed[place], (place, waiting, owed)


SAME_AS: Final = {WaitKind.UNMATCHED: "held", WaitKind.ROWS: "held"}


def _terminal(ledger: Ledger, job: Path | None, languages: Collection[str]) -> Iterator[str]:
    for language in languages:
        for command in _commands(ledger, job):
            yield _ask(*command, locale=LANGUAGES[language]).output
    for command in _commands(ledger, job):
        document = json.loads(_ask(*command, "--json").stdout)
        for line in document.get("jobs", []) if command[0] == "month" else []:
            assert line["came_in_cents"] == sum(line[name] for name in WHERE_IT_IS), line


def _commands(ledger: Ledger, job: Path | None) -> Iterator[tuple[str, ...]]:
    today = ledger.now().astimezone(BRASILIA).date()
    yield from (("status",), ("runs",), ("owed", "--at", today.isoformat()))
    yield from (("month", month) for month in months(ledger))
    yield from (("account", tax_id) for tax_id in ledger.payee_names.latest())
    if job is not None:
        yield ("plan", str(job))


def _ask(*words: str, locale: str = LANGUAGES["en"]) -> Any:
    result = CliRunner(env={"LC_ALL": locale}).invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
    assert result.exit_code not in BROKEN, (words, result.output)
    assert not TEMPLATES.search(result.output), (words, result.output)
    return result


def _outputs(ledger: Ledger, newest: int | None, languages: Collection[str]) -> None:
    """Write what each run has left on record, in every format, as it stands by now."""
    with TemporaryDirectory() as folder:
        for run in ledger.runs.list(newest):
            record = read_record(ledger, run.run_id)
            for language in languages if record else ():
                told = reconciliation_of(replace(record, language=language), run.run_id, ledger)
                write_outputs(told, Path(folder) / run.run_id, FORMATS)


def pages_of_desk(
    job: Path | None, parts: Collection[Role] = frozenset(Role), languages: Collection[str] = tuple(LANGUAGES)
) -> Iterator[tuple[str, str, str]]:
    """Follow every link to a page of a run, plan, month, payee or payment, as somebody with some parts in the house.

    Returns:
        Language, address and text of each page.
    """
    settings = read_settings()
    name = f"Vera {' '.join(sorted(parts)) or 'reads'}"
    with ExitStack() as exits:
        place = Path(exits.enter_context(TemporaryDirectory()))
        desk = exits.enter_context(opened_desk(settings, job.parent if job else None, RunsHere()))
        if not any(user.name == name for user in desk.ledger.desk_users.list()):
            desk.ledger.desk_users.add(name, set(parts), hashed())
        browser = Browser(desk, DeskSettings(uploads=place, upload_limit_bytes=1_000_000))
        browser.sign_in(name)
        for language in languages:
            browser.post("/language", at="/", language=language)
            seen, left = set[str](), ["/", "/runs", "/payments", "/months", "/doubts"]
            while left:
                page = left.pop()
                seen.add(page)
                answer = browser.http.get(page)
                if answer.status_code == 303:
                    left += [answer.headers["location"]]
                    continue
                assert answer.status_code == 200, (page, answer.status_code, answer.text[:2000])
                if answer.headers["content-type"].startswith("text/html"):
                    yield language, page, answer.text
                    found = (link.replace("&amp;", "&") for link in LINK.findall(answer.text))
                    left += [link for link in dict.fromkeys(found) if link not in seen and link not in left]
