"""`repasse explain`: from a payee or a payment back to file and row, and forward to the report."""

import json
import sqlite3
from dataclasses import replace
from decimal import Decimal

import pandas as pd
import pytest

from io_adapters.ledger.run_record import read_line_sums, read_record, save_record
from sample_data.making.people import masked
from schemas.plan import JobIdentity
from schemas.values.masking import mask_tax_id
from tests.flows.jobs import JOB, PAYER, line, payment, people, private
from tests.flows.label import run_month, split_with_ana_and_bia

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long


def said(label, *words, code=0):
    """What a trace says, as text and as a document; neither tells anything personal."""
    text = label.say("explain", *words, code=code).output
    document = label.ask("explain", *words, code=code)
    assert private(text)
    assert private(json.dumps(document, ensure_ascii=False))
    return text, document


def books_close(one) -> bool:
    return one["in_cents"] == sum(cents for _, cents in one["places_cents"])


def key_of(who, reference="", month="2026-10"):
    return JobIdentity(JOB, PAYER, month, "BRL").payment_key(who.tax_id, reference)


def royalty_key(who, month="2026-10"):
    return JobIdentity(JOB, PAYER, month, "BRL").royalty_key(who.tax_id)


@pytest.fixture
def paid(label, service):
    label.payments(payment(ANA, "10,00", "show"), payment(BIA, "20,00"), payment(ANA, "15,00", "clipe"))
    label.run()
    return label


@pytest.fixture
def royalties(label, service):
    return split_with_ana_and_bia(label)


def dollars(amount, title="Samba"):
    return line(amount, title) | {"Moeda": "USD"}


@pytest.fixture
def october(royalties):
    royalties.write("2026-10-a.xlsx", [line("10,00"), line("20,00", "Choro"), line("30,00"), line("40,00")])
    royalties.write("2026-10-b.xlsx", [line("0,005"), dollars("7,00", "Frevo")])
    run_month(royalties, "2026-10")
    return royalties


@pytest.mark.journey
def test_a_payments_row_leads_to_its_cell_and_to_its_report(paid, service):
    text, document = said(paid, key_of(ANA, "clipe"))
    (trace,) = document["explanations"]
    (obligation,) = trace["obligations"]
    assert (obligation["file"], obligation["sheet"], obligation["row"]) == ("payments.xlsx", "Dados", 4)
    assert (obligation["amount_cents"], obligation["place"]) == (1500, "paid")
    (report,) = trace["reports"]
    (created,) = service.reports
    assert (report["split_id"], report["state"], report["status"]) == (created["split_id"], "paid", "DONE")
    assert [state for state, _, _ in report["steps"]][:4] == ["planned", "approved", "sending", "accepted"]
    assert report["prepared_by"] == "ana"
    assert (trace["in_cents"], trace["places_cents"]) == (2500, [["paid", 2500]])
    assert "payments.xlsx > Dados, linha 4" in text
    assert "R$ 25,00 entraram = Pago 25,00" in text


@pytest.mark.long
@pytest.mark.journey
def test_a_payee_is_found_by_document_mask_and_name_without_case_and_accents(paid):
    for words in (ANA.tax_id, masked(ANA.tax_id), mask_tax_id(ANA.tax_id), ANA.name, ANA.name.upper()):
        _, document = said(paid, words)
        (trace,) = document["explanations"]
        assert (trace["tax_id_masked"], len(trace["obligations"])) == (mask_tax_id(ANA.tax_id), 2)


def test_a_report_leads_to_everybody_it_pays(paid):
    _, document = said(paid, report_id(paid))
    assert {trace["tax_id_masked"] for trace in document["explanations"]} == {
        mask_tax_id(who.tax_id) for who in (ANA, BIA)
    }
    assert (
        sum(row["amount_cents"] for obligation in document["explanations"] for row in obligation["obligations"]) == 4500
    )


def report_id(label):
    with label.ledger() as ledger:
        (submission,) = ledger.submissions.list(bodies=False)
    return submission.id


