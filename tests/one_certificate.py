"""Certificates of tests: a single trusted one, for clients that would read all there are; and one for 127.0.0.1."""

import datetime as dt
import ipaddress
from pathlib import Path

import certifi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def write_one_certificate(folder: Path) -> Path:
    """Write the first of the certificates httpx would trust: reading all takes a good part of a short life."""
    first, end, _ = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----\n")
    (file := folder / "one-certificate.pem").write_text(first + end, encoding="utf-8")
    return file


def write_own_certificate(folder: Path) -> Path:
    """Write a certificate for 127.0.0.1 that is signed by itself, and its key before it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + dt.timedelta(1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    (path := folder / "both.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path
