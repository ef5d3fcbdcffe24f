"""A month is opened: files are handed in for it, in one answer that shows what they were compared with.

Varied here: lists and statements, a job that names its month, one that names none and one of `previous_month`, how a
file stands to those that are there, whether it was used yet, and who looks: a run, a night, a preview.
"""

import hashlib
import json

import pytest

from flows.nights.night import run_night
from schemas.errors import ExitCode
from tests.flows.jobs import line, payee, payment, people, private, share
from tests.flows.label import Label, run_month, split_with_ana_and_bia, summary_of

ANA, BIA, CAIO, DITO = people(4)
PAYMENTS = [{"files": "payments.xlsx", "layout": "payments"}]
ASKED = ExitCode.NO_SOUND_PLAN


def digits(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def hand_in(label, file, *answers, code=ExitCode.DONE, yes=True):
    return label.say("run", label.job, "--file", file, *answers, *(["--yes"] if yes else []), code=code).output


def acts_of(label):
    with label.ledger() as ledger:
        return [(act.kind.value, act.facts["period"]) for act in ledger.acts.on_months()]


@pytest.fixture
def october(label, service):
    """A list of October is paid: 10.00 and 20.00."""
    label.declare(period="2026-10", sources=PAYMENTS)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.run()
    return label


def november_of(label, *more):
    return label.write("novembro.xlsx", [payment(ANA, "11,00"), payment(BIA, "22,00"), *more])


def test_a_list_of_the_next_month_is_asked_for_its_month_and_paid_as_such(october, service):
    file = november_of(october)
    asked = hand_in(october, file, code=ASKED)
    assert "--period 2026-11 --new" in asked
    assert "0 em comum com payments.xlsx" in asked
    assert private(asked)
    assert (acts_of(october), sum(service.paid)) == ([], 3000)
    hand_in(october, file, "--period", "11/2026", "--new")
    assert acts_of(october) == [("open_month", "2026-11"), ("hand_in", "2026-11")]
    assert sum(service.paid) == 6300
    file.unlink()
    hand_in_again = october.say("run", october.job, "--period", "novembro de 2026").output
    assert "0 retidas" in hand_in_again, "what was handed in is kept"
    assert october.run().exit_code == ExitCode.DONE, "October is what it was"
    assert sum(service.paid) == 6300


@pytest.mark.long
def test_a_file_that_is_handed_in_where_another_is_needs_a_word_on_how(october, service):
    file = november_of(october)
    hand_in(october, file, "--period", "2026-11")
    more = october.write("novembro-2.xlsx", [payment(ANA, "11,00"), payment(BIA, "22,00"), payment(CAIO, "4,00")])
    asked = hand_in(october, more, "--period", "2026-11", code=ASKED)
    assert f"--in-place-of {digits(file)}" in asked
    assert "2 em comum com novembro.xlsx" in asked
    assert hand_in(october, more, "--period", "2026-11", "--new", code=ASKED)
    assert sum(service.paid) == 3000 + 3300
    hand_in(october, more, "--period", "2026-11", "--in-place-of", digits(file))
    assert sum(service.paid) == 3000 + 3300 + 400
    added = october.write("lista.xlsx", [payment(CAIO, "5,00", "ensaio")])
    hand_in(october, added, "--period", "2026-11", "--added")
    assert sum(service.paid) == 3000 + 3300 + 400 + 500
    assert october.say("run", october.job, "--period", "2026-11").exit_code == ExitCode.DONE
    assert sum(service.paid) == 3000 + 3300 + 400 + 500


def test_what_was_used_is_not_replaced_by_what_has_nothing_in_common_with_it(october, service):
    file, old = november_of(october), digits(october.folder / "payments.xlsx")
    refused = hand_in(october, file, "--period", "2026-10", "--in-place-of", old, code=ASKED)
    assert "nada tem em comum" in refused
    assert hand_in(october, file, "--period", "2026-10", "--in-place-of", "0" * 12, code=ASKED)
    assert (acts_of(october), sum(service.paid)) == ([], 3000)


def test_a_file_handed_in_by_mistake_is_replaced_before_anything_rests_on_it(october, service):
    wrong, right = november_of(october, payment(CAIO, "900,00")), october.write("lista.xlsx", [payment(ANA, "12,00")])
    hand_in(october, wrong, "--period", "2026-11", yes=False, code=ExitCode.APPROVAL_WANTED)
    hand_in(october, right, "--period", "2026-11", "--in-place-of", digits(wrong))
    assert sum(service.paid) == 3000 + 1200
    assert [kind for kind, _ in acts_of(october)] == ["open_month", "hand_in", "withdraw", "hand_in"]


def test_a_job_for_some_days_has_no_other_month_to_be_asked_about(label, service):
    label.declare(period={"start": "2026-10-01", "end": "2026-10-15"}, sources=PAYMENTS)
    hand_in(label, november_of(label))
    assert service.paid == [1100, 2200]


def test_a_statement_of_a_later_month_is_asked_about_whatever_its_name(label, service):
    dollars(label)
    file = label.write("2026-10 vendas.xlsx", [line("20,00", "A") | {"Período": "2026-12"}])
    assert "--period 2026-12 --new" in hand_in(label, file, code=ASKED)
    assert (acts_of(label), service.paid) == ([], [])


@pytest.mark.long
def test_what_was_handed_in_takes_no_place_in_silence(october, service):
    first, second = november_of(october), october.write("lista.xlsx", [payment(CAIO, "5,00")])
    hand_in(october, first, "--period", "2026-11")
    hand_in(october, second, "--period", "2026-11", "--added")
    before = acts_of(october)
    hand_in(october, second, "--period", "2026-11", "--in-place-of", digits(first), code=ASKED)
    assert (acts_of(october), sum(service.paid)) == (before, 3000 + 3300 + 500)


def test_what_takes_the_place_of_the_months_first_file_is_its_first_file(label, service):
    label.declare(period="2026-10", sources=PAYMENTS)
    label.payments(payment(CAIO, "100,00"))  # lies there, and nobody has run it
    first = label.write("lista.xlsx", [payment(ANA, "10,00")])
    hand_in(label, first)
    old = digits(first)
    hand_in(label, label.write("lista.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00")]), "--in-place-of", old)
    assert label.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


