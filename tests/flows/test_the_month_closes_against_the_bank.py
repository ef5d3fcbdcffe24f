"""A month closes when bank, service and register agree to the centavo, and says what keeps it open until then.

Judged by what the service was paid and what the bank's statement says. Held constant: one account, at a terminal.
Varied: who says first that a report was paid, what the bank writes, what went wrong, and who looks.
"""

import calendar
import re
from datetime import datetime, timedelta

import pytest
from beancount import loader
from openpyxl import load_workbook

from io_adapters.sandbox.bank import BankFault
from schemas.errors import ExitCode
from schemas.job import BRASILIA
from schemas.journal import AccountKind
from schemas.readers import for_strangers
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of

ANA, BIA = people(2)
TODAY = datetime.now(BRASILIA).date()
MONTH = f"{TODAY:%Y-%m}"
LAST = TODAY.replace(day=calendar.monthrange(TODAY.year, TODAY.month)[1])
BY = ("--by", "caio")
pytestmark = pytest.mark.long


def statement(label, rows, name="extrato.ofx", opening=100_000, closing=None, until=LAST):
    """Write a statement of the bank: rows of cents, text and day."""
    lines = "".join(
        f"<STMTTRN><DTPOSTED>{day:%Y%m%d}<TRNAMT>{cents / 100:.2f}<FITID>{n}<MEMO>{text}</STMTTRN>"
        for n, (cents, text, day) in enumerate(rows)
    )
    balance = opening + sum(cents for cents, *_ in rows) if closing is None else closing
    path = label.folder / name
    path.write_text(
        f"OFXHEADER:100\n\n<OFX><BANKACCTFROM><ACCTID>77<BANKTRANLIST><DTSTART>{MONTH.replace('-', '')}01"
        f"<DTEND>{until:%Y%m%d}{lines}</BANKTRANLIST><LEDGERBAL><BALAMT>{balance / 100:.2f}</LEDGERBAL></OFX>",
        encoding="cp1252",
    )
    return path


