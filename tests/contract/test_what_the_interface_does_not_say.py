"""Whether a service is as it is assumed to be: the sandbox here, staging where REPASSE_CONTRACT_URL names it.

Free questions come first. What costs centavos, and leaves reports behind, is asked of a named service only where
REPASSE_CONTRACT_PARTIES is a JSON file with `payer` (its tax id), `entry` (a payment of 0.01 as POST /split takes it,
without `extPaymentId`) and `account` (a body of POST /validate/account for an own account, its digit after a hyphen).
What could only be found out by leaving something behind for good is not asked: see the texts of `Assumptions`.
"""

import json
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.sandbox import SandboxSettings
from tests.flows.jobs import PAYER, people
from tests.sandboxes import opened_sandbox

ENVIRONMENT = dict(os.environ)
URL, PARTIES = (ENVIRONMENT.get(f"REPASSE_CONTRACT_{name}", "") for name in ("URL", "PARTIES"))
(ANA,) = people(1)
OWN_PIX = {"pixKey": ANA.destination.pix_key, "pixKeyType": "email"}
OWN = {
    "payer": PAYER,
    "entry": {"taxId": ANA.tax_id, "name": ANA.name, "email": ANA.email, "bankAccount": {"name": ANA.name, **OWN_PIX}},
    "account": {
        "name": ANA.name, "taxId": ANA.tax_id, "pspId": "00000000", "bankCode": "001", "agency": "1234",
        "account": "12345-6", "accountType": "checking_account",
    },
}  # fmt: skip
INSTITUTIONS = "/pix/financial_institutions"
AS_ASSUMED = Assumptions(listed_within_s=1)


@dataclass(frozen=True)
class Asked:
    """A service, what is assumed of it, and whom centavos may go from and to."""

    http: httpx.Client
    assumed: Assumptions
    parties: dict

    def institutions(self, **query: object) -> dict:
        named = {getattr(self.assumed, f"institutions_{name}"): str(value) for name, value in query.items()}
        return self.http.get(INSTITUTIONS, params=named).raise_for_status().json()

    def create(self, report_id: str, amount: str = "0.01") -> httpx.Response:
        entry = {**self.parties["entry"], "amount": 0.01, "finalAmount": 0.01, "extPaymentId": report_id}
        today = time.strftime("%Y-%m-%d")
        report = {"taxId": self.parties["payer"], "amount": float(amount), "dateStart": today, "dateEnd": today}
        report |= {"reportId": report_id, "paymentBatchName": f"Contract [{report_id}]", "payments": [entry]}
        return self.http.post("/split", json=report)


def of_institutions(asked: Asked) -> None:
    first = asked.institutions()
    name = next(row["name"] for row in first["data"] if row["name"])
    found = asked.institutions(name=name)
    assert found["pagination"]["total_rows"] < first["pagination"]["total_rows"], "institutions_name"
    assert all(name.casefold() in row["name"].casefold() for row in found["data"]), "institutions_name"
    assert asked.institutions(min_start_date="2999-12-31")["data"] == [], "institutions_min_start_date"
    assert asked.institutions(max_start_date="1980-01-01")["data"] == [], "institutions_max_start_date"
    seven = asked.institutions(page_size=7)
    assert len(seven["data"]) == 7, "institutions_page_size"
    assert asked.institutions(page_size=7, page=2)["data"] != seven["data"], "institutions_page"
    rows = asked.assumed.institutions_rows
    assert asked.institutions(page_size=rows)["pagination"]["rows_per_page"] == rows, "institutions_rows"


def of_things_that_are_not_there(asked: Asked) -> None:
    nobody = {"contact_id": "repasse-nobody"}
    deleted = asked.http.request("DELETE", "/contacts", json=nobody).status_code
    assert deleted in asked.assumed.missing_statuses, "missing_statuses"
    named = {asked.assumed.favorite_account: "repasse-nobody"}
    marked = asked.http.post("/contacts/accounts_favorite", params=named).status_code
    assert marked in asked.assumed.missing_statuses, "favorite_account"