@pytest.mark.long
def test_a_file_handed_in_is_withdrawn_by_its_hash_and_handed_in_again(october, service):
    file = november_of(october)
    hand_in(october, file, "--period", "2026-11", yes=False, code=ExitCode.APPROVAL_WANTED)
    october.say("withdraw", digits(file), "--by", "Ana", "--why", "de dezembro")
    empty = october.say("run", october.job, "--period", "2026-11", code=ExitCode.UNREADABLE_FILE).output
    assert "nada foi entregue" in empty
    october.say("withdraw", digits(file), "--by", "Ana", "--why", "de novembro mesmo", "--back")
    october.say("run", october.job, "--period", "2026-11", "--yes")
    assert sum(service.paid) == 6300


@pytest.mark.long
def test_a_job_that_names_no_month_is_for_the_one_opened_last(label, service):
    label.declare(period=None, sources=PAYMENTS)
    file = label.payments(payment(ANA, "10,00"))
    told = label.say("run", label.job, code=ExitCode.CONFIGURATION).output
    assert "no month is open" in told
    hand_in(label, file, "--period", "out/26", "--new")
    assert label.run().exit_code == ExitCode.DONE
    hand_in(label, november_of(label), "--period", "2026-11")
    assert label.ask("plan", label.job)["period"] == "2026-11"
    assert sum(service.paid) == 1000 + 3300


@pytest.mark.parametrize("received", [{"USD": "1.00"}])
def test_what_the_bank_got_is_of_one_month_and_stands_in_no_job_without_one(label, received):
    label.declare(period=None, sources=[PAYMENTS[0] | {"received": received}])
    assert "received is of one month" in label.say("run", label.job, code=ExitCode.CONFIGURATION).output


DOLLARS = [line("10,00", "Faixa 1") | {"Moeda": "USD", "Período": "2026-10"}]