@pytest.fixture
def paid(label, service):
    """A report of 30.00 that the bank has paid, and of which nobody has said so; returns its name."""
    service.behave(funding="pix", processing_after_s=0, done_after_s=0)
    label.declare(settle={"every_s": "0.1", "for_s": "0.2"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    (report,) = label.ask("funding", code=23)["reports"]
    words = ("--receiver", report["receiver"], "--by", "bia", "--evidence", "contrato")
    label.say("funding", "receiver", report["report_id"], *words)
    assert service.fund() == 200
    return report["report_id"]


def read(label, path, code=0):
    return label.ask("bank", "read", path, *BY, code=code)


@pytest.mark.parametrize("text", ["PIX ENVIADO", "PIX {name}", "pix {name} tarifa zero"])
def test_a_line_of_the_bank_is_the_record_of_what_was_paid_and_the_month_closes(label, service, paid, text):
    said = read(label, statement(label, [(-3000, text.format(name=paid), TODAY)]))
    assert [(each["matter"], each["of"]) for each in said["explained"]] == [("funding", paid)]
    assert label.ask("bank", code=15)["closed"] is False  # the service has not told yet
    label.say("settle")
    month = label.ask("bank")
    assert month["closed"] is True
    (row,) = month["rows"]
    assert {row["bank_cents"], row["service_cents"], row["recorded_cents"]} == {3000}
    assert service.paid == [1000, 2000]
    with label.ledger() as ledger:
        balances = {account.kind: cents for account, cents in ledger.journal.balances().items()}
    assert balances[AccountKind.BANK] == -service.funded_cents[0] == -3000


@pytest.fixture
def ana(label, service, paid):
    """The payment of 10.00, once the report has paid it and the bank its report."""
    read(label, statement(label, [(-3000, "PIX", TODAY)]))
    label.say("settle")
    return next(one["extPaymentId"] for one in service.reports[0]["payments"] if one["final_amount_cents"] == 1000)


def read_of_sandbox(label, service, form, *, is_named=True, **fault):
    """Read what the sandbox's bank writes of a report of 30.00, paid, and of one payment of it that came back."""
    label.say("settle")
    key = next(one["extPaymentId"] for one in service.reports[0]["payments"] if one["final_amount_cents"] == 1000)
    service.give_back(key, "10.00")
    label.say("settle", code=40)
    path = label.folder / f"sandbox.{form}"
    text = service.statement(form, **fault)
    path.write_text(text if is_named else text.replace(service.reports[0]["split_id"], "AUT"), encoding="cp1252")
    return label.ask_any("bank", "read", path, "--account", "77", *BY)


@pytest.mark.parametrize("form", ["ofx", "csv"])
def test_the_statement_of_the_sandbox_closes_what_happened_in_it(label, service, paid, form):
    said = read_of_sandbox(label, service, form)
    assert {each["matter"] for each in said["explained"]} == {"funding", "returned"}
    month = label.ask_any("bank")  # which may not be over
    assert month["unexplained"] == month["missing"] == []
    assert {row["difference_cents"] for row in month["rows"]} == {0}


# Of a report of 30.00 and 10.00 that came back. What its months then say: lines without an explanation, what is in no
# statement, and by how much sums differ; first where the bank's text names the report, then where it does not. A line
# that names its report is known on any day: of that fault there is then nothing to say.
LEFT = {
    BankFault.DOUBLE: (([], [], [0, 3000]), ([-3000, -3000], [3000], [0])),
    BankFault.MISSING: (([], [3000], [0]), ([], [3000], [0])),
    BankFault.FEE: (([], [], [0, 601]), ([-3601], [3000], [0])),
    BankFault.REVERSAL: (([3000], [], [0, 0]), ([3000], [], [0, 0])),
    BankFault.DAY: (([], [], [0, 0]), ([-3000], [3000], [0])),
    BankFault.MERGED: (([], [-1000], [1000, 1000]), ([-2000], [-1000, 3000], [1000])),
    BankFault.SPLIT: (([-1], [], [0, 1]), ([-2999, -1], [3000], [0])),
    BankFault.CENTAVO: (([], [], [0, 1]), ([-3001], [3000], [0])),
    BankFault.FOREIGN: (([-123456], [], [0, 0]), ([-123456], [], [0, 0])),
}


@pytest.mark.parametrize(("form", "is_named"), [("ofx", True), ("csv", False)])
@pytest.mark.parametrize("fault", BankFault)
def test_each_fault_of_a_bank_is_named_to_the_centavo(label, service, paid, fault, form, is_named):
    read_of_sandbox(label, service, form, is_named=is_named, fault=fault)
    before = TODAY - timedelta(days=9)  # where the line stands whose day is wrong, perhaps in the month before
    months = [label.ask_any("bank", "--month", month) for month in sorted({MONTH, f"{before:%Y-%m}"})]
    lines = sorted(line["cents"] for month in months for line in month["unexplained"])
    missing = sorted(need["cents"] for month in months for need in month["missing"])
    differences = sorted(row["difference_cents"] for month in months for row in month["rows"])
    assert (lines, missing, differences) == LEFT[fault][0 if is_named else 1]


@pytest.mark.parametrize("changed_by", [0, 1, -500])
def test_the_books_of_a_closed_month_agree_with_the_banks_closing_balance(label, service, ana, tmp_path, changed_by):
    words = ("--amount", "10,00", "--day", TODAY.isoformat(), "--by", "bia", "--evidence", "carta do banco")
    label.say("returned", ana, *words)
    rows = [(-3000, "PIX", TODAY), (1000, "PIX DEVOLVIDO", TODAY)]
    read(label, statement(label, rows, name="2.ofx", opening=0))
    assert label.ask("bank")["closed"] is True
    path, closing = tmp_path / "books.beancount", sum(cents for cents, *_ in rows) + changed_by
    label.say("journal", "--from", f"{MONTH}-01", "--to", LAST, "--format", "beancount", "--out", path)
    (account,) = set(re.findall(r"Assets:Bank:\S+", path.read_text()))
    with path.open("a") as books:
        books.write(f"\n{LAST + timedelta(days=1)} balance {account}  {closing / 100:.2f} ~ 0.00 BRL\n")
    _, errors, _ = loader.load_file(str(path))
    assert bool(errors) is bool(changed_by)


def said_of_the_bank(label):
    """What each view of the money says of the month."""
    first, last = f"{MONTH}-01", LAST.isoformat()
    views = (
        ("month", MONTH),
        ("owed", "--at", last),
        ("account", ANA.name, "--from", first, "--to", last),
        ("taxes", "--month", MONTH),
    )
    return [label.ask(*view)["bank"] for view in views]


def test_every_view_says_whether_its_month_is_closed(label, service, paid, home):
    assert said_of_the_bank(label) == [[]] * 4
    read(label, statement(label, [(-3000, "PIX", TODAY)]))
    assert said_of_the_bank(label) == [[{"month": MONTH, "is_closed": False}]] * 4
    label.say("settle")
    assert said_of_the_bank(label) == [[{"month": MONTH, "is_closed": True}]] * 4
    assert "todas as diferenças são 0,00" in label.say("account", ANA.name).output
    book = load_workbook(label.folder.parent / f"taxes-{MONTH}.xlsx")
    assert MONTH[:4] in str(book.worksheets[-1].cell(3, 1).value)


def test_what_came_back_keeps_the_month_open_until_the_bank_shows_it(label, service, ana):
    words = ("--amount", "10,00", "--day", TODAY.isoformat(), "--by", "bia", "--evidence", "carta do banco")
    label.say("returned", ana, *words)
    month = label.ask("bank", code=15)
    assert [need["of"] for need in month["missing"]] == [f"{ana}/r1"]
    said = read(label, statement(label, [(-3000, "PIX", TODAY), (1000, "PIX DEVOLVIDO", TODAY)], name="2.ofx"))
    assert [(each["matter"], each["of"]) for each in said["explained"]] == [("returned", f"{ana}/r1")]
    assert label.ask("bank")["closed"] is True
    with label.ledger() as ledger:
        balances = {account.kind: cents for account, cents in ledger.journal.balances().items() if not account.payee}
    assert balances[AccountKind.BANK] == -2000


def test_what_a_report_alone_shows_is_paid_again_once_the_bank_shows_it_and_no_more_when_that_is_taken_back(
    label, service, ana
):
    label.payments(payment(ANA, "10,00", Chave_Pix=BIA.destination.pix_key), payment(BIA, "20,00"))
    assert service.give_back(ana, "10.00") == 200
    label.say("settle", code=40)
    assert places(summary_of(label.run())) == {"duplicate": 3000, "returned": 1000}
    path = statement(label, [(-3000, "PIX", TODAY), (1000, "ESTORNO", TODAY), (1000, "CREDITO", TODAY)], name="2.ofx")
    assert read(label, path, code=15)["explained"] == []  # two lines of that sum: a person says which
    line, other = (each["line"] for each in label.ask("bank", code=15)["unexplained"])
    words = ("--returned", *BY, "--evidence", "carta do banco")
    label.say("bank", "explain", line, *words, "--of", ana, code=2)
    label.say("bank", "explain", line, *words, "--of", f"{ana}/r1")
    label.say("bank", "explain", other, *words, "--of", f"{ana}/r1", code=2)
    label.say("bank", "explain", line, "--open", *BY, "--evidence", "outra linha")
    assert places(summary_of(label.run())) == {"duplicate": 3000, "returned": 1000}
    label.say("bank", "explain", other, *words, "--of", f"{ana}/r1")
    label.run()
    assert service.reports[-1]["extPaymentIds"] == [f"{ana}/r1"]


@pytest.mark.parametrize("text", ["PIX ENVIADO", "PIX {name}"])
def test_a_statement_read_after_everybody_is_paid_is_the_record_as_well(label, service, paid, text):
    label.say("settle")
    said = read(label, statement(label, [(-3000, text.format(name=paid), TODAY)]))
    assert [(each["matter"], each["of"]) for each in said["explained"]] == [("funding", paid)]
    assert label.ask("bank")["closed"] is True


def test_what_people_have_recorded_is_met_by_the_banks_line_and_not_recorded_twice(label, service, paid):
    words = ("--day", TODAY.isoformat(), *BY, "--evidence", "comprovante")
    label.say("funding", "paid", paid, "--amount", "30,00", *words, code=23)
    label.say("settle")
    open_month = label.ask("bank", "--month", MONTH, code=15)
    assert [need["of"] for need in open_month["missing"]] == [paid]
    read(label, statement(label, [(-3000, "PIX", TODAY)]))
    month = label.ask("bank")
    assert month["closed"] is True
    assert month["rows"][0]["recorded_cents"] == 3000
    assert [act["kind"] for act in label.ask("acts")["acts"]].count("fund") == 1


@pytest.mark.parametrize("at_once", [True, False])
def test_of_a_report_paid_in_parts_the_bank_is_the_record_of_those_that_nobody_has_said(label, service, paid, at_once):
    words = ("--amount", "10,00", "--day", TODAY.isoformat(), "--by", "bia", "--evidence", "comprovante")
    label.type("funding", "paid", paid, *words)
    rows = [(-2000, f"PIX {paid}", TODAY), (-1000, f"PIX {paid}", TODAY)]
    if not at_once:
        read(label, statement(label, rows[:1]))
        assert label.ask("funding", code=23)["reports"][0]["funded_cents"] == 1000  # 20.00 may be what people meant
    read(label, statement(label, rows, "mes.ofx"))
    assert label.ask("funding", code=23)["reports"][0]["funded_cents"] == 3000
    label.say("settle")
    assert label.ask("bank")["closed"] is True


@pytest.mark.parametrize("text", ["PIX DEVOLVIDO {name}", "PIX DEVOLVIDO"])
@pytest.mark.parametrize("is_one_file", [True, False])
@pytest.mark.parametrize("number", range(3))  # lines are told apart by names of their own, whose order is by chance
def test_what_was_paid_for_a_report_that_failed_is_known_when_it_comes_back(
    label, service, paid, text, is_one_file, number
):
    rows = [(-3000, f"PIX {number} {paid}", TODAY), (3000, text.format(name=paid), TODAY)]
    for payment_ in service.reports[0]["payments"]:  # before anybody has seen it paid
        service.give_back(payment_["extPaymentId"], f"{payment_['final_amount_cents'] / 100:.2f}")
    read(label, statement(label, rows if is_one_file else rows[:1]), code=15 if is_one_file and "{" not in text else 0)
    label.type("settle")
    label.ask_any("bank", "read", statement(label, rows, "mes.ofx"), *BY)
    (row,) = label.ask("bank")["rows"]
    assert {row["bank_cents"], row["service_cents"], row["recorded_cents"]} == {0}


@pytest.mark.parametrize("text", ["PIX {name}", "PIX"])
def test_the_rest_of_a_report_is_known_though_its_report_has_told_meanwhile_that_it_is_paid(label, paid, text):
    rows = [(-1234, f"PIX {paid}", TODAY), (-1766, text.format(name=paid), TODAY)]
    read(label, statement(label, rows[:1]))
    label.say("settle")
    read(label, statement(label, rows, "mes.ofx"))
    assert label.ask("bank")["closed"] is True


def test_a_second_debit_is_known_by_its_name_in_a_later_file_as_in_the_same(label, paid):
    rows = [(-3000, f"PIX {paid}", TODAY), (-3000, f"PIX {paid}", TODAY)]
    read(label, statement(label, rows[:1]))
    label.say("settle")
    read(label, statement(label, rows, "mes.ofx"))
    (row,) = label.ask("bank", code=15)["rows"]
    assert (row["bank_cents"], row["service_cents"], row["difference_cents"]) == (6000, 3000, 3000)


def test_a_report_that_was_paid_with_its_fee_is_known_by_that_sum(label, service):
    service.behave(funding="pix", processing_after_s=0, done_after_s=0, fee_on_top=True, fee_rate="0.01")
    label.declare(settle={"every_s": "0.1", "for_s": "0.2"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    (report,) = label.ask_any("funding")["reports"]
    words = ("--receiver", report["receiver"], "--by", "bia", "--evidence", "contrato")
    label.type("funding", "receiver", report["report_id"], *words)
    assert service.fund() == 200
    label.say("settle")
    read(label, statement(label, [(-3030, "PIX", TODAY)]))
    assert label.ask("bank")["closed"] is True


@pytest.mark.parametrize(
    ("rows", "key", "count"),
    [
        ([(-3000, "PIX", TODAY), (-15000, "ALUGUEL", TODAY)], "unexplained", 1),
        ([(-3000, "PIX", TODAY), (-3000, "PIX", TODAY)], "unexplained", 2),
        ([(-2999, "PIX", TODAY)], "unexplained", 1),
        ([(-3000, "PIX", TODAY), (3000, "ESTORNO", TODAY)], "unexplained", 1),
    ],
)
def test_a_line_that_nobody_can_explain_keeps_the_month_open_and_is_named(label, paid, rows, key, count):
    assert len(read(label, statement(label, rows), code=15)["unexplained"]) == count
    label.say("settle")
    month = label.ask("bank", code=15)
    assert (month["closed"], len(month[key])) == (False, count)
    assert "has no explanation" in label.say("bank", code=15).output or count > 1


def test_people_explain_what_the_program_cannot_once_and_not_whoever_prepared(label, service, paid):
    (name, rent) = read(label, statement(label, [(-3001, "PIX", TODAY), (-500, "TARIFA", TODAY)]), code=15)[
        "unexplained"
    ]
    lines = {line["line"]: line["cents"] for line in label.ask("bank", code=15)["unexplained"]}
    name, rent = sorted(lines, key=lines.get)
    words = ("--evidence", "o comprovante")
    label.say("bank", "explain", name, "--funding", "--of", paid, "--by", "ana", *words, code=ExitCode.APPROVAL_WANTED)
    label.say("bank", "explain", "bk-none", "--other", *BY, *words, code=2)
    label.say("bank", "explain", name, "--funding", "--of", "rp-none", *BY, *words, code=2)
    label.say("bank", "explain", name, "--checks", *BY, *words, code=2)
    label.say("bank", "explain", name, "--funding", "--of", paid, *BY, *words)
    label.say("bank", "explain", name, "--other", *BY, *words, code=2)
    label.say("bank", "explain", rent, "--other", *BY, *words)
    label.say("settle")
    month = label.ask("bank", code=15)
    assert month["unexplained"] == []
    assert month["rows"][0]["difference_cents"] == 1  # the bank says one centavo more than the service
    assert [act["kind"] for act in label.ask("acts")["acts"]].count("explain_line") == 2


def bank_of(label):
    """What the journal says has left the bank, in centavos."""
    with label.ledger() as ledger:
        return -sum(cents for account, cents in ledger.journal.balances().items() if account.kind is AccountKind.BANK)


WORDS = (*BY, "--evidence", "o comprovante")


def test_a_second_word_on_a_line_is_refused_and_moves_nothing(label, paid):
    (line,) = (each["line"] for each in read(label, statement(label, [(-3000, "PIX", TODAY)]))["explained"])
    assert bank_of(label) == 3000
    label.say("bank", "explain", line, "--funding", "--of", paid, *WORDS, code=2)
    assert bank_of(label) == 3000


def test_a_line_is_the_record_of_a_report_once_whoever_says_it_at_the_same_moment(label, paid):
    with label.ledger() as ledger:
        (report,) = ledger.submissions.list(bodies=False)
        for by in ("bia", "caio"):
            ledger.fundings.record(report.id, 3000, TODAY, by=by, evidence="extrato", line_id="bk-1")
    assert bank_of(label) == 3000


def test_what_was_said_of_a_line_is_taken_back_with_what_it_recorded_and_not_said_again_by_the_program(label, paid):
    path = statement(label, [(-3000, "ALUGUEL", TODAY)])  # of the very sum and day, and not the report's
    (line,) = (each["line"] for each in read(label, path)["explained"])
    label.say("bank", "explain", line, "--open", "--by", "ana", "--evidence", "x", code=ExitCode.APPROVAL_WANTED)
    label.say("bank", "explain", line, "--open", *WORDS)
    assert bank_of(label) == 0
    label.say("bank", "explain", line, "--open", *WORDS, code=2)
    assert read(label, path, code=15)["explained"] == []
    assert [each["line"] for each in label.ask("bank", code=15)["unexplained"]] == [line]
    label.say("bank", "explain", line, "--other", *WORDS)
    said = read(label, statement(label, [(-3000, "PIX", TODAY)], "b.ofx"))
    assert [each["of"] for each in said["explained"]] == [paid]
    label.say("settle")
    month = label.ask("bank")
    assert (month["closed"], bank_of(label)) == (True, 3000)
    assert {each["matter"] for each in month["explained"]} == {"funding", "other"}


@pytest.mark.parametrize("corrected", [False, True])
def test_what_people_recorded_themselves_stays_when_a_line_is_taken_back(label, paid, corrected):
    words = ("--day", TODAY.isoformat(), *BY, "--evidence", "comprovante")
    if not corrected:
        label.say("funding", "paid", paid, "--amount", "30,00", *words, code=23)
    (line,) = (each["line"] for each in read(label, statement(label, [(-3000, "PIX", TODAY)]))["explained"])
    if corrected:  # the bank's line was the record, and somebody has put it right by hand
        label.say("funding", "paid", paid, "--amount=-30,00", *words, code=23)
    label.say("bank", "explain", line, "--open", *WORDS)
    assert bank_of(label) == (0 if corrected else 3000)


def test_checks_that_a_line_was_said_to_be_of_are_owed_to_the_bank_again(label, service):
    label.declare(account_checks={"when": "new_or_changed"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    path = statement(label, [(-72, "TARIFA PIX", TODAY)])
    (line,) = (each["line"] for each in read(label, path)["explained"])
    for _ in range(2):
        assert bank_of(label) == 72
        label.say("bank", "explain", line, "--open", *WORDS)
        assert bank_of(label) == 0
        label.say("bank", "explain", line, "--checks", *WORDS)
    assert bank_of(label) == 72


def test_the_checks_of_a_day_are_one_line_and_an_overlapping_file_brings_only_what_is_new(label, service):
    label.declare(account_checks={"when": "new_or_changed"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    assert service.checks_cost_cents == 72
    read(label, statement(label, [(-72, "TARIFA PIX", TODAY)]))
    again = read(label, statement(label, [(-72, "TARIFA PIX", TODAY), (-5, "IOF", TODAY)], "b.ofx"), code=15)
    assert (again["new"], len(again["unexplained"])) == (1, 1)
    assert read(label, label.folder / "b.ofx", code=15)["new"] == 0
    rows = {row["matter"]: row for row in label.ask("bank", code=15)["rows"]}
    assert rows["checks"]["difference_cents"] == 0
    with label.ledger() as ledger:
        balances = ledger.journal.balances()
    of_checks = {account.kind: cents for account, cents in balances.items() if account.reference == "checks"}
    assert of_checks.get(AccountKind.FLOAT, 0) == 0


def test_a_month_that_is_not_over_is_open(label, paid):
    early = TODAY if TODAY < LAST else LAST - timedelta(days=1)
    read(label, statement(label, [(-3000, "PIX", early)], until=early))
    label.say("settle")
    month = label.ask("bank", code=15)
    assert (month["closed"], month["gaps"]) == (False, [])
    assert month["covered_until"] < LAST.isoformat()


def sheet(label, rows, name="extrato.csv", skipped=()):
    """Write a statement as a sheet with the balance behind each line, some lines left out."""
    balance, lines = 100_000, ["Data;Histórico;Valor;Saldo"]
    for number, (cents, text, day) in enumerate(rows):
        balance += cents
        if number not in skipped:
            amounts = (f"{sum_ / 100:.2f}".replace(".", ",") for sum_ in (cents, balance))
            lines.append(f"{day:%d/%m/%Y};{text};{';'.join(amounts)}")
    (label.folder / name).write_text("\n".join(lines), encoding="utf-8")
    return label.folder / name


def test_a_line_that_a_sheet_leaves_out_is_seen_at_its_balance_until_the_whole_is_read(label, paid):
    rows = [(-3000, "PIX", TODAY), (-500, "TARIFA", TODAY), (700, "TED", LAST)]
    words = ("bank", "read", sheet(label, rows, skipped={1}), "--account", "77", *BY)
    assert "extrato.csv, D3: " in label.say(*words, code=15).output
    (gap,) = label.ask("bank", code=15)["gaps"]
    assert (gap["account"], gap["cents"]) == ("77", 500)
    assert "R$ 5.00" in label.say("bank", code=15).output
    label.ask("bank", "read", sheet(label, rows, "inteiro.csv"), "--account", "77", *BY, code=15)
    assert label.ask("bank", code=15)["gaps"] == []


def test_a_statement_that_nobody_has_read_is_seen_between_two_that_are(label, paid):
    first, second = TODAY.replace(day=1), TODAY.replace(day=3)
    words = ("--account", "77", *BY)  # what of it is explained rests on the day of the month on which this runs
    label.ask_any("bank", "read", statement(label, [(-3000, "PIX", first)], until=first), *words)
    later = statement(label, [(-100, "TARIFA", LAST)], "depois.ofx", opening=96_000)
    later.write_bytes(
        later.read_bytes().replace(f"<DTSTART>{first:%Y%m%d}".encode(), f"<DTSTART>{second:%Y%m%d}".encode())
    )
    read(label, later, code=15)
    (gap,) = label.ask("bank", code=15)["gaps"]
    assert (gap["first"], gap["last"], gap["cents"]) == (first.isoformat(), second.isoformat(), 1000)
    read(
        label,
        statement(label, [(-3000, "PIX", first), (-1000, "ALUGUEL", first), (-100, "TARIFA", LAST)], "mes.ofx"),
        code=15,
    )
    assert label.ask("bank", code=15)["gaps"] == []


def test_the_month_is_a_workbook_and_names_no_text_of_the_bank_to_strangers(label, paid, tmp_path):
    read(label, statement(label, [(-3000, "PIX", TODAY), (-700, "PAGAMENTO ZULMIRA FURTADO", TODAY)]), code=15)
    label.say("bank", "--out", tmp_path / "mes.xlsx", code=15)
    book = load_workbook(tmp_path / "mes.xlsx")
    cells = [cell for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row if cell is not None]
    assert "PAGAMENTO ZULMIRA FURTADO" in " ".join(map(str, cells))
    assert 30 in cells
    assert -7 in cells
    with for_strangers():
        printed = label.say("bank", code=15).output + str(label.ask("bank", code=15))
    assert "ZULMIRA" not in printed
    assert "FURTADO" not in printed


def test_what_is_no_statement_leaves_nothing(label, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("nome;valor\nana;3,00\n")
    label.say("bank", "read", path, *BY, code=11)
    assert label.ask("bank")["month"] is None
