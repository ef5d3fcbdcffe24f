"""Writes pages: templates, the words of the reader's language, and numbers and moments as they write them."""

import datetime as dt
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from fastapi import Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from io_adapters.desk.guard import VISIT, Signed, cookie_name, csrf_of, set_cookie, settings_of
from io_adapters.desk.words import TEXTS, say
from schemas.desk_people import LANGUAGES, Language, Role
from schemas.values.money import format_cents

HERE: Final = Path(__file__).parent
# Payouts are Brazilian: days turn, and people meet, by this clock, wherever the machine stands.
# No summer time since 2019 (Decreto 9.772/2019).
BRASILIA: Final = dt.timezone(dt.timedelta(hours=-3))


class Words:
    """The words of one language, for templates."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def __call__(self, key: str, **facts: object) -> str:
        """Return a text, with its facts filled in."""
        return say(self._language, key, **facts)

    def has(self, key: str) -> bool:
        """Whether there are words for it."""
        return key in TEXTS


class Pages:
    """Renders templates; every value in them is escaped."""

    def __init__(self) -> None:
        """Load the templates."""
        self._jinja = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def show(
        self,
        request: Request,
        template: str,
        *,
        status: int = 200,
        csrf: str = "",
        **facts: Any,  # noqa: ANN401
    ) -> Response:
        """Return a page in the reader's language."""
        language = language_of(request)
        signed: Signed | None = getattr(request.state, "signed", None)
        tools: Mapping[str, Callable[..., Any]] = {
            "t": Words(language),
            "money": partial(format_cents, language=language),
            "number": partial(_number, language),
            "moment": partial(_moment, language),
            "size": partial(_size, language),
        }
        html = self._jinja.get_template(template).render(
            **tools,
            language=language,
            languages=LANGUAGES,
            signed=signed,
            roles=Role,
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
    """Return the token of a visit before anybody is signed in, and its forms' token."""
    token = request.cookies.get(cookie_name(settings_of(request), VISIT)) or make()
    return token, csrf_of(token)


def remember_visit(request: Request, response: Response, token: str) -> None:
    """Let a browser keep its visit's token."""
    set_cookie(response, settings_of(request), VISIT, token)


def _moment(language: Language, at: dt.datetime | None) -> Markup:
    """Write a moment as its reader does; the page's foot says by which clock."""
    if at is None:
        return Markup("–")
    local = at.astimezone(BRASILIA)
    shown = f"{local:%d/%m/%Y %H:%M}" if language == "pt-BR" else f"{local:%Y-%m-%d %H:%M}"
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), shown)


def _number(language: Language, value: int) -> str:
    return f"{value:,}".replace(",", "." if language == "pt-BR" else ",")


def _size(language: Language, size_bytes: int) -> str:
    if size_bytes < 1_000_000:
        return f"{_number(language, max(1, round(size_bytes / 1000)))} kB"
    return f"{size_bytes / 1_000_000:.1f} MB".replace(".", "," if language == "pt-BR" else ".")
