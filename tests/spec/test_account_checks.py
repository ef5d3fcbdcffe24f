"""Account checks: asked once, kept until they expire, and never paid to an account that is not known to be good."""

import pytest

from flows.payables.rules.account_checks import (
    AccountToCheck,
    Call,
    CheckResult,
    CheckVerdict,
    KnownOfAccounts,
    account_rows,
    accounts_to_ask,
    accounts_to_pay,
    check_cost_cents,
    check_fingerprint,
    count_checks,
    likely_good_first,
    mask_words,
    payees_with_warnings,
)
from flows.payables.rules.institutions import fault_of_bank
from flows.royalties.rules.balances import History
from schemas.issues import IssueCode, make_issue
from schemas.parsing.table import empty_table
from schemas.wire import AccountValidation, Institution
from tests.obligations import flat, obligation
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
    return Office().compute_payables(THREE).obligations


def asked_of(planned):
    return accounts_to_pay(planned, ownership=True)


def names(accounts):
    return [next(name for name, cpf in CPF.items() if cpf == account.obligation.payee.tax_id) for account in accounts]


def test_an_account_is_checked_once_however_many_payments_go_there(planned):
    assert names(asked_of(planned)) == ["ana", "bia"]
    request = asked_of(planned)[0].request
    assert (request.pixKey, request.pixKeyType, request.taxId) == ("ana@example.com", "email", CPF["ana"])
    assert request.validateOwnership is True


@pytest.mark.parametrize(("when", "asked"), [("never", []), ("new_or_changed", ["bia"]), ("always", ["ana", "bia"])])
def test_kept_answers_are_used_as_the_job_says(planned, when, asked):
    accounts = asked_of(planned)
    kept = {accounts[0].fingerprint: CheckVerdict(CheckResult.VALID)}
    assert names(accounts_to_ask(accounts, kept, when)) == asked


def test_a_kept_bad_answer_is_not_asked_again(planned):
    accounts = asked_of(planned)
    kept = {account.fingerprint: CheckVerdict(CheckResult.INVALID) for account in accounts}
    assert accounts_to_ask(accounts, kept, "new_or_changed") == []


@pytest.mark.parametrize("change", [{"destination": "elsewhere"}, {"account_holder": "Outra"}, {"tax_id": CPF["edu"]}])
def test_an_answer_is_of_one_account_one_holder_and_one_document(planned, change):
    first = planned[0]
    assert check_fingerprint(obligation(**flat(first) | change), ownership=True) != check_fingerprint(
        first, ownership=True
    )
    assert check_fingerprint(first, ownership=False) != check_fingerprint(first, ownership=True)


def test_a_check_costs_its_centavo_and_the_fee():
    assert check_cost_cents(35) == 36


ANSWERS = [
    (CheckResult.VALID, "planned", ""),
    (CheckResult.INVALID, "held", "ACCOUNT_INVALID"),
    (CheckResult.UNKNOWN, "held", "ACCOUNT_UNKNOWN"),
    (CheckResult.IN_FLIGHT, "held", "ACCOUNT_UNKNOWN"),
    (CheckResult.NOT_ASKED, "held", "ACCOUNT_UNKNOWN"),
    (CheckResult.OVER_BUDGET, "held", "ACCOUNT_BUDGET"),
]