def of_a_report_of_a_centavo(asked: Asked) -> None:
    report_id = f"repasse-contract-{secrets.token_hex(8)}"  # unlike a name of ours: no ledger takes it for its own
    answer = asked.create(report_id)
    assert answer.status_code in asked.assumed.create_statuses, "create_statuses"
    report, until = answer.json(), time.monotonic() + asked.assumed.listed_within_s
    assert (report["reportId"] == report_id) == asked.assumed.report_id_echoed, "report_id_echoed"
    taken = asked.assumed.id_for_get(split_id=report["_id"], report_id=report_id)
    got = asked.http.get(f"/split/{taken}/get")
    assert got.is_success, "get_takes"
    assert got.json()["_id"] == report["_id"], "get_takes"
    while report["_id"] not in {listed["_id"] for listed in asked.http.get("/split").json()}:
        assert time.monotonic() < until, "listed_within_s"
        time.sleep(0.2)
    again = asked.create(report_id).status_code
    assert (again in {409, 422}) == asked.assumed.report_id_unique, "report_id_unique"


def of_sums(asked: Asked) -> None:
    refused = asked.create(f"repasse-contract-{secrets.token_hex(8)}", amount="0.02").status_code == 422
    assert refused == asked.assumed.payments_and_owner_make_amount, "payments_and_owner_make_amount"


def of_an_own_account(asked: Asked) -> None:
    account = dict(asked.parties["account"])
    if asked.assumed.account_check_digit == "glued":
        account["account"] = account["account"].replace("-", "")
    if not asked.assumed.psp_id_is_ispb:
        account["pspId"] = account["bankCode"]
    assert asked.http.post("/validate/account", json=account).json()["valid"], "psp_id_is_ispb, account_check_digit"


FREE = (of_institutions, of_things_that_are_not_there)
WITH_CENTAVOS = (of_a_report_of_a_centavo, of_sums, of_an_own_account)


@pytest.fixture
def ask():
    """Ask a service something: the one that the environment names, or a sandbox that behaves so."""

    def start(
        question: Callable[[Asked], None],
        settings: SandboxSettings | None = None,
        assumed: Assumptions = AS_ASSUMED,
    ) -> None:
        if URL and settings is None:
            parties = json.loads(Path(PARTIES).read_text(encoding="utf-8")) if PARTIES else {}
            headers = {"Authorization": ENVIRONMENT["REPASSE_CONTRACT_KEY"]}
            with httpx.Client(base_url=URL, headers=headers, timeout=60) as http:
                question(Asked(http, Assumptions.from_environment(ENVIRONMENT), parties))
            return
        with (
            opened_sandbox(settings or SandboxSettings(done_after_s=0)) as sandbox,
            httpx.Client(base_url=sandbox.url, headers={"Authorization": sandbox.api_key}, timeout=60) as http,
        ):
            question(Asked(http, assumed, OWN))

    return start


@pytest.mark.parametrize("question", FREE)
def test_a_service_is_as_it_is_assumed_to_be(ask, question):
    ask(question)


@pytest.mark.skipif(bool(URL) and not PARTIES, reason="REPASSE_CONTRACT_PARTIES names nobody to pay centavos to")
@pytest.mark.parametrize("question", WITH_CENTAVOS)
def test_a_service_is_as_it_is_assumed_to_be_for_a_few_centavos(ask, question):
    ask(question)


@pytest.mark.parametrize(
    ("question", "behaviour", "assumed", "assumption"),
    [
        (of_institutions, {"known_fields_only": False}, {"institutions_name": "search"}, "institutions_name"),
        (of_institutions, {"known_fields_only": False}, {"institutions_page": "page"}, "institutions_page"),
        (of_institutions, {}, {"institutions_rows": 501}, "422"),
        (of_things_that_are_not_there, {}, {"missing_statuses": {410}}, "missing_statuses"),
        (of_things_that_are_not_there, {}, {"favorite_account": "account"}, "favorite_account"),
        (of_a_report_of_a_centavo, {}, {"create_statuses": {201}}, "create_statuses"),
        (of_a_report_of_a_centavo, {}, {"get_takes": "reportId"}, "get_takes"),
        (of_a_report_of_a_centavo, {"echo_report_id": False}, {}, "report_id_echoed"),
        (of_a_report_of_a_centavo, {"unique_report_id": True}, {}, "report_id_unique"),
        (of_a_report_of_a_centavo, {"listing_delay_s": 3600}, {}, "listed_within_s"),
        (of_sums, {"sums_must_match": False}, {}, "payments_and_owner_make_amount"),
        (of_an_own_account, {"invalid_accounts": {"123456"}}, {}, "account_check_digit"),
    ],
)
def test_a_service_that_is_otherwise_is_noticed(ask, question, behaviour, assumed, assumption):
    with pytest.raises((AssertionError, httpx.HTTPStatusError), match=assumption):
        ask(question, SandboxSettings(done_after_s=0, **behaviour), Assumptions(**{"listed_within_s": 1} | assumed))
