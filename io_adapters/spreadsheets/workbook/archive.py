"""Opening a ZIP package safely: nothing is expanded before its table of contents has been judged."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final
from xml.etree.ElementTree import Element, ParseError
from xml.parsers.expat import ExpatError

from defusedxml import DefusedXmlException, ElementTree

from io_adapters.spreadsheets.limits import HARMLESS_BYTES, MOST_EXPANSION, MOST_ZIP_MEMBERS
from io_adapters.spreadsheets.workbook.sheets import WorkbookRefused

_CHUNK_BYTES: Final = 2**20
_ENCRYPTED_FLAG: Final = 1
# What is raised for archives and XML that are not sound; NotImplementedError is zipfile's word for odd compressions.
_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    ValueError,
    NotImplementedError,
    ParseError,
    ExpatError,
)
_UTF_16: Final = {b"\xff\xfe": "utf-16-le", b"<\0": "utf-16-le", b"\xfe\xff": "utf-16-be", b"\0<": "utf-16-be"}
# Longer than any words that are looked for in XML.
_SEAM_BYTES: Final = 512


def open_archive(content: bytes) -> zipfile.ZipFile:
    """Open a package whose table of contents is harmless.

    Raises:
        Refused: FILE_CORRUPT, FILE_ENCRYPTED; FILE_ZIP for too many members, and for names that lead out of the
            archive or that two members bear, case aside; FILE_TOO_LARGE for members that expand beyond what a table
            does, each or together.
    """
    with reading("ZIP"):
        archive = zipfile.ZipFile(io.BytesIO(content))
    members = archive.infolist()
    if len(members) > MOST_ZIP_MEMBERS:
        raise WorkbookRefused("FILE_ZIP", "package_members", members=len(members), limit=MOST_ZIP_MEMBERS)
    names: set[str] = set()
    for member in members:
        name = member.filename.replace("\\", "/").casefold()
        if name.startswith("/") or ".." in name.split("/") or name in names:
            raise WorkbookRefused("FILE_ZIP", "package_member", member=ascii(member.filename)[:200])
        names.add(name)
        if member.flag_bits & _ENCRYPTED_FLAG:
            raise WorkbookRefused("FILE_ENCRYPTED")
        if member.file_size > max(HARMLESS_BYTES, MOST_EXPANSION * member.compress_size):
            raise WorkbookRefused("FILE_TOO_LARGE", "bomb", part=ascii(member.filename)[1:201])
    if sum(member.file_size for member in members) > max(HARMLESS_BYTES, MOST_EXPANSION * len(content)):
        raise WorkbookRefused("FILE_TOO_LARGE", "bomb", part="ZIP")
    return archive


@contextmanager
def reading(part: str) -> Iterator[None]:
    """Turn what the libraries raise into a refusal that names the part; their own words might repeat a cell.

    Raises:
        Refused: FILE_XML_FORBIDDEN or FILE_CORRUPT.
    """
    try:
        yield
    except DefusedXmlException:
        raise WorkbookRefused("FILE_XML_FORBIDDEN") from None
    except _DAMAGE as error:
        raise WorkbookRefused("FILE_CORRUPT", "corrupt", reason=f"{part} ({type(error).__name__})") from error


def chunks(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """Yield a part's bytes, about a megabyte at a time; its checksum is verified on the way.

    Raises:
        Refused: FILE_CORRUPT.
    """
    with reading(part), archive.open(part) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk


def _with_seams(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks, and between each two the place where they meet, so that no word is missed there."""
    before = b""
    for chunk in chunks:
        if before:
            yield before[-_SEAM_BYTES:] + chunk[:_SEAM_BYTES]
        yield chunk
        before = chunk


def xml_tree(archive: zipfile.ZipFile, part: str) -> Element:
    """Parse a small part.

    Raises:
        Refused: FILE_CORRUPT, FILE_XML_FORBIDDEN.
    """
    with reading(part):
        root: Element = ElementTree.fromstring(archive.read(part), forbid_dtd=True)
    return root


def forbid_document_types(archive: zipfile.ZipFile, parts: Iterable[str]) -> None:
    """Refuse parts that declare a document type or entities, the way to blow up or to reach out of an XML file.

    Raises:
        Refused: FILE_XML_FORBIDDEN, FILE_CORRUPT.
    """
    for part in parts:
        forbidden: re.Pattern[bytes] | None = None
        for chunk in _with_seams(chunks(archive, part)):
            forbidden = forbidden or _document_type_pattern(chunk)
            if forbidden.search(chunk):
                raise WorkbookRefused("FILE_XML_FORBIDDEN")


def _document_type_pattern(start: bytes) -> re.Pattern[bytes]:
    codec = _UTF_16.get(start[:2], "utf-8")
    return re.compile(b"|".join(re.escape(word.encode(codec)) for word in ("<!DOCTYPE", "<!ENTITY")))


def local_name(element: Element) -> str:
    """Return an element's name without its namespace: strict and usual files differ in nothing else."""
    return element.tag.rsplit("}", 1)[-1]
