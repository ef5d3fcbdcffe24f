"""A walker in a house that lives: after every act, all that anybody is shown is so, and all that is offered is taken.

A house pays lists and royalties. Reports are paid, fail, are paid in part or excluded, keep tax, lose their answers or
come of one POST twice; plans wait, are approved or rejected; sheets change; people decide, hold and lift what stands in
the way, mostly by the commands that were printed for them. Varied: the acts, the moment of looking, who looks, in which
language and form. Held constant: one payer, BRL, SQLite, one day.
`HISTORIES=2000 pytest tests/simulation/test_a_walker_sees_what_is_so.py` plays so many; SEED plays others.
"""

import json
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Final

import pytest
from babel.messages.pofile import read_po

from flows.launch import start_payout
from flows.run_options import RunOptions
from sample_data.making.people import masked
from schemas.approval import Role
from schemas.journal import AccountKind
from schemas.submission import SubmissionState
from schemas.values.money import format_cents
from tests.flows.every_view import LANGUAGES, look_through, pages_of_desk
from tests.flows.jobs import advance, declare, line, payee, payment, people, share, write_sheet
from tests.flows.label import Label
from tests.flows.printed_acts import acts_of, copied, take
from tests.simulation.conftest import SHARED_MEMORY
from tests.simulation.office import Silence
from tests.simulation.provider import DELIVERED_TWICE, DROPPED, FATES, GOES_WELL, KEY, PAYS, REFUSED, Provider, cents_of

HISTORIES: Final = int(os.environ.get("HISTORIES", "3"))
SEED: Final = int(os.environ.get("SEED", "0"))
ACTS: Final = 7
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
ANA, BIA, CAIO = people(3)
TEAM: Final = (ANA, BIA, CAIO)
USUAL: Final = {"settle": {"every_s": "0.1", "for_s": "0"}}
TABLES: Final = {
    "payees": "payees.csv", "shares": "shares.csv", "advances": "advances.csv", "taxes": "taxes.csv",
    "rules": {"owner": "remainder", "minimum_payout": "20.00", "max_payments_per_batch": 2},
}  # fmt: skip
MEETS: Final = (GOES_WELL,) * 8 + (DROPPED, DELIVERED_TWICE, REFUSED)
PARTS: Final = (*(frozenset({part}) for part in Role), frozenset(Role))


K: Final = AccountKind
AT_SERVICE: Final = {K.SERVICE, K.SERVICE_TAX, K.SERVICE_FEE, K.SERVICE_HELD}


