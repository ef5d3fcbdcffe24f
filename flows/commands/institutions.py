"""institutions: who takes part in Pix, from the kept list or from the service."""

import datetime as dt
from contextlib import ExitStack
from typing import Any

from rich.console import Console
from rich.table import Table

from flows.contact_words import say
from flows.opening import open_ledger_of, utc_now
from flows.payables.institutions import InstitutionList, read_institutions
from flows.payables.rules.institutions import USABLE_FOR, find_institutions, is_usable
from flows.runner import opened_service
from flows.settings import read_settings
from flows.terminal.printing import console_for
from schemas.errors import DecisionRefused
from schemas.exit_codes import ExitCode
from schemas.wire import Institution

Result = tuple[ExitCode, dict[str, Any]]


def list_institutions(
    name: str, *, started_from: str | None, started_to: str | None, refresh: bool, as_json: bool
) -> Result:
    """List institutions by name, from the kept list; it is read from the service when it is to be, or there is none."""
    console = console_for(as_json=as_json)
    first, last = _day(started_from), _day(started_to)
    settings = read_settings()
    with ExitStack() as exits:
        ledger = exits.enter_context(open_ledger_of(settings, create=refresh or settings.service is not None))
        asks = refresh or (settings.service is not None and not is_usable(ledger.institutions.read_at(), utc_now()))
        service = exits.enter_context(opened_service(settings)) if asks else None
        listed = read_institutions(ledger, service, utc_now(), refresh=refresh)
    found = find_institutions(listed.by_ispb.values(), name=name, started_from=first, started_to=last)
    _show(console, found, listed)
    code = ExitCode.NOT_SENT if listed.trouble else ExitCode.DONE
    return code, {
        "read_at": listed.read_at.isoformat() if listed.read_at else None,
        "trouble": listed.trouble or None,
        "institutions": [one.model_dump() for one in found],
    }


def _show(console: Console, found: list[Institution], listed: InstitutionList) -> None:
    if listed.trouble:
        console.print(say("en", "institutions.trouble", reason=listed.trouble), soft_wrap=True, markup=False)
    if listed.too_old:
        console.print(say("en", "institutions.too_old", days=USABLE_FOR.days), soft_wrap=True)
    if listed.read_at is None or listed.too_old:
        console.print(say("en", "institutions.none"), soft_wrap=True)
        return
    table = Table(show_edge=False, pad_edge=False)
    for column in ("code", "ISPB", "name", "active", "since"):
        table.add_column(column, overflow="fold")
    for one in found:
        active = {True: "yes", False: "no", None: "?"}[one.is_active]
        table.add_row(
            one.compe_number or "-", one.ispb_number or "-", one.name or "-", active, one.str_start_date or "-"
        )
    console.print(table)
    facts = {
        "shown": len(found),
        "count": len(listed.by_ispb),
        "read_at": f"{listed.read_at.astimezone():%Y-%m-%d %H:%M}",
    }
    console.print(say("en", "institutions.count", **facts))


def _day(text: str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if text else None
    except ValueError:
        raise DecisionRefused("write days as 2026-10-31") from None
