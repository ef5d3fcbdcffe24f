"""The records of an .xlsb's parts: type, length, body ([MS-XLSB] 2.1.4), and what their bodies are made of."""

import struct
from collections.abc import Iterator


def records(part: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield type and body of each record.

    Raises:
        IndexError: the part ends within a record.
    """
    offset, end = 0, len(part)
    while offset < end:
        # Type and length are written seven bits a byte, low ones first; the eighth says that more follow.
        kind = part[offset]
        offset += 1
        if kind & 0x80:
            kind = kind & 0x7F | (part[offset] & 0x7F) << 7
            offset += 1
        size = part[offset]
        offset += 1
        if size & 0x80:
            size &= 0x7F
            for shift in (7, 14, 21):
                more = part[offset]
                offset += 1
                size |= (more & 0x7F) << shift
                if not more & 0x80:
                    break
        body = part[offset : offset + size]
        if len(body) < size:
            raise IndexError("a record is cut off")
        yield kind, body
        offset += size


def wide_text(body: bytes, offset: int) -> tuple[str, int]:
    """Return a text and the offset of what follows it; one that is left out is empty.

    Raises:
        struct.error, IndexError, UnicodeDecodeError: there is none.
    """
    (characters,) = struct.unpack_from("<I", body, offset)
    offset += 4
    if characters == 0xFFFF_FFFF:
        return "", offset
    end = offset + 2 * characters
    if end > len(body):
        raise IndexError("a text is cut off")
    return body[offset:end].decode("utf-16-le"), end


def rk_number(body: bytes, offset: int) -> float:
    """Return a number packed into four bytes: a whole one or the upper half of a double, and perhaps its hundredth."""
    (packed,) = struct.unpack_from("<i", body, offset)
    if packed & 2:
        number = float(packed >> 2)
    else:
        (number,) = struct.unpack("<d", b"\0\0\0\0" + struct.pack("<i", packed & ~3))
    return number / 100 if packed & 1 else number