class LivingHouse:
    """A house with a list and royalties, whose files change.

    Attributes:
        rows: Month -> rows of its list.
        lines: Month -> lines of its statement.
    """

    def __init__(self, folder: Path, provider: Provider, seed: int) -> None:
        self.label, self.provider, self.drawn = Label(folder / "job"), provider, random.Random(seed)
        self.rows: dict[str, list[dict[str, str]]] = {}
        self.lines: dict[str, list[dict[str, str]]] = {}
        self.printed, self.language = "", ""
        self.tables()

    def tables(self) -> None:
        """Tables change: of keys, holds, shares, advances and taxes."""
        bia = dict(payee(BIA)) | {"Bloqueio": ""}
        bia |= self.drawn.choice(({}, {}, {"Chave Pix": "", "Tipo da chave": ""}, {"Bloqueio": "disputa"}))
        others = [dict(payee(who)) | {"Bloqueio": ""} for who in (ANA, CAIO)]
        shares = [dict(share(who, cut)) | {"Artista": "Banda"} for who, cut in ((ANA, "50"), (BIA, "30"))]
        if self.drawn.random() < 1 / 2:
            shares.append(dict(share(CAIO, "100")) | {"Artista": "Trio"})
        tax = self.drawn.choice(("", "27,5", "100"))
        write_sheet(self.label.folder / "payees.csv", [bia, *others])
        write_sheet(self.label.folder / "shares.csv", shares)
        write_sheet(self.label.folder / "advances.csv", [advance(ANA, self.amount())])
        written = [{"CPF": masked(BIA.tax_id), "Imposto": "IRRF", "Alíquota": tax or "1", "Valor": ""}]
        write_sheet(self.label.folder / "taxes.csv", written)

    def run(self, job: str, month: str) -> None:
        self.provider.meetings[:] = [self.drawn.choice(MEETS) for _ in range(2)]
        self.provider.fates[:] = [self.drawn.choice((PAYS, PAYS, *FATES)) for _ in range(2)]
        options = RunOptions(yes=self.drawn.random() < 2 / 3, by="ana")
        start_payout(self.declared(job, month), options, progress=Silence(), watched=False)

    def declared(self, job: str, month: str) -> Path:
        sources = [{"files": f"{job}-{month}.csv", "layout": "payments" if job == "lista" else "royalties"}]
        own = {"rules": {"max_payments_per_batch": 2}} if job == "lista" else TABLES
        return declare(self.label.folder / f"{job}.yaml", job=job, period=month, sources=sources, **USUAL, **own)

    def amount(self) -> str:
        return format_cents(self.drawn.randrange(1_000, 90_000), "pt-BR")

    def a_list(self) -> str:
        """A list of a month comes, some of it wrong, or stands otherwise than before."""
        month = self.drawn.choice(("2026-07", "2026-08", "2026-09"))
        first = [dict(payment(who, self.amount(), f"show {month}")) | {"Reter": ""} for who in TEAM]
        rows = self.rows.setdefault(month, first)
        if self.drawn.random() < 2 / 3:
            row = self.drawn.choice(rows)
            changes = ({"Valor": self.amount()}, {"Valor": "vinte"}, {"Referência": "outra"}, {"Reter": "sim"})
            row |= self.drawn.choice(changes)
        write_sheet(self.label.folder / f"lista-{month}.csv", rows)
        self.run("lista", month)
        return f"lista {month}"

    def royalties(self) -> str:
        """A statement of a month comes, or says otherwise than before; a title may have no share of its own."""
        month = self.drawn.choice(("2026-07", "2026-08", "2026-09"))
        bands = ("Banda", "Trio")
        lines = self.lines.setdefault(
            month, [dict(line(self.amount(), f"Samba {month}", month)) | {"Artista": band} for band in bands]
        )
        if self.drawn.random() < 1 / 2:
            self.drawn.choice(lines)["Valor"] = self.amount()
        write_sheet(self.label.folder / f"royalties-{month}.csv", lines)
        if self.drawn.random() < 1 / 3:
            self.tables()
        self.run("royalties", month)
        return f"royalties {month}"

    def a_look(self) -> str:
        self.label.type("settle")
        return "settle"

    def a_hold(self) -> str:
        self.label.type("hold", "--by", "caio", "--why", "feriado")
        return "hold"

    def a_rejection(self) -> str:
        acts = sorted(act for act in acts_of(self.label, self.printed) if act[0] == "approve")
        for act in acts[:1]:
            self.label.type("reject", act[1], "--by", "bia", "--why", "conferir")
        return f"reject {len(acts)}"

    def what_is_printed(self) -> str:
        """Somebody obeys."""
        acts = sorted(acts_of(self.label, self.printed))
        if not acts:
            return self.a_list()
        act = self.drawn.choice(acts)
        take(self.label, act)
        return " ".join(act)

    def act(self) -> str:
        choice = (self.a_list, self.royalties, self.what_is_printed, self.what_is_printed, self.a_look)
        rarely = (self.a_hold, self.a_rejection if "repasse approve" in self.printed else self.royalties)
        return self.drawn.choice((*choice, *choice, *rarely) if self.printed else choice[:2])()


@contextmanager
def opened_house(seed: int) -> Iterator[LivingHouse]:
    memory = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(prefix="walker-", dir=memory) as folder,
        Provider() as provider,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name in [name for name in os.environ if name.startswith("REPASSE_")]:
            patch.delenv(name)
        patch.delenv("PREFECT_API_URL", raising=False)
        patch.setenv("REPASSE_HOME", str(Path(folder, "home")))
        patch.setenv("REPASSE_API_URL", provider.url)
        patch.setenv("REPASSE_API_KEY", KEY)
        yield LivingHouse(Path(folder), provider, seed)


