"""What a DDEX sales report is known by: its first record is a HEAD."""

from typing import Final

BOM: Final = b"\xef\xbb\xbf"


def is_records(first_bytes: bytes) -> bool:
    r"""Tell whether a file is a DDEX sales report: its first line that is neither blank nor a comment is a HEAD.

    >>> is_records(b"#HEAD\tMessageVersion\nHEAD\tdsrf/1.4\n"), is_records(b"Head,Tail\\n")
    (True, False)
    """
    lines = first_bytes.removeprefix(BOM).splitlines()
    return next((line for line in lines if line.strip() and not line.startswith(b"#")), b"").startswith(b"HEAD\t")