def dollars(label, **source):
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "50")])
    sources = [{"files": "lines.xlsx", "layout": "royalties"} | source]
    label.declare(period="2026-10", sources=sources, payees="payees.xlsx", shares="shares.xlsx")


@pytest.mark.long
def test_rates_and_sums_are_of_the_month_they_were_said_for(label, service):
    own = {"USD": {"rate": "5.00", "date": "2026-10-31", "source": "PTAX"}}
    dollars(label, exchange=own, received={"USD": "10.00"})
    label.write("lines.xlsx", DOLLARS)
    label.run()
    assert sum(service.paid) == 2500
    file = label.write("nov.xlsx", [line("20,00", "Faixa 2") | {"Moeda": "USD", "Período": "2026-11"}])
    without = hand_in(label, file, "--period", "2026-11", code=ASKED)
    assert "USD" in without
    wrong = hand_in(label, file, "--period", "2026-11", "--rate", "USD seis", code=ExitCode.CONFIGURATION)
    assert "USD 5,4312 31/10/2026 PTAX" in wrong
    answers = ("--rate", "USD 6,00 30/11/2026 PTAX", "--received", "USD 20,01")
    assert "RECEIVED_MISMATCH" in hand_in(label, file, "--period", "2026-11", *answers, code=ExitCode.ROWS_HELD)
    hand_in(label, file, "--period", "2026-11", "--received", "USD 20,00")
    assert sum(service.paid) == 2500 + 6000


@pytest.mark.long
@pytest.mark.parametrize(("day", "is_asked"), [("2026-09-30", True), ("2026-11-10", False), ("2026-11-11", True)])
def test_a_rate_of_other_days_is_a_question_and_is_answered_for_the_month(label, service, day, is_asked):
    dollars(label, exchange={"USD": {"rate": "5.00", "date": day, "source": "PTAX"}})
    label.write("lines.xlsx", DOLLARS)
    report = label.run()
    assert (report.exit_code == ASKED, sum(service.paid)) == (is_asked, 0 if is_asked else 2500)
    if is_asked:
        assert "--rate" in " ".join(report.messages)
        label.say("run", label.job, "--yes", "--rate", "USD 5,00 30/09/2026 contrato")
        assert sum(service.paid) == 2500


def invoice(month, number, amount):
    return {"CPF": ANA.tax_id, "Número": number, "Data": f"{month}-28", "Valor": amount, "Período": month}


@pytest.mark.long
def test_invoices_are_of_one_month(label, service):
    own = split_with_ana_and_bia(label)
    own.write("payees.xlsx", [payee(who) | {"Exige nota fiscal": must} for who, must in ((ANA, "sim"), (BIA, "não"))])
    own.write("invoices.xlsx", [invoice("2026-10", "17", "70,00")])
    own.write("out.xlsx", [line("200,00", "A")])
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "invoices": "invoices.xlsx"}
    own.declare(period="2026-10", sources=[{"files": "out.xlsx", "layout": "royalties"}], **tables)
    own.run()
    before = sum(service.paid)
    nov = own.write("nov.xlsx", [line("100,00", "B")])
    assert "INVOICE_MISSING" in hand_in(own, nov, "--period", "2026-11", code=ExitCode.ROWS_HELD)
    assert sum(service.paid) == before + 3333
    more = own.write("notas-nov.xlsx", [invoice("2026-11", "18", "35,00")])
    own.say("run", own.job, "--period", "2026-11", "--file", f"invoices={more}", "--yes")
    assert sum(service.paid) == before + 3333 + 3500


@pytest.mark.long
def test_a_file_with_the_months_name_whose_cells_say_a_later_one_is_held_and_the_rest_is_paid(label, service):
    split_with_ana_and_bia(label)
    label.write("2026-10-a.xlsx", [line("100,00", "A") | {"Período": "2026-10"}])
    label.write("2026-10-b.xlsx", [line("40,00", "B") | {"Período": "2026-12"}])
    report = run_month(label, "2026-10", advances=None)
    assert [issue.file for issue in report.issues if issue.code == "FILE_OTHER_MONTH"] == ["2026-10-b.xlsx"]
    assert (report.exit_code, sum(service.paid)) == (ExitCode.ROWS_HELD, 3500 + 3333)
    file = label.folder / "2026-10-b.xlsx"
    label.say("run", label.job, "--file", file, "--period", "2026-10", "--added", "--yes")
    assert sum(service.paid) == 3500 + 3333 + 1400 + 1334


