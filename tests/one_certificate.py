"""A file of one certificate, for clients that speak over loopback alone and yet would read all there are."""

from pathlib import Path

import certifi


def write_one_certificate(folder: Path) -> Path:
    """Write the first of the certificates httpx would trust: reading all takes a good part of a short life."""
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----\n")
    (file := folder / "one-certificate.pem").write_text(first + end, encoding="utf-8")
    return file
