"""The payout service's HTTP client. `SplitApi.create_report` is the one place that can POST /split."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, get_args

import httpx
from pydantic import SecretStr

from io_adapters.split_api.account_check import CheckAnswer, broken_rules, read_check_reply
from io_adapters.split_api.assumptions import Assumptions
from io_adapters.split_api.connections import Connections, path_part
from io_adapters.split_api.exchange import Reply, exchange
from io_adapters.split_api.listing import TRIES, ReportNotFound, fetch, union
from io_adapters.split_api.outcome import Answer, classify_exception, classify_reply, classify_update
from schemas.errors import NotSent
from schemas.wire import AccountValidation, ReportStatus, SplitReport, body_of, canonical_json

MAX_REPLY_BYTES: Final = 4_000_000
LISTING_TIME: Final = 10  # a listing may be long: it has so many times the time of one answer


class SplitApi:
    """The payout service, as the rest of Repasse sees it.

    GETs share connections and are tried again; each POST has a connection of its own and is tried once. Nothing is
    redirected, no proxy or `.netrc` of the environment is used, and certificates are always verified.
    """

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr,
        *,
        timeout_s: float,
        assumptions: Assumptions,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare the client; nothing is sent yet.

        Args:
            base_url: Address of the service, http or https, up to and with its fixed prefix.
            api_key: Sent as it is in the header Authorization; kept out of every text.
            timeout_s: For one whole answer, from connecting to its last byte.
            assumptions: What the interface does not say.
            transport: Carries the requests; None for the network.
            pause: Waits between the tries of a GET.

        Raises:
            ConfigurationError: an address or key that cannot be used.
        """
        self._timeout_s = timeout_s
        self._assumptions = assumptions
        self._pause = pause
        self._connections = Connections(base_url, api_key, transport)
        self._reader = self._connections.open(timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give up the shared connections."""
        self._reader.close()

    def list_reports(self, status: ReportStatus | None = None) -> tuple[SplitReport, ...]:
        """List the reports, all or of one status, in the service's order.

        Raises:
            NotSent: the listing failed, was cut, or is not a list of objects: no information.
        """
        data = fetch(
            self._reader,
            "/split",
            {"status": status} if status else None,
            deadline_s=LISTING_TIME * self._timeout_s,
            pause=self._pause,
        )
        if not isinstance(data, list) or not all(isinstance(element, dict) for element in data):
            raise NotSent("the payout service's listing is not a list of reports")
        return tuple(map(SplitReport.model_validate, data))

    def list_all_reports(self) -> tuple[SplitReport, ...]:
        """List without a filter and by each status, united by `_id`: either way alone may leave reports out.

        Raises:
            NotSent: any one of the listings failed.
        """
        return union(self.list_reports(status) for status in (None, *get_args(ReportStatus)))

    def get_report(self, split_id: str) -> SplitReport:
        """Fetch one report.

        Args:
            split_id: The id that `Assumptions.id_for_get` names.

        Raises:
            ValueError: the id is empty, or dots alone.
            ReportNotFound: the service answers 404.
            NotSent: no answer, or one about another report.
        """
        path = f"/split/{path_part(split_id)}/get"
        data = fetch(self._reader, path, deadline_s=TRIES * self._timeout_s, pause=self._pause)
        if not isinstance(data, dict):
            raise NotSent("the payout service's answer is not a report")
        report = SplitReport.model_validate(data)
        if self._told(report) not in {None, split_id}:
            raise NotSent("the payout service answered about another report than the one asked for")
        return report

    def find_report(self, split_id: str) -> SplitReport | None:
        """Fetch one report as `get_report` does; None when the service answers 404."""
        try:
            return self.get_report(split_id)
        except ReportNotFound:
            return None

    def create_report(
        self,
        body: bytes,
        *,
        report_id: str,
        was_in_doubt: bool,
        deadline_s: float,
        before_connect: Callable[[], None],
    ) -> Answer:
        """POST /split: once, over a fresh connection, exactly these bytes. This moves money.

        Args:
            body: What is sent, byte for byte.
            report_id: The reportId within it.
            was_in_doubt: Whether these bytes were ever in doubt before.
            deadline_s: For connecting, writing and reading together.
            before_connect: Called immediately before connecting; if it raises, nothing is sent and it propagates.

        Returns:
            What the answer proves. Nothing that happens on the wire is raised; KeyboardInterrupt and SystemExit are,
            and leave the outcome unknown.
        """
        with self._connections.fresh(deadline_s) as client:
            request = client.build_request(
                "POST", "/split", content=body, headers={"Content-Type": "application/json", "Connection": "close"}
            )
            before_connect()
            try:
                reply = exchange(client, request, deadline_s=deadline_s, max_bytes=MAX_REPLY_BYTES)
            except Exception as failure:  # noqa: BLE001 (whatever it is, it proves nothing)
                return classify_exception(failure)
        return classify_reply(
            reply,
            report_id=report_id,
            was_in_doubt=was_in_doubt,
            sent=body,
            accepted_statuses=self._assumptions.create_statuses,
        )

    def validate_account(self, request: AccountValidation) -> CheckAnswer:
        """POST /validate/account: once. Costs a centavo and a fee.

        Raises:
            ValueError: the request breaks a documented rule; nothing was sent. The message names fields alone.
        """
        broken = broken_rules(request)
        if broken:
            raise ValueError("; ".join(broken))
        body = canonical_json(body_of(request))
        return read_check_reply(self._post_once("/validate/account", body, self._timeout_s, lambda: None))

    def update_exchange_rate(
        self,
        split_id: str,
        body: bytes,
        *,
        was_in_doubt: bool,
        deadline_s: float,
        before_connect: Callable[[], None],
    ) -> Answer:
        """POST /split/{split_id}/update_exchange_rate: once, over a fresh connection, exactly these bytes.

        This moves money: a report in a foreign currency is paid once its rate is set.

        Args:
            split_id: The report.
            body: What is sent, byte for byte.
            was_in_doubt: Whether an earlier copy of these bytes may have arrived.
            deadline_s: For connecting, writing and reading together.
            before_connect: Called immediately before connecting; if it raises, nothing is sent and it propagates.

        Returns:
            What the answer proves, as with `create_report`; a returned report tells the rate it has.
        """
        path = f"/split/{path_part(split_id)}/update_exchange_rate"
        reply = self._post_once(path, body, deadline_s, before_connect)
        return classify_update(reply, told=self._told, split_id=split_id, was_in_doubt=was_in_doubt)

    def _told(self, report: SplitReport) -> str | None:
        """Return the id of a report that paths take."""
        return report.id if self._assumptions.get_takes == "_id" else report.reportId

    def _post_once(self, path: str, body: bytes, deadline_s: float, before_connect: Callable[[], None]) -> Reply:
        with self._connections.fresh(deadline_s) as client:
            request = client.build_request(
                "POST", path, content=body, headers={"Content-Type": "application/json", "Connection": "close"}
            )
            before_connect()
            return exchange(client, request, deadline_s=deadline_s, max_bytes=MAX_REPLY_BYTES)
