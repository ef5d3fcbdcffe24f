"""How the desk is served."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class DeskSettings:
    """How the desk is served.

    Attributes:
        uploads: Folder of what people upload; made when missing.
        https: Whether browsers reach it over https, so that cookies are Secure and HSTS is sent.
        hosts: Names it answers to; anything else is refused.
        upload_limit_bytes: The longest upload, of one or several files at once.
        idle: A session that nobody used for so long ends.
        absolute: Every session ends after so long.
        attempts_per_name: Failures to sign in a name may have within `attempts_within`.
        attempts_per_address: The same of an address.
        attempts_within: The window of both.
    """

    uploads: Path
    https: bool = False
    hosts: tuple[str, ...] = LOOPBACK_HOSTS
    upload_limit_bytes: int = 100 * MEGABYTE
    idle: dt.timedelta = dt.timedelta(minutes=30)
    absolute: dt.timedelta = dt.timedelta(hours=12)
    attempts_per_name: int = 5
    attempts_per_address: int = 20
    attempts_within: dt.timedelta = dt.timedelta(minutes=15)