def test_a_name_of_several_people_lists_them_masked_and_follows_nobody(label, service):
    namesake = replace(BIA, name=ANA.name)
    label.payments(payment(ANA, "10,00"), payment(namesake, "20,00"))
    label.run()
    _, document = said(label, ANA.name, code=2)
    assert document["explanations"] == []
    assert {candidate["tax_id"] for candidate in document["candidates"]} == {
        mask_tax_id(who.tax_id) for who in (ANA, BIA)
    }
    _, document = said(label, document["candidates"][0]["obligation"])
    assert len(document["explanations"]) == 1


@pytest.mark.parametrize("words", [CAIO.tax_id, "Ninguém da Silva", "ob-nothing", "rp-nothing"])
def test_whoever_is_not_on_record_is_not_found_nor_repeated(paid, words):
    text, document = said(paid, words, code=2)
    assert (document["explanations"], document["candidates"]) == ([], [])
    assert words not in text


def test_an_empty_ledger_knows_nobody_and_stays_away(label, home):
    said(label, ANA.name, code=2)
    assert not home.exists()


def test_royalties_lead_to_the_rows_of_each_statement(october):
    text, document = said(october, ANA.tax_id, "--job-file", october.job)
    (trace,) = document["explanations"]
    assert trace["files"] == [["2026-10-a.xlsx", "same"], ["2026-10-b.xlsx", "same"]]
    assert trace["problems"] == []
    parts = {part["title"]: part for part in trace["parts"]}
    assert [(found["file"], found["ranges"], found["amount"]) for found in parts["Samba"]["found"]] == [
        ("2026-10-a.xlsx", [[2, 2], [4, 5]], "80"),
        ("2026-10-b.xlsx", [[2, 2]], "0.005"),
    ]
    frevo = parts["Frevo"]
    assert (frevo["rate"], frevo["rate_day"], frevo["rate_origin"]) == ("5.4312", "2026-10-31", "PTAX")
    assert [(taken["role"], taken["share_ppm"], taken["earned"]) for taken in frevo["shares"]] == [
        ("autora", 250000, "9.5046"),
        ("intérprete", 100000, "3.80184"),
    ]
    # 80.005 and 20.00 and 7.00 x 5.4312 = 138.0234, of which 35 %.
    assert (trace["way"]["earned_exact"], trace["way"]["earned_cents"]) == ("48.30819", 4831)
    assert "2026-10-a.xlsx > Dados, linhas 2, 4-5: 3 linhas, R$ 80" in text
    assert "USD 7 x 5,4312 (2026-10-31, PTAX) x 25 % (autora) = R$ 9,5046" in text


def test_advance_minimum_and_carry_over_are_followed_across_two_periods(royalties):
    royalties.write("2026-10-a.xlsx", [line("130,00")])
    royalties.write("2026-11-a.xlsx", [line("60,00", "Choro")])
    for month in ("2026-10", "2026-11"):
        run_month(royalties, month, rules={"minimum_payout": "10.00"})
    text, document = said(royalties, ANA.name, "--job-file", royalties.job)
    october, november = document["explanations"]
    way = ("earned_cents", "recouped_cents", "carried_in_cents", "carried_out_cents", "payable_cents")
    assert [october["way"][name] for name in way] == [4550, 4000, 0, 550, 0]
    (advance,) = october["way"]["payable"]["advances"]
    assert (advance["reference"], advance["taken_cents"]) == ("adv-1", 4000)
    assert [november["way"][name] for name in way] == [2100, 0, 550, 0, 2650]
    assert november["way"]["carried_from"] == "2026-10"
    assert [november["in_cents"], november["places_cents"]] == [2650, [["paid", 2650]]]
    assert dict(october["places_cents"]) == {"recouped": 4000, "carried": 550}
    assert [one["files"] for one in (october, november)] == [
        [["2026-10-a.xlsx", "same"]],
        [["2026-11-a.xlsx", "same"]],
    ]
    assert all(map(books_close, (october, november)))
    assert "R$ 45,50 entraram = Adiantamento recuperado 40,00 + Levado ao próximo período 5,50" in text


