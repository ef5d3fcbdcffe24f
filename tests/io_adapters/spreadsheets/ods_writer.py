"""Writes small .ods files element by element, for what no program at hand can be made to write."""

import io
import zipfile

_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_SPACES = {name: f"{_OASIS}{name}:1.0" for name in ("office", "table", "text", "style", "meta", "manifest")}
DECLARED = " ".join(f'xmlns:{prefix}="{space}"' for prefix, space in _SPACES.items())


def text_cell(text: str, more: str = "") -> str:
    return f'<table:table-cell office:value-type="string" {more}><text:p>{text}</text:p></table:table-cell>'


def float_cell(value: str) -> str:
    return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>?</text:p></table:table-cell>'


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def table(*rows: str, name: str = "Dados") -> str:
    return f'<table:table table:name="{name}">{"".join(rows)}</table:table>'


def package(*tables: str, before: str = "", manifest: str = "", **parts: str) -> bytes:
    """Return a file; further parts by name, with __ for / and _ for a dot.

    Args:
        tables: Its sheets.
        before: What precedes the root element of its content.
        manifest: Entries of its list of parts.
        parts: What stands beside them.
    """
    body = f"<office:body><office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
    content = f'<?xml version="1.0" encoding="UTF-8"?>{before}<office:document-content {DECLARED}>{body}'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f"<manifest:manifest {DECLARED}>{manifest}</manifest:manifest>")
        archive.writestr("content.xml", content + "</office:document-content>")
        for name, part in parts.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), part)
    return packed.getvalue()
