"""Uploads: streamed to disk, hashed on the way, stored by content; refused ones leave nothing behind."""

import asyncio
import datetime as dt
import os
import re
import secrets
import unicodedata
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from flows.desk.guard import TOKEN, RequestRefused, Signed, require_token, settings_of
from io_adapters.ledger.ledger import Ledger

# What is left of a request that is too long is read and thrown away, up to so many times the limit, so that a browser
# that is still sending hears the answer.
DRAINED_TIMES: Final = 10
PIECE_BYTES: Final = 1_000_000
LONGEST_FIELD: Final = 4_096
MOST_PARTS: Final = 400
# In bytes, of 255 that a file system lets a name have: others put a little more before or behind it.
LONGEST_NAME: Final = 120
LONGEST_SUFFIX: Final = 10
# Between two pieces of an upload; who is silent for longer is gone.
SILENT_S: Final = 60
# All of it, however steadily it comes.
UPLOAD_WITHIN_S: Final = 1_800
INCOMING: Final = ".incoming"
UNUSED_FOR: Final = dt.timedelta(days=7)
# Unused uploads may take so many times the longest one.
QUOTA_TIMES: Final = 20
FILE_FIELD: Final = "file:"
_STRANGE: Final = re.compile(r"[^\w .()+\-\[\]]")


@dataclass(frozen=True, slots=True)
class Received:
    """One file of a request."""

    source: str
    name: str
    sha256: str
    size_bytes: int
    path: Path


@dataclass(slots=True)
class _FormPart:
    headers: dict[bytes, bytes] = field(default_factory=dict)
    header: bytearray = field(default_factory=bytearray)
    value: bytearray = field(default_factory=bytearray)
    name: str = ""
    file_name: str | None = None
    stream: IO[bytes] | None = None
    path: Path | None = None
    digest: Any = None
    size_bytes: int = 0


