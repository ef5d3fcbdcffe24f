"""The list of financial institutions: real names, COMPE codes and ISPBs, from `institutions.csv`.

Names, numbers, participation and start dates are the central bank's (participants of the STR). Who is inactive, and
`created_at`, are made up.
"""

import csv
import datetime as dt
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from io_adapters.sandbox.assumptions import (
    INSTITUTION_MAX_START,
    INSTITUTION_MIN_START,
    INSTITUTION_NAME,
    INSTITUTION_PAGE,
    INSTITUTION_PAGE_SIZE,
    LARGEST_PAGE,
    searched_form,
)
from io_adapters.sandbox.context import Running
from io_adapters.sandbox.endpoints import Endpoint
from io_adapters.sandbox.pix_models import Institution, InstitutionPage, Pagination

CREATED_AT: Final = "2024-01-02T12:00:00+00:00"
MILLION: Final = 1_000_000

router = APIRouter(tags=["Pix"])


def _written_as_a_day(text: Any) -> Any:  # noqa: ANN401
    """Refuse what pydantic would read as seconds since 1970."""
    if isinstance(text, str) and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise PydanticCustomError("date_parsing", "Input should be a date as YYYY-MM-DD")
    return text


Day = Annotated[dt.date, BeforeValidator(_written_as_a_day)]


@dataclass(frozen=True, slots=True)
class Listed:
    """One row of the list; `compe_number` is None for who has none."""

    name: str
    compe_number: str | None
    ispb_number: str
    is_compe_participant: bool
    str_start_date: dt.date
    is_active: bool

    def told(self, inactive: frozenset[str]) -> Institution:
        """Return the institution as the service tells it; `inactive` holds ISPBs."""
        return Institution(
            created_at=CREATED_AT,
            is_active=self.is_active and self.ispb_number not in inactive,
            is_compe_participant=self.is_compe_participant,
            name=self.name,
            str_start_date=self.str_start_date.isoformat(),
            compe_number=self.compe_number,
            ispb_number=self.ispb_number,
        )


@cache
def listed_institutions() -> tuple[Listed, ...]:
    """Return all institutions, by COMPE code; those without one come last."""
    text = files("io_adapters.sandbox").joinpath("institutions.csv").read_text(encoding="utf-8")
    return tuple(
        Listed(
            name=row["name"],
            compe_number=row["compe_number"] or None,
            ispb_number=row["ispb_number"],
            is_compe_participant=row["is_compe_participant"] == "yes",
            str_start_date=dt.date.fromisoformat(row["str_start_date"]),
            is_active=row["is_active"] == "yes",
        )
        for row in csv.DictReader(text.splitlines())
    )


def institution_name(ispb: str | None, compe: str | None) -> str | None:
    """Return the name of the institution with an ISPB, else of the one with a COMPE code; None when unknown."""
    by_ispb = (one.name for one in listed_institutions() if ispb and one.ispb_number == ispb)
    by_compe = (one.name for one in listed_institutions() if compe and one.compe_number == compe)
    return next(by_ispb, None) or next(by_compe, None)


@router.get(Endpoint.LIST_INSTITUTIONS.path)
def list_institutions(
    sandbox: Running,
    name: Annotated[str | None, Query(alias=INSTITUTION_NAME)] = None,
    min_start: Annotated[Day | None, Query(alias=INSTITUTION_MIN_START)] = None,
    max_start: Annotated[Day | None, Query(alias=INSTITUTION_MAX_START)] = None,
    page: Annotated[int, Query(alias=INSTITUTION_PAGE, ge=1, le=MILLION)] = 1,
    page_size: Annotated[int | None, Query(alias=INSTITUTION_PAGE_SIZE, ge=1, le=LARGEST_PAGE)] = None,
) -> InstitutionPage:
    """List financial institutions by name and start of operation, page by page."""
    found = [
        one
        for one in listed_institutions()
        if searched_form(name or "") in searched_form(one.name)
        and (min_start is None or one.str_start_date >= min_start)
        and (max_start is None or one.str_start_date <= max_start)
    ]
    rows = page_size or sandbox.behaviour.institutions_page_size
    pages = -(-len(found) // rows)
    shown = found[(page - 1) * rows : page * rows]
    return InstitutionPage(
        data=[one.told(sandbox.behaviour.inactive_institutions) for one in shown],
        pagination=Pagination(
            current_page=page,
            rows_per_page=rows,
            total_pages=pages,
            total_rows=len(found),
            next_page=page + 1 if page < pages else None,
        ),
    )