def test_one_period_or_one_payment_is_followed_alone(royalties):
    royalties.write("2026-10-a.xlsx", [line("130,00")])
    royalties.write("2026-11-a.xlsx", [line("60,00", "Choro")])
    for month in ("2026-10", "2026-11"):
        run_month(royalties, month)
    for words in ([BIA.name, "--period", "2026-11"], [royalty_key(BIA, "2026-11")]):
        _, document = said(royalties, *words)
        (trace,) = document["explanations"]
        assert (trace["period"], trace["way"]["earned_cents"], trace["statements_read"]) == ("2026-11", 2000, True)


@pytest.mark.parametrize("what", ["changed", "gone", "unreadable"])
def test_a_statement_that_is_no_longer_the_same_is_told_and_its_part_comes_from_the_ledger(october, what):
    path = october.folder / "2026-10-b.xlsx"
    path.unlink()
    if what == "changed":
        october.write(path.name, [line("900,00"), dollars("1,00", "Frevo")])
    if what == "unreadable":
        path.write_bytes(b"PK\x03\x04 cut off")
    code = 11 if what == "unreadable" else 0
    text, document = said(october, ANA.tax_id, "--job-file", october.job, code=code)
    (trace,) = document["explanations"]
    assert trace["files"] == [["2026-10-a.xlsx", "same"], ["2026-10-b.xlsx", what]]
    samba = next(part for part in trace["parts"] if part["title"] == "Samba")
    assert (samba["lines"], samba["source_amount"]) == (4, "80.005")
    assert [found["file"] for found in samba["found"]] == ["2026-10-a.xlsx"]
    assert "2026-10-b.xlsx > Dados, linha 2: R$ 0,005, segundo o registro" in text
    assert "2026-10-b.xlsx: " in text


def test_books_that_do_not_make_what_they_recorded_end_with_40(october):
    """As if a digit of the record had been lost."""
    with october.ledger() as ledger:
        run_id = ledger.runs.latest(JOB).run_id
        record = read_record(ledger, run_id)
        amounts = [
            Decimal("80.006") if amount == Decimal("80.005") else amount for amount in record.earnings["source_amount"]
        ]
        earnings = record.earnings.assign(
            source_amount=pd.Series(amounts, dtype=record.earnings["source_amount"].dtype)
        )
        save_record(ledger, run_id, replace(record, earnings=earnings, line_sums=read_line_sums(ledger, run_id)))
    text, document = said(october, ANA.tax_id, "--job-file", october.job, code=40)
    assert document["explanations"][0]["problems"] == ["part", "lines"]
    assert "não somam o valor que o registro guarda" in text


def test_a_later_statement_shows_what_was_paid_before_and_the_difference(october):
    october.write("2026-10-c.xlsx", [line("100,00", "Valsa")])
    run_month(october, "2026-10")
    _, document = said(october, BIA.name, "--job-file", october.job)
    (trace,) = document["explanations"]
    assert [(row["reference"], row["place"]) for row in trace["obligations"]] == [
        ("royalties", "paid"),
        ("royalties/2", "paid"),
    ]
    assert len({report["submission_id"] for report in trace["reports"]}) == 2
    assert (trace["problems"], books_close(trace)) == ([], True)


def test_the_first_of_two_payments_is_told_by_the_books_of_its_own_run(october):
    october.write("2026-10-c.xlsx", [line("100,00", "Valsa")])
    run_month(october, "2026-10")
    _, document = said(october, royalty_key(BIA), "--job-file", october.job)
    (trace,) = document["explanations"]
    assert {part["title"] for part in trace["parts"]} == {"Samba", "Choro", "Frevo"}
    assert len(trace["reports"]) == 1