def test_a_night_holds_what_contradicts_its_month_and_goes_on_with_the_other_jobs(label, service, tmp_path):
    other = label.folder.parent / "jobs"
    other.mkdir()
    for name, month in (("a", "dezembro"), ("b", "")):
        home = Label(other / name)
        sources = [{"files": "{period}.xlsx", "layout": "payments"}]
        home.declare(job=name, period="2026-10", sources=sources, approval={"above": "1000.00"})
        home.write("2026-10.xlsx", [payment(who, "10,00", month) for who in (ANA, BIA)])
    night = run_night(other, by="noite")
    codes = {job.job: job.exit_code for job in night.jobs}
    assert codes == {"a": ExitCode.ROWS_REFUSED, "b": ExitCode.DONE}
    assert sum(service.paid) == 2000


@pytest.mark.long
def test_a_night_takes_up_a_month_that_was_opened_by_hand(label, service, tmp_path):
    home = Label(tmp_path / "jobs")
    home.declare(period="2026-10", sources=PAYMENTS, approval={"above": "0.00"})
    home.payments(payment(ANA, "10,00"))
    home.run()
    file = home.write("novembro.xlsx", [payment(ANA, "11,00")])
    words = ("--file", file, "--period", "2026-11", "--new")
    output = home.say("run", home.job, *words, code=ExitCode.APPROVAL_WANTED).output
    file.unlink()
    home.approve(output.split("repasse approve ")[1].split()[0], "11,00", "Bia")
    night = run_night(home.folder, by="noite")
    assert [(job.period, job.was_run) for job in night.jobs if job.period == "2026-11"] == [("2026-11", True)]
    assert sum(service.paid) == 1000 + 1100


@pytest.mark.parametrize("words", [("--new",), ("--added", "--in-place-of", "0" * 12, "--file", "novembro.xlsx")])
def test_what_says_nothing_or_two_things_of_a_file_is_refused(october, words):
    november_of(october)
    output = october.say("run", october.job, *words, code=ExitCode.CONFIGURATION).output
    assert "--added" in output


@pytest.mark.long
def test_a_table_of_the_month_is_asked_about_where_there_is_one(label, service):
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [share(ANA, "50")])
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "invoices": "{period}-notas.xlsx"}
    label.write("2026-10-notas.xlsx", [invoice("2026-10", "1", "1,00")])
    label.write("lines.xlsx", [line("20,00", "A")])
    label.declare(period="2026-10", sources=[{"files": "lines.xlsx", "layout": "royalties"}], **tables)
    notes = [label.write(f"notas-{n}.xlsx", [invoice("2026-10", str(n), "1,00")]) for n in (7, 8)]
    label.say("run", label.job, "--file", f"invoices={notes[0]}", "--yes")
    asked = label.say("run", label.job, "--file", f"invoices={notes[1]}", code=ASKED).output
    assert f"--in-place-of {digits(notes[0])}" in asked


@pytest.mark.long
def test_who_said_a_rate_has_a_part_in_the_plan_that_rests_on_it(label, service):
    dollars(label)
    rule = {"approvers": 1, "other_than_preparer": True}
    label.write("lines.xlsx", DOLLARS)
    label.declare(
        period="2026-10",
        sources=[{"files": "lines.xlsx", "layout": "royalties"}],
        payees="payees.xlsx",
        shares="shares.xlsx",
        approval=rule,
    )
    label.say("run", label.job, "--rate", "USD 5,00 31/10/2026 PTAX", "--by", "Bia", code=ExitCode.APPROVAL_WANTED)
    report = label.run(yes=False, by="Ana")
    digest = summary_of(report)["plan_digest"]
    said = label.type("approve", digest, "--by", "Bia", "--total", "50,00")
    assert "não conta" in said.output or "does not count" in said.output
    label.approve(digest, "50,00", "Caio")
    assert label.run(yes=False, by="Ana").exit_code == ExitCode.DONE
    assert sum(service.paid) == 2500


