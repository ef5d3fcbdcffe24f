"""Find out on staging what the service's interface does not say: free questions first, then those for a centavo."""

from collections.abc import Callable, Mapping
from typing import Final

from flows.stages.probe_report import probe_account, probe_again, probe_create, probe_sums
from flows.stages.probing import Probing
from flows.stages.send import check_may_send
from flows.steps.probe import ProbeFinding
from flows.steps.probe_plan import STEPS, names_to_try, steps_for
from flows.steps.probe_queries import (
    Follows,
    follows_dates,
    follows_name,
    follows_page,
    follows_size,
    name_wanted,
    total_of,
)
from schemas.errors import NotSent
from schemas.wire import InstitutionPage

NOBODY: Final = "repasse-probe-nobody"
ROWS: Final = 7  # no page size anybody would have by default


def probe(probing: Probing) -> list[ProbeFinding]:
    """Walk the steps for which enough was named.

    Returns:
        One finding for each assumption that a step can speak of, in the steps' order.

    Raises:
        ConfigurationError: the ledger belongs to another service.
        NotSent: sending is on hold, or the service cannot be reached at all.
        SendingFrozen: ledger and service disagree.
    """
    run = probing.run
    service = run.require_service()
    if run.ledger.service.current().url:  # a key never goes to a service that is not the ledger's
        run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    check_may_send(run)
    service.api.list_reports()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    walked = steps_for(probing.parties.named if probing.parties else ())
    for step in walked:
        run.progress.tell(step.does)
        told = len(probing.findings)
        why = "not seen"
        try:
            DOES[step.key](probing)
        except NotSent as failure:
            why = failure.message
        known = {finding.name for finding in probing.findings[told:]}
        for name in step.finds:
            if name not in known:
                probing.saw(name, None, why)
    for step in STEPS:
        for name in step.finds if step not in walked else ():
            probing.saw(name, None, f"asked only where the probe's file names {step.needs}")
    return probing.findings


def _institutions(probing: Probing) -> None:
    api = probing.api
    first = api.institutions_page({})
    total = total_of(first) if first else None
    if first is None or not first.data or not total:
        raise NotSent("the list of institutions is empty, or does not say how many there are")
    searched = next(one.name for one in first.data if one.name) if any(one.name for one in first.data) else ""
    _try_names(probing, "institutions_name", searched, follows_name(searched, total))
    _try_names(probing, "institutions_min_start_date", "2999-12-31", follows_dates)
    _try_names(probing, "institutions_max_start_date", "1980-01-01", follows_dates)
    size = _try_names(probing, "institutions_page_size", str(ROWS), follows_size(ROWS))
    few = {size: str(ROWS)} if size else {}
    page = api.institutions_page(few) if few else first
    if page is not None:
        _try_names(probing, "institutions_page", "2", follows_page(2, page), few)
    _see_rows(probing, size, total)


def _see_rows(probing: Probing, size_name: str | None, total: int) -> None:
    """See whether a page holds as many rows as runs will ask for."""
    wanted = int(probing.assumed("institutions_rows"))
    page = probing.api.institutions_page({size_name: str(wanted)} if size_name and wanted else {})
    rows = page.pagination.rows_per_page if page and page.pagination else None
    if page is None:
        probing.saw("institutions_rows", "0", f"{wanted} rows a page are refused; 0 leaves it to the service")
    elif rows is not None and wanted:
        probing.saw("institutions_rows", str(rows), f"asked for {wanted} of {total}")


def _try_names(
    probing: Probing, name: str, value: str, follows: Follows, besides: Mapping[str, str] | None = None
) -> str | None:
    """Find the query name that the service follows; None when it follows none of those tried."""
    tried = names_to_try(name, str(probing.assumed(name)))
    for query in tried:
        page: InstitutionPage | None = probing.api.institutions_page({**(besides or {}), query: value})
        if page is not None and follows(page):
            probing.saw(name, query, "the list follows it")
            return query
    probing.saw(name, None, f"the list follows none of {', '.join(tried)}")
    return None


def _favorite(probing: Probing) -> None:
    name = "favorite_account"
    assumed = str(probing.assumed(name))
    bare = probing.api.favorite_nobody({})
    wanted = name_wanted([(one.loc, one.type) for one in bare.errors], assumed)
    if wanted is not None:
        probing.saw(name, wanted, "HTTP 422 names what is missing")
        return
    told = probing.api.favorite_nobody({assumed: NOBODY})
    if told.status in probing.assumed("missing_statuses") and bare.status != told.status:
        probing.saw(name, assumed, f"HTTP {told.status} for an account that does not exist")
    else:
        probing.saw(name, None, f"HTTP {bare.status} without it, HTTP {told.status} with it")


def _missing(probing: Probing) -> None:
    told = probing.api.delete_nobody(NOBODY)
    if told.status is not None and 400 <= told.status < 500 and told.status not in {401, 403, 429}:
        probing.saw("missing_statuses", str(told.status), "answer to deleting a contact that does not exist")
    else:
        probing.saw("missing_statuses", None, f"HTTP {told.status} for a contact that does not exist")


DOES: Final[Mapping[str, Callable[[Probing], None]]] = {
    "institutions": _institutions,
    "favorite": _favorite,
    "missing": _missing,
    "create": probe_create,
    "again": probe_again,
    "sums": probe_sums,
    "account": probe_account,
}
