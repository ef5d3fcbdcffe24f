"""The payout service's HTTP client. `SplitApi.create_report` is the one place that can POST /split."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

import httpx
from pydantic import SecretStr

from io_adapters.payout_api.account_checks import AccountCalls, CheckAnswer, check_body, read_check_reply
from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.commands import MAX_REPLY_BYTES, Commands, ContactsApi, WebhooksApi
from io_adapters.payout_api.connection import Connections, RateLimiter, exchange, path_part
from io_adapters.payout_api.outcome import PostAnswer, classify_exception, classify_reply, classify_update
from io_adapters.payout_api.queries import PixApi, Queries, ReportsReader
from schemas.egress import DIRECT, Egress
from schemas.wire import AccountValidation


class SplitApi(ReportsReader):
    """The payout service, as the rest of Repasse sees it.

    GETs share connections and are tried again; what has an effect has a connection of its own and is tried once.
    Nothing is redirected, no proxy or `.netrc` of the environment is used, and certificates are always verified.
    """

    def __init__(  # noqa: PLR0913  (each is named at the call)
        self,
        base_url: str,
        api_key: SecretStr,
        *,
        timeout_s: float,
        assumptions: Assumptions,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
        requests_per_s: float | None = None,
        egress: Egress = DIRECT,
    ) -> None:
        """Prepare the client; nothing is sent yet.

        Raises:
            ConfigurationError: an address, key or pace that cannot be used.
        """
        self._timeout_s = timeout_s
        self._connections = Connections(base_url, api_key, transport, egress)
        self._pace = RateLimiter(requests_per_s, pause=pause)
        queries = Queries(self._connections, timeout_s=timeout_s, pace=self._pace, pause=pause)
        super().__init__(queries, assumptions)
        self._commands = Commands(self._connections, timeout_s=timeout_s, pace=self._pace)
        self.contacts = ContactsApi(self._commands, assumptions)
        self.pix = PixApi(queries, self._commands, assumptions)
        self.webhooks = WebhooksApi(self._commands, assumptions)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._queries.close()

    def await_turn(self) -> None:
        """Wait for the next place in the pace: for `create_report` and `update_exchange_rate`, which do not wait.

        Called before the intent to send is written down: what has a deadline spends none of it waiting.
        """
        self._pace.wait()

    def create_report(
        self,
        body: bytes,
        *,
        report_id: str,
        was_in_doubt: bool,
        deadline_s: float,
        before_connect: Callable[[], None],
    ) -> PostAnswer:
        """POST /split: once, over a fresh connection, exactly these bytes. This moves money.

        Args:
            was_in_doubt: Whether these bytes were ever in doubt before.
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
        self._pace.heed(reply)
        return classify_reply(
            reply,
            report_id=report_id,
            was_in_doubt=was_in_doubt,
            sent=body,
            assumed=self._assumptions,
        )

    def validate_account(self, request: AccountValidation) -> CheckAnswer:
        """POST /validate/account: once. Costs a centavo and a fee.

        Raises:
            ValueError: the request breaks a documented rule; nothing was sent. The message names fields alone.
        """
        body = check_body(request)
        return read_check_reply(self._commands.send_once("POST", "/validate/account", body, deadline_s=self._timeout_s))

    def account_calls(
        self, *, at_a_time: int, give_up_after: int, may_send: Callable[[str], bool] = lambda _name: True
    ) -> AccountCalls:
        """Open a way to check many accounts; each is asked once, and costs a centavo and a fee."""
        # Services close idle connections after some seconds; a request that crosses with that proves nothing.
        return AccountCalls(
            lambda: self._connections.open(self._timeout_s, idle_s=2.0),
            at_a_time=at_a_time,
            give_up_after=give_up_after,
            deadline_s=self._timeout_s,
            pace=self._pace,
            may_send=may_send,
        )

    def update_exchange_rate(
        self,
        split_id: str,
        body: bytes,
        *,
        was_in_doubt: bool,
        deadline_s: float,
        before_connect: Callable[[], None],
    ) -> PostAnswer:
        """POST /split/{split_id}/update_exchange_rate: once, over a fresh connection, exactly these bytes.

        This moves money: a report in a foreign currency is paid once its rate is set.

        Args:
            was_in_doubt: Whether an earlier copy of these bytes may have arrived.
            before_connect: Called immediately before connecting; if it raises, nothing is sent and it propagates.
        """
        path = f"/split/{path_part(split_id)}/update_exchange_rate"
        reply = self._commands.send_at_once("POST", path, body, deadline_s=deadline_s, before_connect=before_connect)
        return classify_update(reply, read_id=self._read_id, split_id=split_id, was_in_doubt=was_in_doubt)


ANSWER_TIME: Final = 3  # a question may be asked three times