@pytest.mark.parametrize("reference", ["cachê dezembro/26", "12/2026"])
def test_a_check_says_of_which_month_a_sheet_looks_to_be_and_confirms_nothing(october, reference):
    file = october.write("lista.xlsx", [payment(ANA, "11,00", reference), payment(BIA, "22,00", reference)])
    (table,) = october.ask("check", file)["tables"]
    assert table["months"] == ["2026-12"]
    assert "2026-12" in october.say("check", file).output
    assert acts_of(october) == []


def test_a_list_of_another_month_under_the_name_of_the_one_before_is_one_question(october, service):
    october.payments(*(payment(who, amount) for who, amount in ((ANA, "10,00"), (BIA, "20,00"), (CAIO, "30,00"))))
    october.run()
    other = [payment(who, amount) for who, amount in ((ANA, "11,00"), (BIA, "22,00"), (CAIO, "33,00"))]
    file = october.payments(*other)
    report = october.run()
    assert (report.exit_code, sum(service.paid)) == (ASKED, 6000)
    assert "lista de outro mês" in " ".join(report.messages)
    hand_in(october, file, "--period", "2026-11", "--new")
    assert sum(service.paid) == 6000 + 6600


ANOTHER_PAYER = {"tax_id": "11222333000181", "name": "Selo Aurora"}


@pytest.mark.parametrize("payer", [{}, {"payer": ANOTHER_PAYER}], ids=["same payer", "another payer"])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([("10,00", "a"), ("20,00", "b"), ("30,00", "c")], id="same sums under other references"),
        pytest.param([("11,00", ""), ("22,00", ""), ("33,00", ""), ("40,00", "")], id="one row as it was"),
    ],
)
@pytest.mark.long
def test_a_list_with_a_row_that_was_paid_is_no_list_of_another_month(october, service, rows, payer):
    paid = [payment(who, amount) for who, amount in ((ANA, "10,00"), (BIA, "20,00"), (CAIO, "30,00"), (DITO, "40,00"))]
    october.payments(*paid)
    october.run()
    october.declare(period="2026-10", sources=PAYMENTS, **payer)
    october.payments(*(payment(who, *row) for who, row in zip((ANA, BIA, CAIO, DITO), rows, strict=False)))
    report = october.run()
    assert report.exit_code in {ExitCode.ROWS_HELD, ExitCode.APPROVAL_WANTED}, report.messages
    assert sum(service.paid) == 10000


@pytest.mark.long
def test_a_list_written_anew_is_judged_row_by_row_on_a_persons_word(october, service):
    october.payments(*(payment(who, amount) for who, amount in ((ANA, "10,00"), (BIA, "20,00"), (CAIO, "30,00"))))
    october.run()
    file = october.payments(*(payment(who, "11,00") for who in (ANA, BIA, CAIO)))
    assert october.run().exit_code == ASKED
    hand_in(october, file, "--period", "2026-10", "--added", code=ExitCode.ROWS_HELD)
    assert sum(service.paid) == 6000, "each of them is in conflict with what was paid"


def test_a_file_that_was_withdrawn_is_handed_in_again_by_handing_it_in(october, service):
    file = november_of(october)
    hand_in(october, file, "--period", "2026-11", yes=False, code=ExitCode.APPROVAL_WANTED)
    october.say("withdraw", digits(file), "--by", "Ana", "--why", "engano")
    hand_in(october, file, "--period", "2026-11")
    assert sum(service.paid) == 6300


def test_what_a_month_tells_names_nobody(october):
    hand_in(october, november_of(october), "--period", "2026-11", yes=False, code=ExitCode.APPROVAL_WANTED)
    with october.ledger() as ledger:
        assert private(json.dumps([[act.subject, dict(act.facts)] for act in ledger.acts.on_months()]))
        assert ledger.acts.first_broken() is None
