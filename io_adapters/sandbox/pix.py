"""Pix: the list of institutions, and the deprecated QR code."""

import base64
import csv
import datetime as dt
import re
import uuid
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

import sqlalchemy as sa
from fastapi import APIRouter, Query, Response
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from io_adapters.sandbox.assumptions import (
    INSTITUTION_MAX_START,
    INSTITUTION_MIN_START,
    INSTITUTION_NAME,
    INSTITUTION_PAGE,
    INSTITUTION_PAGE_SIZE,
    LARGEST_PAGE,
    Behaviour,
    searched_form,
)
from io_adapters.sandbox.codes import CITY, br_code
from io_adapters.sandbox.context import Running
from io_adapters.sandbox.models import (
    CENTAVO,
    ExactRoute,
    SandboxInstitution,
    SandboxInstitutionPage,
    SandboxPagination,
    SandboxQrCode,
    SandboxQrCodeRequest,
    cents_of,
    exact_answer,
)
from io_adapters.sandbox.tables import qr_codes
from io_adapters.sandbox.validation import Endpoint, ValidationProblem, problem, refuse_if_any, unknown_fields

CREATED_AT: Final = "2024-01-02T12:00:00+00:00"
MILLION: Final = 1_000_000

router = APIRouter(route_class=ExactRoute, tags=["Pix"])


def _written_as_a_day(text: Any) -> Any:  # noqa: ANN401
    """Refuse what pydantic would read as seconds since 1970."""
    if isinstance(text, str) and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise PydanticCustomError("date_parsing", "Input should be a date as YYYY-MM-DD")
    return text


Day = Annotated[dt.date, BeforeValidator(_written_as_a_day)]


@dataclass(frozen=True, slots=True)
class ListedInstitution:
    """One row of the list; `compe_number` is None for who has none."""

    name: str
    compe_number: str | None
    ispb_number: str
    is_compe_participant: bool
    str_start_date: dt.date
    is_active: bool

    def as_shown(self, inactive: frozenset[str]) -> SandboxInstitution:
        """Return the institution as the service tells it; `inactive` holds ISPBs."""
        return SandboxInstitution(
            created_at=CREATED_AT,
            is_active=self.is_active and self.ispb_number not in inactive,
            is_compe_participant=self.is_compe_participant,
            name=self.name,
            str_start_date=self.str_start_date.isoformat(),
            compe_number=self.compe_number,
            ispb_number=self.ispb_number,
        )


@cache
def listed_institutions() -> tuple[ListedInstitution, ...]:
    """Return all institutions, by COMPE code; those without one come last."""
    text = files("io_adapters.sandbox").joinpath("institutions.csv").read_text(encoding="utf-8")
    return tuple(
        ListedInstitution(
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
    by_ispb = (institution.name for institution in listed_institutions() if ispb and institution.ispb_number == ispb)
    by_compe = (
        institution.name for institution in listed_institutions() if compe and institution.compe_number == compe
    )
    return next(by_ispb, None) or next(by_compe, None)


@router.get(Endpoint.LIST_INSTITUTIONS.path)
def list_institutions(
    sandbox: Running,
    name: Annotated[str | None, Query(alias=INSTITUTION_NAME)] = None,
    min_start: Annotated[Day | None, Query(alias=INSTITUTION_MIN_START)] = None,
    max_start: Annotated[Day | None, Query(alias=INSTITUTION_MAX_START)] = None,
    page: Annotated[int, Query(alias=INSTITUTION_PAGE, ge=1, le=MILLION)] = 1,
    page_size: Annotated[int | None, Query(alias=INSTITUTION_PAGE_SIZE, ge=1, le=LARGEST_PAGE)] = None,
) -> SandboxInstitutionPage:
    found = [
        institution
        for institution in listed_institutions()
        if searched_form(name or "") in searched_form(institution.name)
        and (min_start is None or institution.str_start_date >= min_start)
        and (max_start is None or institution.str_start_date <= max_start)
    ]
    rows = page_size or sandbox.behaviour.institutions_page_size
    pages = -(-len(found) // rows)
    shown = found[(page - 1) * rows : page * rows]
    return SandboxInstitutionPage(
        data=[institution.as_shown(sandbox.behaviour.inactive_institutions) for institution in shown],
        pagination=SandboxPagination(
            current_page=page,
            rows_per_page=rows,
            total_pages=pages,
            total_rows=len(found),
            next_page=page + 1 if page < pages else None,
        ),
    )


@router.post(Endpoint.CREATE_QR_CODE.path, response_model=SandboxQrCode, deprecated=True)
def create_qr_code(body: SandboxQrCodeRequest, sandbox: Running) -> Response:
    """Make a QR code for a deposit by Pix. Deprecated: the service points to /pix/create_dynamic_pix_payment."""
    refuse_if_any(_broken_rules(body, sandbox.behaviour))
    amount = None if body.amount is None else body.amount.quantize(CENTAVO)
    payload = br_code(
        body.pix_key,
        amount,
        txid=body.receiver_conciliation_id or "",
        description=body.payer_request or "",
        reusable=body.qr_code_type == "static",
        name=sandbox.behaviour.receiver,
        city=CITY,
    )
    key = str(uuid.uuid4())
    note = {"at": sandbox.clock(), "qr_code_key": key, "amount_cents": None if amount is None else cents_of(amount)}
    with sandbox.database.writing() as connection:
        connection.execute(sa.insert(qr_codes), note | {"expiration_seconds": body.expiration_seconds})
    return exact_answer(
        {
            "amount": amount,
            "receiver_conciliation_id": body.receiver_conciliation_id,
            "pix_key": body.pix_key,
            "qr_code_key": key,
            "base_64": base64.b64encode(payload.encode("ascii")).decode("ascii"),
            "image": f"/qr_codes/{key}.png",
        }
    )


def _broken_rules(body: SandboxQrCodeRequest, behaviour: Behaviour) -> list[ValidationProblem]:
    found = unknown_fields(body) if behaviour.known_fields_only else []
    if behaviour.whole_centavos and body.amount is not None and body.amount != body.amount.quantize(CENTAVO):
        found.append(problem(("amount",), "Input should have at most two decimals", "decimal_max_places"))
    return found
