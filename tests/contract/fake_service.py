"""A small payout service in memory, written from the interface alone.

Where the interface is silent it does something else than the sandbox: it counts pages from 0, answers a deletion with
nothing, creates with 201, hands a contact back that exists already, and adds fields nobody has heard of.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any, Final

import httpx

from schemas.values.brcode import crc16
from schemas.wire import canonical_json, parse_json
from tests.contract import fake_answers as answers

KEY: Final = "contract-key"
PREFIX: Final = "/external"
Body = dict[str, Any]


class _Refusal(Exception):
    def __init__(self, status: int, *places: tuple[str, ...]) -> None:
        self.status = status
        self.detail = [{"loc": ["body", *place], "msg": "Field required", "type": "missing"} for place in places]


class FakeService:
    """Answers requests; `effects` counts what really happened, by kind."""

    def __init__(self) -> None:
        self.effects: Counter[str] = Counter()
        self.invalid: set[str] = set()
        self.contacts: dict[str, Body] = {}
        self.reports: dict[str, Body] = {}
        self._ids = map("{:024x}".format, count(1))

    def handle(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        if request.headers.get("authorization") != KEY:
            return _answer(401, {"detail": "Not authenticated"})
        path = request.url.path.removeprefix(PREFIX)
        for (method, pattern), act in self._routes().items():
            found = re.fullmatch(pattern, path)
            if method == request.method and found:
                try:
                    body = parse_json(request.content) if request.content else {}
                    return act(*found.groups(), body | dict(request.url.params))
                except _Refusal as refusal:
                    return _answer(refusal.status, {"detail": refusal.detail or "Not here"})
        return _answer(405, {"detail": "Method not allowed"})

    def _routes(self) -> dict[tuple[str, str], Callable[..., httpx.Response]]:
        return {
            ("POST", "/contacts"): self._create_contact,
            ("PUT", "/contacts"): self._change_email,
            ("DELETE", "/contacts"): self._delete_contact,
            ("DELETE", "/contacts/accounts"): self._delete_account,
            ("POST", "/contacts/accounts_favorite"): self._favorite,
            ("GET", "/pix/financial_institutions"): self._institutions,
            ("POST", "/create_pix_qrcode"): self._qr_code,
            ("POST", "/validate/account"): self._validate,
            ("POST", "/split"): self._create_report,
            ("GET", "/split"): self._list,
            ("GET", "/split/([^/]+)/get"): self._get,
            ("POST", "/split/([^/]+)/update_exchange_rate"): self._set_rate,
            ("POST", "/webhooks"): self._register,
        }

    def give_account(self, contact_id: str) -> str:
        """Give a contact an account, and return its id; no endpoint does."""
        contact = self.contacts[contact_id]
        account = answers.account(next(self._ids), contact_id, contact["tax_id"])
        contact["accounts"].append(account)
        contact["has_bank_account"] = True
        return str(account["id"])

    def _create_contact(self, body: Body) -> httpx.Response:
        _need(body, "name", "tax_id", "email")
        known = [contact for contact in self.contacts.values() if contact["tax_id"] == body["tax_id"]]
        if not known:
            self.effects["contacts"] += 1
            id_ = next(self._ids)
            known = [answers.contact(id_, body)]
            self.contacts[id_] = known[0]
        return _answer(201, known[0])

    def _change_email(self, body: Body) -> httpx.Response:
        _need(body, "email")
        contact = self._contact(body)
        self.effects["contacts"] += 1
        contact["email"] = body["email"]
        return _answer(200, contact)

    def _delete_contact(self, body: Body) -> httpx.Response:
        contact = self._contact(body)
        self.effects["contacts"] += 1
        del self.contacts[contact["id"]]
        return httpx.Response(204)

    def _contact(self, body: Body) -> Body:
        named = {name: body[name] for name in ("tax_id", "contact_id") if body.get(name)}
        if not named:
            raise _Refusal(422, ())
        for contact in self.contacts.values():
            if named.items() <= {"tax_id": contact["tax_id"], "contact_id": contact["id"]}.items():
                return contact
        raise _Refusal(404)

    def _account(self, body: Body) -> tuple[Body, Body]:
        _need(body, "account_id")
        for contact in self.contacts.values():
            for account in contact["accounts"]:
                if account["id"] == body["account_id"]:
                    return contact, account
        raise _Refusal(404)

    def _delete_account(self, body: Body) -> httpx.Response:
        contact, account = self._account(body)
        self.effects["contacts"] += 1
        contact["accounts"].remove(account)
        return httpx.Response(204)

    def _favorite(self, query: Body) -> httpx.Response:
        contact, account = self._account(query)
        self.effects["contacts"] += 1
        for one in contact["accounts"]:
            one["is_favorite"] = one is account
        return _answer(200, account)

    def _institutions(self, query: Body) -> httpx.Response:
        earliest, latest = query.get("min_str_start_date", ""), query.get("max_str_start_date", "9")
        found = [
            institution
            for institution in answers.INSTITUTIONS
            if query.get("name", "").lower() in institution["name"].lower()
            and earliest <= institution["str_start_date"] <= latest
        ]
        size, page = int(query.get("page_size", 10)), int(query.get("page_number", 0))
        pages = -(-len(found) // size)
        told = {"current_page": page, "rows_per_page": size, "total_pages": pages, "total_rows": len(found)}
        shown = found[page * size : (page + 1) * size]
        return _answer(200, {"data": shown, "pagination": told | {"next_page": page + 1 if page + 1 < pages else None}})

    def _qr_code(self, body: Body) -> httpx.Response:
        self.effects["qr_codes"] += 1
        key = body["pix_key"]
        amount = format(body["amount"], "f")
        pix = f"0014br.gov.bcb.pix01{len(key):02}{key}"
        text = f"00020126{len(pix):02}{pix}52040000530398654{len(amount):02}{amount}5802BR5904FAKE6008SAOPAULO6304"
        return _answer(200, answers.qr_code(body, text + crc16(text)))

    def _validate(self, body: Body) -> httpx.Response:
        account = ("agency", "pspId", "accountType", "name", "bankCode")
        _need(body, *(["pixKeyType"] if body.get("pixKey") else ["account", *account]))
        if body.get("validateOwnership", True):
            _need(body, "taxId")
        self.effects["account_checks"] += 1
        valid = not self.invalid & {body.get("pixKey"), body.get("account")}
        return _answer(200, {"valid": valid, "message": "fine" if valid else "no such account"})

    def _create_report(self, body: Body) -> httpx.Response:
        _need(body, "taxId", "amount", "dateStart", "dateEnd", "payments")
        self.effects["creates"] += 1
        id_ = next(self._ids)
        self.reports[id_] = answers.report(id_, body)
        return _answer(201, self.reports[id_])

    def _list(self, query: Body) -> httpx.Response:
        return _answer(
            200, [report for report in self.reports.values() if query.get("status") in {None, report["status"]}]
        )

    def _get(self, split_id: str, _body: Body) -> httpx.Response:
        if split_id not in self.reports:
            raise _Refusal(404)
        return _answer(200, self.reports[split_id])

    def _set_rate(self, split_id: str, body: Body) -> httpx.Response:
        self._get(split_id, body)
        if body.get("rate", Decimal(0)) <= 0:
            raise _Refusal(422, ("rate",))
        self.effects["exchange_rates"] += 1
        told = {"exchangeRate": body["rate"], "showExchangeData": body["showExchangeData"]}
        self.reports[split_id] |= told | {"exchangeOrderId": body.get("orderId")}
        return _answer(200, self.reports[split_id])

    def _register(self, body: Body) -> httpx.Response:
        _need(body, "webhook_url")
        self.effects["webhooks"] += 1
        return _answer(201, answers.webhook(next(self._ids), body))


def _need(body: Body, *names: str) -> None:
    missing = [(name,) for name in names if body.get(name) in (None, "")] if body else [()]
    if missing:
        raise _Refusal(422, *missing)


def _answer(status: int, document: Any) -> httpx.Response:
    if isinstance(document, dict) and status < 300:
        document = document | {"x_unheard_of": [1, {"y": None}]}
    content = canonical_json(document) if status < 300 else json.dumps(document).encode()
    return httpx.Response(status, content=content, headers={"Content-Type": "application/json"})
