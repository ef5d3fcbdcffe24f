"""What looks paid already, under another job or period, is paid again only when a person says so."""

import pytest

from schemas.errors import ExitCode
from tests.flows.jobs import payment, people
from tests.flows.label import digest_of, summary_of

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long


@pytest.mark.long
@pytest.mark.journey
def test_last_month_s_sheet_with_one_more_row_is_not_paid_again_by_a_flag(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run(yes=True).exit_code == ExitCode.DONE
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    label.declare(period="2026-11")
    report = label.run(yes=True)
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert service.paid == [1000, 2000]
    assert summary_of(report)["issues"]["ROW_PAID_BEFORE"] == 2
    label.approve(digest_of(report), "60,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 1000, 2000, 2000, 3000]


def test_another_amount_to_the_same_person_is_no_reason_to_ask(label, service):
    label.payments(payment(ANA, "10,00"))
    label.run(yes=True)
    label.payments(payment(ANA, "10,01"))
    label.declare(period="2026-11")
    assert label.run(yes=True).exit_code == ExitCode.DONE
    assert service.paid == [1000, 1001]


def test_a_plan_that_was_rejected_is_not_sent_by_a_flag(label, service):
    label.payments(payment(ANA, "10,00"))
    digest = digest_of(label.run(yes=False))
    label.say("reject", digest, "--by", "ana", "--why", "look again", code=0)
    for _ in range(2):
        assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0
    label.approve(digest, "10,00", "bia")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000]


def test_a_conflict_is_told_with_its_row_and_what_to_say_about_it(label, service):
    label.payments(payment(ANA, "10,00"))
    label.run(yes=True)
    label.payments(payment(ANA, "12,00"))
    report = label.run(yes=True)
    (issue,) = [issue for issue in report.issues if issue.code == "ROW_CONFLICT"]
    assert (issue.file, issue.row) == ("payments.xlsx", 2)
    assert "repasse decide ob-" in str(issue.accepts)
    assert service.paid == [1000]


def test_a_refused_row_is_told_again_by_every_run_until_it_is_corrected_or_excused(label, service):
    label.payments(payment(ANA, "10,00"))
    refusal = '{"detail": [{"loc": ["body", "payments", 0, "name"], "msg": "no", "type": "value_error"}]}'
    service.plant("POST /split", "status", when="before", status=422, body=refusal)
    assert label.run(yes=True).exit_code == ExitCode.REFUSED
    held = label.run(yes=True)
    assert [issue.code for issue in held.issues] == ["REFUSED_BY_SERVICE"]
    assert held.issues[0].row == 2
    key = held_key(label)
    label.say("decide", key, "--pay", "--by", "ana", "--evidence", "the service was mended", code=0)
    assert label.run(yes=True).exit_code == ExitCode.DONE
    assert service.paid == [1000]


def held_key(label) -> str:
    from io_adapters.ledger.run_record import read_obligations

    with label.ledger() as ledger:
        run = ledger.runs.list(1)[0]
        return read_obligations(ledger, [run.run_id])[run.run_id][0].key


def test_an_account_that_could_not_be_checked_is_asked_about_again_and_told_with_its_row(label, service):
    label.payments(payment(ANA, "10,00"))
    label.declare(account_checks={"when": "new_or_changed", "fee": "0.35", "budget": "25.00"})
    service.plant("POST /validate/account", "status", when="before", status=500)
    report = label.run(yes=True)
    assert [(issue.code, issue.row) for issue in report.issues] == [("ACCOUNT_UNKNOWN", 2)]
    assert service.posts == 0
    assert label.run(yes=True).exit_code == ExitCode.DONE
    assert service.paid == [1000]


def test_a_file_given_for_a_layout_that_is_a_path_is_the_one_that_is_paid(label, service):
    layout = label.folder / "mine.yaml"
    layout.write_text(
        "layout: mine\ntitle: Mine\ntable: payments\nrequired: [tax_id, amount]\n"
        "columns: {name: [Nome], tax_id: [CPF], email: [E-mail], amount: [Valor], pix_key: [Chave Pix], "
        "pix_key_type: [Tipo da chave], reference: [Referência]}\n"
    )
    label.payments(payment(ANA, "10,00"))
    label.write("b.xlsx", [payment(BIA, "20,00")])
    label.write("c.xlsx", [payment(CAIO, "30,00")])
    sources = [{"files": "payments.xlsx", "layout": "mine.yaml"}, {"files": "b.xlsx", "layout": "payments"}]
    label.declare(sources=sources)
    label.run(yes=True, files=[f"mine.yaml={label.folder / 'c.xlsx'}"])
    assert service.paid == [2000, 3000]
