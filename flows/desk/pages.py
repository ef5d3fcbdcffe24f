"""Rendering pages: templates, texts, numbers and moments in the reader's language, long lists cut."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from fastapi import Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from flows.acts import forms
from flows.desk.guard import LONGEST_TEXT, VISIT, Signed, cookie_name, csrf_of, set_cookie, settings_of
from io_adapters.outputs.grid import field_text
from io_adapters.outputs.plan_grids import plan_grids
from io_adapters.outputs.run_grids import totals_grid
from schemas.acts import ActKind
from schemas.approval import LANGUAGES, Language, Role
from schemas.job import BRASILIA
from schemas.messages import Money, catalogue_in, currency_sign, for_desk, period_text
from schemas.reasons import reasons_message
from schemas.states import tone_of
from schemas.values.masking import mask_value
from schemas.values.money import format_cents

HERE: Final = Path(__file__).parent
T = TypeVar("T")
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def show(
    request: Request,
    template: str,
    *,
    status: int = 200,
    csrf: str = "",
    **facts: Any,  # noqa: ANN401
) -> Response:
    """Return a page in the reader's language; every value in it is escaped."""
    language = language_of(request)
    signed: Signed | None = getattr(request.state, "signed", None)
    html = _TEMPLATES.get_template(template).render(
        t=catalogue_in(language),
        why=reasons_message,
        money=partial(format_cents, language=language),
        number=partial(field_text, language=language),
        text_of=partial(field_text, language=language),
        is_money=lambda field: isinstance(field, Money),
        totals_grid=totals_grid,
        plan_grids=partial(plan_grids, labels=catalogue_in(language), at_desk=True),
        moment=partial(_moment, language),
        clock=_clock,
        masked=mask_value,
        cell=partial(_cell, language),
        column_word=partial(_column_word, language),
        day=partial(_day, language),
        lasted=partial(_lasted, now=request.app.state.desk.clock.now()),
        for_desk=for_desk,
        tone_of=tone_of,
        sign=currency_sign,
        period_words=partial(period_text, language=language),
        size=partial(_size, language),
        language=language,
        languages=LANGUAGES,
        signed=signed,
        roles=Role,
        acts=ActKind,
        forms=forms,
        fields_of=forms.fields_of,
        longest=LONGEST_TEXT,
        csrf=csrf or (signed.csrf if signed else ""),
        path=request.url.path if request.method == "GET" else "",
        **facts,
    )
    return Response(html, status_code=status, media_type="text/html; charset=utf-8")


def language_of(request: Request) -> Language:
    """Return the reader's language: their own, else what this browser chose, else Portuguese."""
    signed: Signed | None = getattr(request.state, "signed", None)
    if signed is not None:
        return signed.user.language
    chosen = request.cookies.get(cookie_name(settings_of(request), "language"))
    return next((language for language in LANGUAGES if language == chosen), LANGUAGES[0])


def visit_of(request: Request, make: Callable[[], str]) -> tuple[str, str]:
    token = request.cookies.get(cookie_name(settings_of(request), VISIT)) or make()
    return token, csrf_of(token)


def remember_visit(request: Request, response: Response, token: str) -> None:
    set_cookie(response, settings_of(request), VISIT, token)


def _moment(language: Language, at: dt.datetime | None) -> Markup:
    """Write a moment as its reader does; the page's foot says by which clock."""
    if at is None:
        return Markup("–")
    local = at.astimezone(BRASILIA)
    shown = f"{local:%d/%m/%Y %H:%M}" if language == "pt-BR" else f"{local:%Y-%m-%d %H:%M}"
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), shown)


def _column_word(language: Language, column: str) -> str:
    """Name a column as the model sheets do; by its own name where they do not have it."""
    labels, name = catalogue_in(language), column.removesuffix("_ppm").removesuffix("_cents")
    return labels(f"model.column.{name}") if f"model.column.{name}" in labels else name


def _cell(language: Language, column: str, text: str) -> str:
    if column.endswith("_cents") and text.lstrip("-").isdecimal():
        return format_cents(int(text), language)
    if column.endswith("_ppm") and text.isdecimal():
        return f"{Decimal(int(text)).scaleb(-4).normalize():f} %".replace(".", "," if language == "pt-BR" else ".")
    return text if column == "name" else mask_value(column, text) or "–"


def _day(language: Language, at: dt.datetime) -> str:
    local = at.astimezone(BRASILIA)
    return f"{local:%d/%m/%Y}" if language == "pt-BR" else f"{local:%Y-%m-%d}"


def _clock(at: dt.datetime) -> str:
    return f"{at.astimezone(BRASILIA):%H:%M:%S}"


def _lasted(began_at: dt.datetime, ended_at: dt.datetime | None = None, *, now: dt.datetime) -> str:
    """Write how long something took, or has taken so far.

    >>> began_at = dt.datetime(2026, 10, 31, 12, tzinfo=dt.UTC)
    >>> _lasted(began_at, now=began_at + dt.timedelta(seconds=7)), _lasted(began_at, now=began_at.replace(hour=14))
    ('7 s', '2 h 0 min')
    """
    seconds = max(0, int(((ended_at or now) - began_at).total_seconds()))
    minutes, hours = seconds // 60, seconds // 3600
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


def _size(language: Language, size_bytes: int) -> str:
    if size_bytes < 1_000_000:
        return f"{field_text(max(1, round(size_bytes / 1000)), language)} kB"
    return f"{size_bytes / 1_000_000:.1f} MB".replace(".", "," if language == "pt-BR" else ".")


@dataclass(frozen=True, slots=True)
class Paged(Generic[T]):
    """One page of a list; pages count from 1."""

    items: Sequence[T]
    page: int
    pages: int
    total: int
    first: int


def page_of(items: Sequence[T], page: int, size: int) -> Paged[T]:
    """Cut a page out of a list; a page that is not there is the nearest one.

    >>> page_of("abcde", 2, 2).items, page_of("abcde", 9, 2).page
    ('cd', 3)
    """
    pages = max(1, -(-len(items) // size))
    number = min(max(1, page), pages)
    start = (number - 1) * size
    return Paged(items[start : start + size], number, pages, len(items), start + 1 if items else 0)
