"""Account checks: asked once, kept until they expire, and never paid to an account that is not known to be good."""

import pytest

from flows.steps.account_checks import (
    CheckResult,
    Verdict,
    accounts_to_ask,
    accounts_to_pay,
    check_cost_cents,
    check_fingerprint,
)
from flows.steps.accrue import History
from schemas.tables.frames import records
from tests.spec.office import Office, inputs, statement
from tests.spec.tables import CPF, advances, lines, payees, payments, same, shares

THREE = inputs(
    payments=payments(
        """
        | payee | reference | amount |
        | ana   | show      | 10.00  |
        | ana   | disco     | 20.00  |
        | bia   |           | 30.00  |
        """
    )
)


@pytest.fixture(scope="module")
def planned():
    return Office().work_out(THREE).obligations


def asked_of(planned):
    return accounts_to_pay(planned, ownership=True)


def names(accounts):
    return [next(name for name, cpf in CPF.items() if cpf == account.payee) for account in accounts]


def test_an_account_is_checked_once_however_many_payments_go_there(planned):
    assert names(asked_of(planned)) == ["ana", "bia"]
    request = asked_of(planned)[0].request
    assert (request.pixKey, request.pixKeyType, request.taxId) == ("ana@example.com", "email", CPF["ana"])
    assert request.validateOwnership is True


@pytest.mark.parametrize(("when", "asked"), [("never", []), ("new_or_changed", ["bia"]), ("always", ["ana", "bia"])])
def test_kept_answers_are_used_as_the_job_says(planned, when, asked):
    accounts = asked_of(planned)
    kept = {accounts[0].fingerprint: Verdict(CheckResult.VALID)}
    assert names(accounts_to_ask(accounts, kept, when)) == asked


def test_a_kept_bad_answer_is_not_asked_again(planned):
    accounts = asked_of(planned)
    kept = {account.fingerprint: Verdict(CheckResult.INVALID) for account in accounts}
    assert accounts_to_ask(accounts, kept, "new_or_changed") == []


@pytest.mark.parametrize("change", [{"destination": "elsewhere"}, {"account_holder": "Outra"}, {"tax_id": CPF["edu"]}])
def test_an_answer_is_of_one_account_one_holder_and_one_document(planned, change):
    row = records(planned)[0]
    assert check_fingerprint(row | change, ownership=True) != check_fingerprint(row, ownership=True)
    assert check_fingerprint(row, ownership=False) != check_fingerprint(row, ownership=True)


def test_a_check_costs_its_centavo_and_the_fee():
    assert check_cost_cents(35) == 36


ANSWERS = [
    (CheckResult.VALID, "planned", ""),
    (CheckResult.INVALID, "held", "ACCOUNT_INVALID"),
    (CheckResult.UNKNOWN, "held", "ACCOUNT_UNKNOWN"),
    (CheckResult.IN_FLIGHT, "held", "ACCOUNT_UNKNOWN"),
    (CheckResult.OVER_BUDGET, "held", "ACCOUNT_BUDGET"),
]


@pytest.mark.parametrize(("answer", "place", "reason"), ANSWERS, ids=[answer.value for answer, *_ in ANSWERS])
def test_only_a_good_account_is_paid_and_the_others_do_not_suffer(planned, answer, place, reason):
    office = Office(verdicts={asked_of(planned)[0].fingerprint: Verdict(answer)})
    assert same(
        office.work_out(THREE).obligations,
        f"""
        | payee | reference | amount | place   | reason   |
        | ana   | show      | 10.00  | {place} | {reason} |
        | ana   | disco     | 20.00  | {place} | {reason} |
        | bia   |           | 30.00  | planned |          |
        """,
    )


def royalties(amount="100.00"):
    return inputs(
        [statement(lines(f"| recording | amount |\n| samba | {amount} |"))],
        payees=payees("ana", "bia"),
        shares=shares("| payee | share |\n| ana | 50 |\n| bia | 50 |"),
        advances=advances("| payee | reference | amount |\n| ana | disco | 4.00 |\n| bia | disco | 4.00 |"),
    )


def test_royalties_whose_account_is_bad_are_held_whole_with_no_recoupment_and_no_carry():
    office = Office(history=History({CPF["ana"]: 300, CPF["bia"]: 300}, {}))
    first = office.work_out(royalties()).obligations
    bad = next(account for account in accounts_to_pay(first, ownership=True) if account.payee == CPF["ana"])
    office.verdicts = {bad.fingerprint: Verdict(CheckResult.INVALID, "closed")}
    worked = office.work_out(royalties())
    assert same(
        worked.obligations,
        """
        | payee | kind     | amount | place    | reason          |
        | ana   | royalty  | 53.00  | held     | ACCOUNT_INVALID |
        | bia   | royalty  | 49.00  | planned  |                 |
        | bia   | recouped | 4.00   | recouped | advance         |
        """,
    )
    assert [posting.payee for posting in worked.postings] == [CPF["bia"]]
    assert same(
        worked.balances,
        """
        | payee | earned | recouped | carried in | carried out | held  | payable |
        | ana   | 50.00  | 0.00     | 3.00       | 0.00        | 53.00 | 0.00    |
        | bia   | 50.00  | 4.00     | 3.00       | 0.00        | 0.00  | 49.00   |
        """,
    )


def test_an_account_that_turned_bad_after_a_payment_holds_the_difference_and_keeps_what_was_recouped():
    office = Office()
    office.send(royalties())
    paid = office.work_out(royalties("120.00")).obligations
    bad = next(account for account in accounts_to_pay(paid, ownership=True) if account.payee == CPF["ana"])
    office.verdicts = {bad.fingerprint: Verdict(CheckResult.INVALID)}
    worked = office.work_out(royalties("120.00"))
    assert same(
        worked.obligations[worked.obligations["tax_id"] == CPF["ana"]],
        """
        | kind     | amount | place     | reason          |
        | royalty  | 46.00  | duplicate | claimed by rp-1 |
        | royalty  | 10.00  | held      | ACCOUNT_INVALID |
        | recouped | 4.00   | recouped  | advance         |
        """,
    )
