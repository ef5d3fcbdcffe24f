"""The kept list of financial institutions: how old it may be, which new one is believed, and what is looked for."""

import datetime as dt
from collections.abc import Collection, Iterable
from typing import Final

from schemas.wire import Institution
from schemas.words import fold_word

FRESH_FOR: Final = dt.timedelta(days=1)
USABLE_FOR: Final = dt.timedelta(days=30)
# Institutions come and go one at a time. A list with less than half of what there was has been cut, not thinned.
_SHRUNK: Final = 2


def is_fresh(read_at: dt.datetime | None, now: dt.datetime) -> bool:
    """Say whether a copy need not be read again yet; one from the future was dated by a wrong clock."""
    return read_at is not None and dt.timedelta(0) <= now - read_at < FRESH_FOR


def is_usable(read_at: dt.datetime | None, now: dt.datetime) -> bool:
    """Say whether a copy that could not be read again may still be held against people's rows."""
    return read_at is not None and now - read_at < USABLE_FOR


def is_believable(listed: Collection[Institution], kept: int) -> bool:
    """Say whether a list that was read may take the place of the kept one: a cut list would hold sound accounts."""
    return len(listed) > 0 and len(listed) * _SHRUNK >= kept


def find_institutions(
    listed: Iterable[Institution],
    *,
    name: str = "",
    started_from: dt.date | None = None,
    started_to: dt.date | None = None,
) -> list[Institution]:
    """Find institutions, by name.

    Args:
        listed: All.
        name: Part of the name, capitals and accents aside; or the whole code or ISPB; "" for any.
        started_from: Earliest start of operation; one without a readable date does not fit.
        started_to: Latest start of operation.
    """
    wanted = fold_word(name)
    found = [
        one
        for one in listed
        if (not name or wanted in fold_word(one.name or "") or name in {one.compe_number, one.ispb_number})
        and _started_within(one, started_from, started_to)
    ]
    return sorted(found, key=lambda one: (fold_word(one.name or ""), one.ispb_number or ""))


def _started_within(one: Institution, first: dt.date | None, last: dt.date | None) -> bool:
    if first is None and last is None:
        return True
    try:
        started = dt.date.fromisoformat((one.str_start_date or "")[:10])
    except ValueError:
        return False
    return (first is None or first <= started) and (last is None or started <= last)
