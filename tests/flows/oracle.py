"""What the payout service received, told by the sandbox's control plane and never by our own ledger."""

from typing import Any

import httpx

from io_adapters.sandbox import EmbeddedSandbox

CREATE = "POST /split"
LIST = "GET /split"
CHECK = "POST /validate/account"
RATE = "POST /split/{split_id}/update_exchange_rate"


class Oracle:
    """A sandbox and its control plane."""

    def __init__(self, sandbox: EmbeddedSandbox) -> None:
        self.url = sandbox.url
        self.api_key = sandbox.api_key
        # A connection that is kept is closed by the server while tests do other things.
        unkept = httpx.Limits(max_keepalive_connections=0)
        self._control = httpx.Client(base_url=sandbox.control_url, timeout=60, limits=unkept)

    def close(self) -> None:
        self._control.close()

    def calls(self, endpoint: str) -> int:
        """How often an endpoint was called, whatever came of it."""
        return self._audit()["requests"].get(endpoint, 0)

    @property
    def posts(self) -> int:
        """How often somebody tried to create a report."""
        return self.calls(CREATE)

    @property
    def reports(self) -> list[dict[str, Any]]:
        """Every report there is."""
        return self._audit()["creates"]

    @property
    def paid(self) -> list[int]:
        """Centavos of every payment of every report, smallest first."""
        return sorted(entry["final_amount_cents"] for report in self.reports for entry in report["payments"])

    @property
    def paid_for(self) -> list[str]:
        """The obligation each payment is for."""
        return [name for report in self.reports for name in report["extPaymentIds"]]

    @property
    def rates(self) -> list[tuple[str, str]]:
        """Every exchange rate that was ever set: report and rate."""
        return [(update["split_id"], str(update["rate"])) for update in self._audit()["exchange_rates"]]

    def set_rate(self, rate: str) -> None:
        """Set the rate of the latest report, as a person does in the service."""
        currency = self.reports[-1]["currency"]
        path = f"{self.url}/split/{self.reports[-1]['split_id']}/update_exchange_rate"
        body = f'{{"currency": "{currency}", "rate": {rate}, "showExchangeData": true}}'
        headers = {"Authorization": self.api_key, "Content-Type": "application/json"}
        httpx.post(path, headers=headers, content=body, timeout=60).raise_for_status()

    def fund(self, **payment: object) -> int:
        """Pay for the latest report, as the payer's bank does; returns the status of the answer."""
        return self.fund_report(self.reports[-1]["reportId"], **payment)

    def fund_report(self, name: str, **payment: object) -> int:
        """Pay for a report of ours; returns the status of the answer."""
        split_id = next(report["split_id"] for report in self.reports if report["reportId"] == name)
        return self._control.post(f"/reports/{split_id}/fund", json=payment).status_code

    def give_back(self, key: str, amount: str, *, shown: bool = True) -> int:
        """Let a payment come back, as the payee's bank does, or less than nothing of it; the status of the answer."""
        split_id = next(report["split_id"] for report in self.reports if key in report["extPaymentIds"])
        body = {"extPaymentId": key, "amount": float(amount), "shows_in_report": shown}
        return self._control.post(f"/reports/{split_id}/return", json=body).status_code

    def statement(self, form: str = "ofx", **fault: str) -> str:
        """What the payer's bank writes of all this, perhaps with a fault."""
        return self._control.get(f"/statement.{form}", params=fault).raise_for_status().text

    @property
    def back(self) -> int:
        """Centavos of all payments that came back."""
        return sum(one["amount_cents"] for one in self._audit()["returns"])

    def given_back(self, key: str) -> int:
        """Centavos that came back of a payment."""
        return sum(one["amount_cents"] for one in self._audit()["returns"] if one["ext_payment_id"] == key)

    def held_by(self, root: str) -> int:
        """Centavos that the payee of a payment has by now, with all that was paid again of it."""
        paid = [entry for report in self.reports for entry in report["payments"]]
        back = self._audit()["returns"]
        sums = sum(one["final_amount_cents"] for one in paid if one["extPaymentId"].partition("/r")[0] == root)
        return sums - sum(one["amount_cents"] for one in back if one["ext_payment_id"].partition("/r")[0] == root)

    def funded_of(self, name: str) -> int:
        """Centavos that were paid for a report of ours."""
        split_id = next(report["split_id"] for report in self.reports if report["reportId"] == name)
        return sum(one["amount_cents"] for one in self._audit()["fundings"] if one["split_id"] == split_id)

    @property
    def funded_cents(self) -> list[int]:
        """Centavos of everything that was paid for reports, in order."""
        return [one["amount_cents"] for one in self._audit()["fundings"]]

    @property
    def awaits(self) -> list[str]:
        """What each report waits for by the service's own record: rate, money, time, fee or nothing."""
        return list(self.awaits_by_id.values())

    @property
    def awaits_by_id(self) -> dict[str, str]:
        """The same, by the service's id."""
        awaits: dict[str, str] = self._control.get("/awaits").raise_for_status().json()
        return awaits

    @property
    def checks_cost_cents(self) -> int:
        """What all account checks cost."""
        return self._audit()["account_checks_cost_cents"]

    @property
    def checks(self) -> int:
        """How many account checks were made and charged."""
        return len(self._audit()["account_checks"])

    @property
    def webhook_urls(self) -> list[str]:
        """Every URL that was registered, in order."""
        return [webhook["webhook_url"] for webhook in self._audit()["webhooks"]]

    @property
    def qr_codes(self) -> list[int]:
        """Centavos of every QR code that was made, in order."""
        return [one["amount_cents"] for one in self._audit()["qr_codes"]]

    def plant(self, endpoint: str, kind: str, **fields: object) -> None:
        self._control.post("/faults", json={"endpoint": endpoint, "kind": kind, **fields}).raise_for_status()

    def clear(self) -> None:
        self._control.delete("/faults").raise_for_status()

    def behave(self, **changes: object) -> None:
        self._control.post("/settings", json=changes).raise_for_status()

    def force(self, **fields: object) -> None:
        """Force what the service says of its latest report."""
        self.force_one(self.reports[-1]["split_id"], **fields)

    def force_one(self, split_id: str, **fields: object) -> None:
        """Force what the service says of one report."""
        self._control.post(f"/reports/{split_id}", json=fields).raise_for_status()

    def _audit(self) -> dict[str, Any]:
        audit: dict[str, Any] = self._control.get("/audit").raise_for_status().json()
        return audit