def test_the_owners_part_is_followed_too(october):
    _, document = said(october, "Selo Aurora")
    (trace,) = document["explanations"]
    assert ([row["kind"] for row in trace["obligations"]], books_close(trace)) == (["owner"], True)


def test_a_plan_that_waits_shows_who_has_said_yes_so_far(label, service):
    label.declare(approval={"approvers": 2})
    label.payments(payment(ANA, "10,00"))
    waiting = label.run(yes=False)
    label.approve(waiting.summary.plan_digest, "10,00", "bia")
    _, document = said(label, ANA.name)
    (report,) = document["explanations"][0]["reports"]
    assert ([word["by"] for word in report["approvals"]], report["approved_at"]) == (["bia"], None)
    assert document["explanations"][0]["places_cents"] == [["planned", 1000]]


def test_a_decision_is_told_with_who_and_when(label, service):
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.payments(payment(ANA, "12,00"))
    label.run()
    label.say("decide", key_of(ANA), "--drop", "--by", "bia", "--evidence", f"recibo de {masked(ANA.tax_id)}")
    text, document = said(label, ANA.name)
    assert [(word["kind"], word["by"]) for word in document["explanations"][0]["obligations"][0]["decisions"]] == [
        ("drop", "bia")
    ]
    assert "drop" in text


def test_a_foreign_report_shows_its_exchange_rate(label, service):
    label.declare(currency="USD", foreign_currency={"rate": "5.4312"})
    label.payments(payment(ANA, "10,00"))
    label.run()
    _, document = said(label, ANA.name)
    (report,) = document["explanations"][0]["reports"]
    assert (report["rate"]["currency"], report["rate"]["rate"], report["rate"]["state"]) == (
        "USD",
        "5.4312",
        "accepted",
    )


def test_a_job_file_that_is_not_there_or_of_another_job_is_refused(paid):
    said(paid, ANA.name, "--job-file", paid.folder / "none.yaml", code=10)
    said(paid, ANA.name, "--job-file", paid.job, "--job", "another", code=10)


def test_english_where_the_job_speaks_english(label, service):
    label.declare(outputs={"folder": "out", "language": "en"})
    label.payments(payment(ANA, "10,00"))
    label.run()
    text, _ = said(label, ANA.name)
    assert "R$ 10.00 came in = Paid 10.00" in text
    assert "from payments.xlsx > Dados, row 2" in text


def test_whoever_is_missing_from_the_newest_books_is_found_in_older_ones(paid):
    paid.payments(payment(CAIO, "5,00"))
    paid.run()
    for words in (ANA.name, BIA.tax_id):
        _, document = said(paid, words)
        (trace,) = document["explanations"]
        assert {row["place"] for row in trace["obligations"]} == {"paid"}


def test_a_run_that_only_found_duplicates_tells_the_same_lines(october):
    before = said(october, BIA.name, "--job-file", october.job)[1]["explanations"][0]
    run_month(october, "2026-10")
    (after,) = said(october, BIA.name, "--job-file", october.job)[1]["explanations"]
    paid = before["way"].pop("payable"), after["way"].pop("payable")
    assert [way["paid_before_cents"] + way["payable_cents"] for way in paid] == [before["way"]["payable_cents"]] * 2
    assert (after["parts"], after["way"], after["places_cents"]) == (
        before["parts"],
        before["way"],
        before["places_cents"],
    )
    assert after["problems"] == []
    assert {standing for _, standing in after["files"]} == {"same"}


def test_payments_of_a_run_that_died_before_it_wrote_its_books_are_told_from_the_ledger(paid, home):
    with sqlite3.connect(home / "ledger.db") as ledger:
        ledger.execute("DELETE FROM run_results")
        ledger.execute("DELETE FROM run_obligations")
    _, document = said(paid, BIA.tax_id)
    (trace,) = document["explanations"]
    assert (trace["run_id"], trace["places_cents"], trace["reports"][0]["state"]) == ("", [["paid", 2000]], "paid")