@pytest.mark.parametrize(("answer", "place", "reason"), ANSWERS, ids=[answer.value for answer, *_ in ANSWERS])
def test_only_a_good_account_is_paid_and_the_others_do_not_suffer(planned, answer, place, reason):
    office = Office(verdicts={asked_of(planned)[0].fingerprint: CheckVerdict(answer)})
    assert same(
        office.compute_payables(THREE).obligations,
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


def test_royalties_whose_account_is_bad_are_held_after_recoupment_and_nothing_is_carried():
    office = Office(history=History({CPF["ana"]: 300, CPF["bia"]: 300}, {}))
    first = office.compute_payables(royalties()).obligations
    bad = next(
        account for account in accounts_to_pay(first, ownership=True) if account.obligation.payee.tax_id == CPF["ana"]
    )
    office.verdicts = {bad.fingerprint: CheckVerdict(CheckResult.INVALID, "closed")}
    payables = office.compute_payables(royalties())
    assert same(
        payables.obligations,
        """
        | payee | kind     | amount | place    | reason          |
        | ana   | royalty  | 49.00  | held     | ACCOUNT_INVALID |
        | bia   | royalty  | 49.00  | planned  |                 |
        | ana   | recouped | 4.00   | recouped | advance         |
        | bia   | recouped | 4.00   | recouped | advance         |
        """,
    )
    assert same(
        payables.balances,
        """
        | payee | earned | recouped | carried in | carried out | held  | payable |
        | ana   | 50.00  | 4.00     | 3.00       | 0.00        | 49.00 | 0.00    |
        | bia   | 50.00  | 4.00     | 3.00       | 0.00        | 0.00  | 49.00   |
        """,
    )


def test_an_account_that_turned_bad_after_a_payment_holds_the_difference_and_keeps_what_was_recouped():
    office = Office()
    office.send(royalties())
    paid = office.compute_payables(royalties("120.00")).obligations
    bad = next(
        account for account in accounts_to_pay(paid, ownership=True) if account.obligation.payee.tax_id == CPF["ana"]
    )
    office.verdicts = {bad.fingerprint: CheckVerdict(CheckResult.INVALID)}
    payables = office.compute_payables(royalties("120.00"))
    assert same(
        [owed for owed in payables.obligations if owed.payee.tax_id == CPF["ana"]],
        """
        | kind     | amount | place     | reason          |
        | royalty  | 46.00  | duplicate | claimed by rp-1 |
        | royalty  | 10.00  | held      | ACCOUNT_INVALID |
        | recouped | 4.00   | recouped  | advance         |
        """,
    )


def account(name, *, amount="10.00", key="k@example.com", payee="ana"):
    """One account to check."""
    cents = int(amount.replace(".", ""))
    request = AccountValidation(pixKey=key, pixKeyType="email", taxId=CPF[payee])
    owed = obligation(kind="payment", amount_cents=cents, place="planned", tax_id=CPF[payee], destination=f"to {name}")
    return AccountToCheck(name, owed, request)


@pytest.mark.parametrize(
    ("first", "then", "known"),
    [
        (account("z"), account("a", amount="99.00"), KnownOfAccounts(refused={"a"})),
        (account("z", payee="bia"), account("a", amount="99.00"), KnownOfAccounts(doubtful={CPF["ana"]})),
        (account("z"), account("a", amount="99.00"), KnownOfAccounts(paid={(CPF["ana"], "to z")})),
        (account("z", key=CPF["ana"]), account("a", amount="99.00"), KnownOfAccounts()),
        (account("z", amount="10.01"), account("a", amount="10.00"), KnownOfAccounts()),
        (account("a"), account("z"), KnownOfAccounts()),
    ],
    ids=["never refused", "no warning", "paid there before", "key is the own document", "larger", "by fingerprint"],
)
def test_likely_good_accounts_are_asked_about_first(first, then, known):
    assert likely_good_first([then, first], known) == likely_good_first([first, then], known) == [first, then]


def test_what_weighs_more_weighs_first():
    known = KnownOfAccounts(refused={"refused"}, doubtful={CPF["bia"]}, paid={(CPF["ana"], "to refused")})
    accounts = [account("refused", amount="99.00"), account("warned", payee="bia"), account("plain", amount="0.01")]
    assert [one.fingerprint for one in likely_good_first(accounts, known)] == ["plain", "warned", "refused"]


def test_a_warning_on_a_row_is_a_warning_on_its_payee(planned):
    source = next(owed.source for owed in planned if owed.payee.tax_id == CPF["bia"])
    place = {"file": source.file, "sheet": source.sheet or None, "row": source.row}
    no_payees = empty_table("payees")
    warning = make_issue(IssueCode.ACCOUNT_DIGIT, **place)
    assert payees_with_warnings(planned, no_payees, [warning]) == {CPF["bia"]}
    error = make_issue(IssueCode.ACCOUNT_FORMAT, **place)
    assert payees_with_warnings(planned, no_payees, [error]) == frozenset()


LISTED = {
    "60701190": Institution(ispb_number="60701190", compe_number="341", is_active=True),
    "00000000": Institution(ispb_number="00000000", compe_number="1", is_active=None),
    "11111111": Institution(ispb_number="11111111", compe_number=None, is_active=True),
    "22222222": Institution(ispb_number="22222222", compe_number="222", is_active=False),
}


@pytest.mark.parametrize(
    ("code", "ispb", "fault"),
    [
        ("341", "60701190", None),
        ("001", "00000000", None),
        ("999", "11111111", None),
        ("", "11111111", None),
        ("001", "60701190", IssueCode.BANK_MISMATCH),
        ("222", "22222222", IssueCode.BANK_INACTIVE),
        ("001", "22222222", IssueCode.BANK_INACTIVE),
        ("341", "99999999", IssueCode.BANK_UNKNOWN),
    ],
)
def test_the_list_of_institutions_speaks_against_a_bank(code, ispb, fault):
    assert fault_of_bank(code, ispb, LISTED) is fault


def test_every_call_has_a_row_and_the_costs_add_up():
    accounts = [account(name) for name in ("valid", "again", "kept", "late", "beyond", "stopped", "elsewhere")]
    verdicts = {
        "valid": CheckVerdict(CheckResult.VALID),
        "again": CheckVerdict(CheckResult.INVALID, "closed"),
        "kept": CheckVerdict(CheckResult.VALID),
        "late": CheckVerdict(CheckResult.UNKNOWN, "ReadTimeout"),
        "beyond": CheckVerdict(CheckResult.OVER_BUDGET),
        "stopped": CheckVerdict(CheckResult.NOT_ASKED),
        "elsewhere": CheckVerdict(CheckResult.IN_FLIGHT),
    }
    calls = [
        Call("valid", "valid", "", 36),
        Call("again", "unknown", "lost", 36),
        Call("again", "invalid", "closed", 36),
        Call("late", "unknown", "ReadTimeout", 36),
        Call("stopped", "unknown", "", 0),
        Call("not to be paid any more", "valid", "", 36),
    ]
    rows = account_rows(accounts, verdicts, {"kept"}, calls)
    assert sorted(row["result"] for row in rows) == [
        *("in_flight", "invalid", "not_asked", "over_budget", "unknown", "unknown", "valid", "valid", "valid"),
    ]
    assert sum(row["cost_cents"] for row in rows) == sum(call.cost_cents for call in calls)
    counts = count_checks(rows, 2500)
    assert (counts.made, counts.reused, counts.invalid, counts.unknown) == (5, 1, 1, 3)
    assert (counts.cost_cents, counts.budget_cents) == (5 * 36, 2500)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("conta inexistente", "conta inexistente"),
        ("chave ana@example.com de ANA SOUZA, CPF 123.456.789-09", "chave … de … CPF …"),
        ("agência 0001 encerrada", "agência … encerrada"),
    ],
)
def test_the_words_of_the_service_are_shown_without_what_they_say_of_a_person(said, shown):
    assert mask_words(said, ["Ana Maria de Souza"]) == shown
