"""Sending e-mail by SMTP, with a file or without, and JSON documents to a webhook."""

import smtplib
from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import formatdate, make_msgid
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx

from io_adapters.tls import tls_context
from schemas.egress import DIRECT, Egress, is_loopback
from schemas.errors import ExitCode, RepasseError
from schemas.messages import Message

TIMEOUT_S: Final = 10.0
_SUBMISSION_PORT: Final = 587
_SMTPS_PORT: Final = 465


class NotAlerted(RepasseError):
    """People could not be called; what they were to be called for is not touched by it."""

    exit_code = ExitCode.NOT_SENT


def send_email(  # a mail is just these parts
    smtp_url: str,
    sender: str,
    to: tuple[str, ...],
    subject: str,
    text: str,
    attached: tuple[str, bytes] | None = None,
    *,
    egress: Egress = DIRECT,
) -> None:
    """Send a plain text by e-mail.

    Raises:
        NotAlerted: the server cannot be reached, or does not take it; nothing of address or password is in the reason.
    """
    where = urlsplit(smtp_url)
    host, name = where.hostname or "", unquote(where.username or "")
    mail: MIMEBase = MIMEText(text, "plain", "utf-8")
    if attached is not None:
        file = MIMEApplication(attached[1], "pdf")
        file.add_header("Content-Disposition", "attachment", filename=attached[0])
        mail = MIMEMultipart(_subparts=[mail, file])
    # EmailMessage loses blanks where it folds long words that are not ASCII: https://github.com/python/cpython/issues/92081
    mail["Subject"] = Header(" ".join(subject.split()), "utf-8", header_name="Subject").encode()
    mail["From"], mail["To"] = sender, ", ".join(to)
    mail["Date"], mail["Message-ID"] = formatdate(localtime=False), make_msgid(domain=host or None)
    safe = tls_context(egress)
    try:
        with (
            smtplib.SMTP_SSL(host, where.port or _SMTPS_PORT, timeout=TIMEOUT_S, context=safe)
            if where.scheme == "smtps"
            else smtplib.SMTP(host, where.port or _SUBMISSION_PORT, timeout=TIMEOUT_S)
        ) as server:
            server.ehlo()  # what the server can do is known only then
            insists = where.scheme == "smtp+starttls" or bool(name)
            if where.scheme != "smtps" and (insists or server.has_extn("starttls")):
                server.starttls(context=safe)
            if name:
                server.login(name, unquote(where.password or ""))
            server.send_message(mail)
    except (OSError, smtplib.SMTPException) as error:
        raise NotAlerted(Message("alert.no_email", why=type(error).__name__)) from None


def post_webhook(url: str, document: dict[str, Any], *, egress: Egress = DIRECT) -> None:
    """Send a JSON document.

    Args:
        url: Where to; it may hold a secret, and is never told.

    Raises:
        NotAlerted: there is no answer, or another one than 2xx.
    """
    try:
        proxy = None if is_loopback(urlsplit(url).hostname or "") else egress.proxy or None
        with httpx.Client(verify=tls_context(egress), proxy=proxy, trust_env=False, timeout=TIMEOUT_S) as client:
            answer = client.post(url, json=document)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NotAlerted(Message("alert.no_webhook", why=type(error).__name__)) from None
    if not answer.is_success:
        raise NotAlerted(Message("alert.no_webhook", why=f"HTTP {answer.status_code}"))