class UploadReceiver:
    """Takes a multipart request apart as it comes in.

    The form's token must come before its first file: nothing is written for whoever does not have it.
    """

    def __init__(self, folder: Path, boundary: bytes, csrf: str) -> None:
        self._folder = folder
        self._csrf = csrf
        self._part = _FormPart()
        self._parts = 0
        self._files: list[_FormPart] = []
        self.fields: dict[str, str] = {}
        self.parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_name,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._start,
                "on_part_data": self._data,
                "on_part_end": self._end,
            },
        )

    def keep(self) -> list[Received]:
        """Put every file in its place; the same content under the same name is there once."""
        return [self._placed(part) for part in self._files]

    def throw_away(self) -> None:
        for part in (*self._files, self._part):
            if part.stream is not None:
                part.stream.close()
            if part.path is not None:
                part.path.unlink(missing_ok=True)

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise RequestRefused(413, "desk.refused.parts")
        self._part = _FormPart()

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._part.header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._part.value += data[start:end]

    def _header_end(self) -> None:
        part = self._part
        part.headers[bytes(part.header).lower()] = bytes(part.value)
        part.header.clear()
        part.value.clear()

    def _start(self) -> None:
        part = self._part
        _, options = parse_options_header(part.headers.get(b"content-disposition"))
        part.name = options.get(b"name", b"").decode("utf-8", "replace")
        if b"filename" not in options:
            return
        require_token(self.fields.get(TOKEN, ""), self._csrf)
        part.file_name = options[b"filename"].decode("utf-8", "replace")
        if part.file_name:
            part.path = self._folder / INCOMING / secrets.token_hex(16)
            part.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            part.stream = os.fdopen(os.open(part.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
            part.digest = sha256()

    def _data(self, data: bytes, start: int, end: int) -> None:
        part = self._part
        if part.stream is not None:
            piece = memoryview(data)[start:end]
            part.stream.write(piece)
            part.digest.update(piece)
            part.size_bytes += end - start
        elif part.file_name is None:
            part.value += data[start:end]
            if len(part.value) > LONGEST_FIELD:
                raise RequestRefused(413, "desk.refused.form")

    def _end(self) -> None:
        part = self._part
        if part.stream is not None:
            part.stream.flush()
            os.fsync(part.stream.fileno())
            part.stream.close()
            self._files.append(part)
        elif part.file_name is None:
            self.fields[part.name] = part.value.decode("utf-8", "replace")
        self._part = _FormPart()

    def _placed(self, part: _FormPart) -> Received:
        if part.path is None:
            raise RuntimeError("a file without a place")
        digest, name = part.digest.hexdigest(), safe_name(part.file_name or "")
        home = self._folder / digest
        home.mkdir(exist_ok=True, mode=0o700)
        part.path.replace(home / name)
        part.path = None
        return Received(part.name.removeprefix(FILE_FIELD), name, digest, part.size_bytes, home / name)


def keep(path: Path, folder: Path, name: str) -> Received:
    """Keep a file that was made here as one that somebody has brought."""
    content = path.read_bytes()
    digest = sha256(content).hexdigest()
    called = name.format(sha256=digest)
    home = folder / digest
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.replace(home / called)
    return Received("", called, digest, len(content), home / called)


async def receive(request: Request, signed: Signed) -> tuple[dict[str, str], list[Received]]:
    """Take the files of a form, and write down who brought them.

    Raises:
        Refused: it is too long, from another site, without its token, or no form; nothing of it is left.
    """
    settings = settings_of(request)
    limit_bytes = settings.upload_limit_bytes
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise RequestRefused(415, "desk.refused.form")
    if _declared_length(request) > limit_bytes:
        await _drain(request, limit_bytes)
        raise RequestRefused(413, "desk.refused.size")
    receiver = UploadReceiver(settings.uploads, options[b"boundary"], signed.csrf)
    try:
        await _feed(request, receiver, limit_bytes)
        return receiver.fields, await run_in_threadpool(_keep_all, request, receiver, signed)
    except MultipartParseError:
        raise RequestRefused(400, "desk.refused.form") from None
    except TimeoutError:
        raise RequestRefused(408, "desk.refused.slow") from None
    except OSError:  # the disk is full, or not ours to write
        raise RequestRefused(507, "desk.refused.disk") from None
    finally:
        receiver.throw_away()


def _keep_all(request: Request, receiver: UploadReceiver, signed: Signed) -> list[Received]:
    desk, settings = request.app.state.desk, settings_of(request)
    quota_bytes = QUOTA_TIMES * settings.upload_limit_bytes
    make_room(desk.ledger, settings.uploads, desk.clock.now(), quota_bytes=quota_bytes)
    kept = receiver.keep()
    for file in kept:
        desk.ledger.desk_uploads.record(file.sha256, file.name, file.size_bytes, signed.user.name)
    return kept


async def _feed(request: Request, receiver: UploadReceiver, limit_bytes: int) -> None:
    async with asyncio.timeout(UPLOAD_WITHIN_S):
        await _feed_all(request, receiver, limit_bytes)


async def _feed_all(request: Request, receiver: UploadReceiver, limit_bytes: int) -> None:
    waiting, received = bytearray(), 0
    stream = _pieces(request)
    async for piece in stream:
        received += len(piece)
        if received > limit_bytes:
            receiver.throw_away()
            await _drain(request, limit_bytes, stream)
            raise RequestRefused(413, "desk.refused.size")
        waiting += piece
        if len(waiting) >= PIECE_BYTES:
            await run_in_threadpool(receiver.parser.write, bytes(waiting))
            waiting.clear()
    await run_in_threadpool(receiver.parser.write, bytes(waiting))
    receiver.parser.finalize()
    require_token(receiver.fields.get(TOKEN, ""), receiver._csrf)  # noqa: SLF001


async def _drain(request: Request, limit_bytes: int, stream: AsyncIterator[bytes] | None = None) -> None:
    read = 0
    with suppress(TimeoutError):
        async for piece in stream or _pieces(request):
            read += len(piece)
            if read > DRAINED_TIMES * limit_bytes:
                return


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """Hand a request's body on as it comes in.

    Raises:
        TimeoutError: nothing came for `SILENT_S`.
    """
    stream = aiter(request.stream())
    while True:
        async with asyncio.timeout(SILENT_S):
            piece = await anext(stream, None)
        if piece is None:
            return
        yield piece


def make_room(ledger: Ledger, folder: Path, now: dt.datetime, *, quota_bytes: int) -> None:
    """Throw away uploads that came to nothing: those of long ago, and the oldest of them where there are too many.

    What a run has read, or a job holds, is kept for good.
    """
    unused = ledger.desk_uploads.unused()
    taken = sum(upload.size_bytes for upload in unused)
    for upload in unused:
        if taken <= quota_bytes and upload.at > now - UNUSED_FOR:
            return
        (folder / upload.sha256 / upload.name).unlink(missing_ok=True)
        with suppress(OSError):  # the same bytes may be there under another name
            (folder / upload.sha256).rmdir()
        ledger.desk_uploads.forget(upload)
        taken -= upload.size_bytes


def forget_unfinished(folder: Path, before: dt.datetime) -> None:
    """Throw away what a desk left behind that ended in the middle of an upload, before some moment."""
    for path in (folder / INCOMING).glob("*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < before.timestamp():
                path.unlink()


def _declared_length(request: Request) -> int:
    with suppress(ValueError):
        return int(request.headers.get("content-length", "0"))
    return 0


def safe_name(name: str) -> str:
    r"""Make a file's name safe for every file system, and for a command line.

    >>> safe_name("..\\..\\etc/pagamentos março.xlsx"), safe_name("~$a=b.xlsx"), safe_name("...")
    ('pagamentos março.xlsx', '__a_b.xlsx', 'upload')
    """
    base = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    clean = _STRANGE.sub("_", base).strip(" .")
    stem, dot, suffix = clean.rpartition(".")
    if not dot:
        return _cut(clean, LONGEST_NAME) or "upload"
    return f"{_cut(stem, LONGEST_NAME - LONGEST_SUFFIX - 2)}.{_cut(suffix, LONGEST_SUFFIX)}"


def _cut(text: str, size_bytes: int) -> str:
    return text.encode()[:size_bytes].decode("utf-8", "ignore")
