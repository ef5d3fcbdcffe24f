"""How requests leave the house: certificates that are trusted beside the usual ones, a proxy, a client certificate."""

from dataclasses import dataclass, field
from ipaddress import ip_address


@dataclass(frozen=True, slots=True)
class Egress:
    """What a company's network asks of programs that call out; "" where it asks nothing."""

    ca_file: str = ""
    proxy: str = field(default="", repr=False)
    client_cert: str = ""


DIRECT = Egress()


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by the name it is called by.

    >>> is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("localhost"), is_loopback("selo.example")
    (True, True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
