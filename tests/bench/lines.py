"""A large statement: the same lines each time, of some 83 bytes each."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

MILLION = 1_000_000
HEADERS = ("Período", "Plataforma", "Território", "ISRC", "Título", "Artista", "Quantidade", "Valor", "Moeda")
RECORDINGS, PLATFORMS = 20_000, 12
_PLATFORM = re.compile(rb"Plataforma (\d\d)")
TERRITORIES = ("BR", "US", "PT", "AR", "MX", "DE", "FR", "GB", "JP", "CL")


def write_lines(path: Path, count: int, *, delimiter: str = ",", quote: str = "", decimal: str = ".") -> None:
    """Write a statement of some 83 bytes a line; after the first million, their amounts on other platforms."""
    random = Random(7)

    def cells(number: int) -> Iterator[str]:
        recording = random.randrange(RECORDINGS)
        yield from ("2026-10", f"Plataforma {random.randrange(PLATFORMS):02d}", random.choice(TERRITORIES))
        yield from (f"BRAUR26{recording:05d}", f"Canção {recording}", f"Artista {recording % 3_000}")
        yield from (
            str(number % 977),
            f"{random.random() * 3:.{random.randrange(6, 14)}f}".replace(".", decimal),
            "BRL",
        )

    def line(texts: Iterator[str] | tuple[str, ...]) -> str:
        return delimiter.join(f"{quote}{text}{quote}" for text in texts) + "\n"

    lines = "".join(line(cells(number)) for number in range(min(count, MILLION))).encode()
    with path.open("wb") as stream:
        stream.write(line(HEADERS).encode())
        for copy in range(count // min(count, MILLION)):
            stream.write(_PLATFORM.sub(partial(_moved, by=copy), lines) if copy else lines)


def _moved(platform: re.Match[bytes], by: int) -> bytes:
    return b"Plataforma %02d" % ((int(platform[1]) + by) % PLATFORMS)
