"""qrcode: a Pix QR code by the endpoint the service calls deprecated, decoded and held against what was asked for."""

import getpass
import sys
import warnings
from pathlib import Path
from typing import Any, Final, get_args

from flows.opening import open_ledger_of
from flows.runner import opened_service
from flows.settings import read_settings
from flows.terminal.printing import console_for
from schemas.errors import DecisionRefused, UnreadableFile
from schemas.exit_codes import ExitCode
from schemas.values.money import parse_amount
from schemas.values.pix_key import read_pix_key, read_pix_key_type
from schemas.wire import PixKeyType, QrCodeRequest, amount_from_cents

Result = tuple[ExitCode, dict[str, Any]]

_LONGEST_KEY_FILE: Final = 4096
LANGUAGE: Final = "en"
PERSONAL: Final = frozenset({"cpf", "phone_number", "email"})


def ask_qr_code(  # each is named at the call
    amount: str, *, key: str, key_type: str, expires_s: int | None, conciliation_id: str | None, as_json: bool
) -> Result:
    """Create a dynamic QR code for a deposit and print its copy-and-paste text.

    The text that comes back is decoded: its CRC, and key and amount where it shows them, must be what was asked for.

    Args:
        amount: To be received, as a person writes it.
        key: The receiver's Pix key; "-" asks for it or reads one line of standard input, "@FILE" reads a file. A key
            that says who somebody is (CPF, phone number, e-mail) is taken in these two ways alone: what is typed into a
            command stays in the shell's history, and everybody on the machine sees it.
        key_type: What the key is: the wire's word or a Portuguese one.
        expires_s: How long it is valid; the service's own day when None.
        conciliation_id: The receiver's own reference.
        as_json: Whether standard output is kept for one document.

    Returns:
        Exit 40 when the code is not what was asked for; it is not printed then.

    Raises:
        DecisionRefused: amount or key make no sense; nothing was sent.
        Unanswered: a code may have been made.
    """
    request = QrCodeRequest(
        amount=amount_from_cents(_amount_cents(amount)),
        pix_key=_read_key(key, key_type),
        expiration_seconds=expires_s,
        receiver_conciliation_id=conciliation_id,
        qr_code_type="dynamic",
    )
    settings = read_settings()
    with opened_service(settings) as service, open_ledger_of(settings, create=False) as ledger:
        if ledger.service.current().url:  # a key never goes to a service that is not the ledger's
            ledger.service.bind_or_check(service.url, service.key_fingerprint)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # people are told below, in words for them
            code = service.api.pix.create_qr_code(request)
        found = service.api.pix.check_qr_code(request, code)
    words = found.in_words(LANGUAGE)
    sys.stderr.write("".join(f"{line}\n" for line in words))
    sound = found.is_sound
    if sound and not as_json:
        console_for(as_json=False).out(found.payload, highlight=False)  # as it is: a line break would spoil it
    wrong = bool(found.differs) or any(not problem.leaves_open for problem in found.problems)
    document = {
        "deprecated": True,
        "payload": found.payload if sound else None,
        "qr_code_key": code.qr_code_key,
        "image": None if wrong else code.image,
        "problems": [problem.value for problem in found.problems],
        "differs": list(found.differs),
    }
    return (ExitCode.DISCREPANCIES if wrong else ExitCode.DONE), document


def _amount_cents(text: str) -> int:
    try:
        cents = parse_amount(text)
    except ValueError as error:
        raise DecisionRefused(f"--amount: {error}") from None
    if cents <= 0:
        raise DecisionRefused("--amount must be more than zero")
    return cents


def _read_key(given: str, key_type: str) -> str:
    stated = read_pix_key_type(key_type).value
    if stated is None:
        raise DecisionRefused(f"--key-type is one of {', '.join(get_args(PixKeyType))}")
    if stated in PERSONAL and given != "-" and not given.startswith("@"):
        raise DecisionRefused("this key says who somebody is: give --key - and type it when asked, or --key @FILE")
    key = read_pix_key(_given_key(given), stated).value
    if key is None:
        raise DecisionRefused(f"--key is no Pix key of the type {stated}")
    return key


def _given_key(text: str) -> str:
    if text == "-":
        return getpass.getpass("Pix key: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
    if not text.startswith("@"):
        return text
    path = Path(text[1:])
    try:
        with path.open(encoding="utf-8") as stream:
            return stream.read(_LONGEST_KEY_FILE).strip()
    except (OSError, UnicodeDecodeError):
        raise UnreadableFile(f"{path}: the file of --key cannot be read") from None
