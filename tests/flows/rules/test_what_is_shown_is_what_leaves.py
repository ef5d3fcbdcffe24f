"""What a plan shows is made of the entries that would be sent: whichever field of one changes, the plan shows it.

Varied here: every field of an entry, one at a time, and of an account; who looks: the list of payments, which page and
workbook show, and the terminal's largest; both languages.
"""

import datetime as dt
import io
from dataclasses import fields, replace
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from flows.payables.rules.plan_batches import plan_batches, sent_fields
from flows.payables.rules.plan_review import destinations_of_plan, rows_of
from io_adapters.outputs.grid import field_text
from io_adapters.outputs.plan_grids import plan_grids, plan_xlsx, planned_grid
from schemas.job import Period
from schemas.messages import catalogue_in
from schemas.obligation import Obligation, Payee
from schemas.plan import JobIdentity, Place
from schemas.plan_view import PlanView
from schemas.values.bank_account import BankAccount, PixKey
from schemas.wire import BankAccountData, PaymentEntry
from tests.io_adapters.outputs.test_plan_grids import view

PERIOD = Period("2026-10", dt.date(2026, 10, 1), dt.date(2026, 10, 31))
IDENTITY = JobIdentity("aurora", "12ABC34501DE35", "2026-10", "BRL")
BANK = BankAccount("341", "60701190", "0001", "12345-7", "checking_account")
ANA = Payee("52998224725", "Ana Exemplo", email="ana@example.com")
ONE = Obligation(
    kind="payment", amount_cents=1000, place=Place.PLANNED, payee=ANA, account=BANK, key="ob-1", base_key="ob-1",
    account_holder="Rui Exemplo",
)  # fmt: skip

# How each field of an entry comes to be another one: by what is owed, by whom, or by what the payment is made of.
CHANGES: dict[str, dict[str, Any]] = {
    "taxId": {"payee": {"tax_id": "11144477735"}},
    "name": {"payee": {"name": "Ana de Exemplo"}},
    "email": {"payee": {"email": "bia@example.org"}},
    "amount": {"deducted_cents": 100},
    "finalAmount": {"amount_cents": 1001},
    "artistName": {"payee": {"artist_name": "Ana E."}},
    "percentage": {"percentage": "12.5"},
    "contactId": {"payee": {"contact_id": "64f0"}},
    "bankAccount": {"account": PixKey("ana@example.com", "email")},
    "anticipationId": {"anticipation_id": "an-1"},
    "parentId": {"payee": {"parent_id": "p-1"}},
    "parentName": {"payee": {"parent_name": "Editora"}},
    "originalTaxId": {"payee": {"original_tax_id": "11144477735"}},
    "originalName": {"payee": {"original_name": "Ana Antiga"}},
    "advance": {"advance": True},
    "isWithhold": {"withhold": True},
    "extPaymentId": {"key": "ob-2"},
    "products": {"arrays": {"products": [{"isrc": "BRABC2600001"}]}},
    "platforms": {"arrays": {"platforms": [{"name": "Spotify"}]}},
    "details": {"arrays": {"details": [{"territory": "BR"}]}},
}
ACCOUNTS: dict[str, Any] = {
    "name": {"account_holder": "Eva Exemplo"},
    "bankCode": {"account": replace(BANK, bank_code="237")},
    "pspId": {"account": replace(BANK, psp_id="60746948")},
    "agency": {"account": replace(BANK, agency="0002")},
    "account": {"account": replace(BANK, account="12345-8")},
    "accountType": {"account": replace(BANK, account_type="saving_account")},
    "pixKeyType": {"account": PixKey("52998224725", "cpf")},
    "pixKey": {"account": PixKey("ana@example.com", "email")},
}
NEVER_SENT = {"pixDescription"}
STAYS = {
    "kind",
    "place",
    "reasons",
    "base_key",
    "reference",
    "recurring",
    "destination",
    "submission_id",
    "run_id",
    "source",
}


def changed(payee: dict[str, str] | None = None, arrays: dict[str, Any] | None = None, **own: Any) -> PlanView:
    """The plan of one payment, some of it as given."""
    obligation = replace(ONE, payee=replace(ANA, **(payee or {})), **own)
    plan = plan_batches([obligation], IDENTITY, PERIOD, max_payments=10, arrays={obligation.key: arrays or {}})
    destinations = destinations_of_plan([obligation], {}, {})
    planned, _ = rows_of([obligation], (), {}, {}, destinations, sent_fields(plan))
    return view(digest=None, planned=planned, changes=view().changes, notices=())


def shown(plan: PlanView, language: str) -> tuple[object, ...]:
    """The payment as each place shows it: page, terminal, workbook."""
    labels = catalogue_in(language)
    grids = [planned_grid(plan.planned, labels, first_ever=False), plan_grids(plan, labels).largest.without_details()]
    texts = [[[column.header for column in grid.columns], *written(grid.rows, language)] for grid in grids]
    book = CalamineWorkbook.from_filelike(io.BytesIO(plan_xlsx(plan)))
    return *texts, book.get_sheet_by_name(book.sheet_names[-1]).to_python()


def written(rows, language):
    return [[field_text(field, language) for field in row] for row in rows]


def test_each_field_of_an_entry_and_of_an_account_is_looked_at():
    assert set(CHANGES) == set(PaymentEntry.model_fields)
    assert {*ACCOUNTS, *NEVER_SENT} == set(BankAccountData.model_fields)


@pytest.mark.parametrize("language", ["pt-BR", "en"])
@pytest.mark.parametrize(
    "change", [*CHANGES.values(), *ACCOUNTS.values()], ids=[*CHANGES, *(f"{n} of account" for n in ACCOUNTS)]
)
def test_whatever_changes_of_what_would_be_sent_changes_what_is_shown(change, language):
    before, after = shown(changed(), language), shown(changed(**change), language)
    page, terminal, workbook = (old != new for old, new in zip(before, after, strict=True))
    assert (page, workbook) == (True, True)
    # The obligation's key is ours: the terminal has no room for it.
    assert terminal or set(change) == {"key"}


def test_what_is_personal_of_it_is_masked():
    plan = changed(payee={"original_tax_id": "11144477735"}, withhold=True)
    text = repr(shown(plan, "pt-BR"))
    assert not [secret for secret in ("ana@example.com", "11144477735", "52998224725", "12345") if secret in text]
    assert "Reter no serviço" in text


def test_what_stays_here_is_said_to_stay_here():
    labels = catalogue_in("pt-BR")
    rows = changed(reference="Nota 17").planned
    assert planned_grid(rows, labels, first_ever=False).notes == [labels("output.plan.reference_stays")]
    assert not planned_grid(changed().planned, labels, first_ever=False).notes


def test_nothing_that_an_obligation_has_is_sent_unseen():
    """Every field of an obligation and a payee either leaves, and is above, or is named here as staying."""
    names = {field.name for field in fields(Obligation)}
    moved = {name for change in (*CHANGES.values(), *ACCOUNTS.values()) for name in change} - {"arrays"}
    assert names - moved == STAYS