@contextmanager
def undone(provider: Provider) -> Iterator[None]:
    """Let the service forget what is done to it meanwhile: it was done in a copy of the house."""
    names = ("posts", "reports", "meetings", "fates")
    before = {name: deepcopy(getattr(provider, name)) for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            getattr(provider, name)[:] = value


@pytest.mark.parametrize("seed", range(SEED, SEED + HISTORIES))
def test_whatever_anybody_is_shown_after_any_act_is_so_and_whatever_is_offered_is_taken(seed):
    with opened_house(seed) as house:
        told = list[str]()
        for _ in range(ACTS):
            told.append(house.act())
            try:
                house.language = house.drawn.choice(sorted(LANGUAGES))
                house.printed = look_through(newest=1, languages=[house.language])
                the_terminal_speaks_portuguese(house)
                the_books_say_what_the_service_says(house)
                what_is_open_has_an_act(house)
                what_is_offered_is_taken(house)
                the_desk_says_it_in_its_reader_s_words(house)
            except AssertionError as error:
                raise AssertionError(f"{chr(10).join(told)}\n{error}") from error


def the_books_say_what_the_service_says(house: LivingHouse) -> None:
    """The journal of each report that is paid, failed or on its way, and the payments that people find."""
    with house.label.ledger() as ledger:
        entries = [entry for *_, entry in ledger.journal.entries()]
        submissions = ledger.submissions.list(bodies=False)
    paid = Counter[str]()
    for entry in entries:
        for posting in entry.postings:
            if posting.account.kind in AT_SERVICE:
                paid[entry.cause] -= posting.amount_cents
    truth = {report.split_id: report for report in house.provider.reports}
    for submission in submissions:
        report = truth.get(submission.split_id or "")
        if submission.state is SubmissionState.PAID and report is not None:
            reached = sum(cents_of(entry["finalAmount"]) for entry in report.paid)
            assert paid[submission.id] == reached == sum(report.cents), (submission.id, report.fate.name)
        elif submission.state in {SubmissionState.FAILED, SubmissionState.ACCEPTED, SubmissionState.PROCESSING}:
            assert not paid[submission.id], submission.id


# What of `status` is open, and the command by which it is ended, or brought nearer to its end.
ENDED_BY: Final = {
    "planned": "approve",
    "approved": "run",
    "open": "settle",
    "undetermined": "decide",
    "in_doubt": "resolve",
    "freeze": "unfreeze",
    "hold": "release",
}


def what_is_open_has_an_act(house: LivingHouse) -> None:
    """Each matter of `status` names a command."""
    status = json.loads(house.label.type("status", "--json").stdout)
    printed = house.label.type("status").output
    assert all("repasse " in wait["way"] for wait in status["waits"]), status["waits"]
    for matter, command in ENDED_BY.items():
        assert not status[matter] or f"repasse {command}" in printed, (matter, printed)


def what_is_offered_is_taken(house: LivingHouse) -> None:
    """Of what is printed, some: each in a copy of the house, of which the service knows nothing afterwards."""
    acts = sorted(acts_of(house.label, house.printed))
    for act in house.drawn.sample(acts, min(3, len(acts))):
        with copied(), undone(house.provider):
            take(house.label, act)


WORD: Final = re.compile(r"[a-záâãàéêíóôõúç]{4,}")
TAGS: Final = re.compile(
    r"<(?:script|style|svg|code|pre)\b.*?</(?:script|style|svg|code|pre)>|<[^>]*>|&\w+;", re.DOTALL
)
QUOTED: Final = re.compile(r"\b[A-Z]{4,}\b")  # what the service says, in its own words
NAMED: Final = re.compile(r'<[^>]*class="[^"]*mono[^"]*"[^>]*>[^<]*<')
SHOUTED: Final = re.compile(r"\b[A-Z]+_[A-Z_]+\b|\b\w*(?:Error|Exception)\b|\{[a-z_]+\}|\bNone\b|\bnan\b")


LOCALE: Final = Path(__file__).parents[2] / "schemas" / "locale"
# What people wrote in this house, who they are, and what jobs and titles are called.
TYPED: Final = "lista royalties samba show outra vinte summary json feriado conferir banda trio loja vera selo aurora"
WRITTEN: Final = set(WORD.findall(" ".join([TYPED, *(who.name for who in TEAM)]).casefold()))


def words_in(language: str) -> set[str]:
    with (LOCALE / f"{language}.po").open("rb") as stream:
        texts = [entry.string for entry in read_po(stream)]
    return {word for text in texts for word in WORD.findall(str(text).casefold())}


PORTUGUESE, ENGLISH = words_in("pt_BR"), words_in("en")
ONLY: Final = {"pt-BR": ENGLISH - PORTUGUESE - WRITTEN, "en": PORTUGUESE - ENGLISH - WRITTEN}


TYPED_OPTIONS: Final = re.compile(r"\S*/\S+|--\w[\w-]*|repasse \w+")


def the_terminal_speaks_portuguese(house: LivingHouse) -> None:
    """To whom it speaks Portuguese; books are in their jobs' language whoever reads them."""
    if house.language == "pt-BR":
        assert not strangers_in(house.printed, "pt-BR")


def strangers_in(text: str, language: str) -> dict[str, str]:
    """Words of the other language, and where they stand; paths, options and what the service says aside."""
    plain = QUOTED.sub(" ", TYPED_OPTIONS.sub(" ", text))
    strange = (word for word in WORD.findall(plain.casefold()) if word in ONLY[language])
    return {word: plain[max(0, (at := plain.casefold().find(word)) - 60) : at + 60] for word in strange}


def the_desk_says_it_in_its_reader_s_words(house: LivingHouse) -> None:
    """Somebody goes through all pages: no code, no exception's name, and no word of the other language."""
    parts, language = house.drawn.choice(PARTS), house.drawn.choice(sorted(LANGUAGES))
    for _, page, html in pages_of_desk(house.label.job, parts, [language]):
        text = TAGS.sub(" ", NAMED.sub(" ", html))
        assert not (shouted := SHOUTED.findall(text)), (page, shouted)
        assert not (strange := strangers_in(text, language)), (page, language, strange)
