"""Tables drawn in text, read as the frames the decisions eat, so that a case reads like a document.

People, recordings and products go by short names; all of them are invented. Amounts are in reais with two decimals.
The frames keep their tables' promises, which `test_drawn_tables.py` sees to once, not every case again.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import pandas as pd
from pyarrow import array

from schemas.obligation import Obligation
from schemas.parsing.table import empty_table
from schemas.reasons import reasons_from_json, reasons_text
from schemas.tables.model import records
from schemas.tables.payees import USUAL_MINIMUM
from schemas.tables.recoup_scope import scope_of
from schemas.tables.royalties import CONDITIONS, LINE_AMOUNT
from schemas.values.bank_account import destination_of
from schemas.values.line_conditions import read_condition
from schemas.values.millionths import OF_PRICE, WHOLE
from schemas.values.money import exact_text, parse_plain_amount
from schemas.values.tax_id import check_digits
from tests.obligations import table_of

# In alphabetical order, so that the order of names is the order of their CPFs.
PEOPLE = ("ana", "bia", "caio", "davi", "edu", "flora")
CPF = {
    name: body + check_digits(body) for name, body in zip(PEOPLE, map(str, range(101000001, 102000000)), strict=False)
}
PAYER = "12ABC34501DE35"
NAMES = {cpf: name for name, cpf in CPF.items()} | {PAYER: "owner", "": ""}
RECORDINGS = {name: f"BRAUR26{number:05d}" for number, name in enumerate(("samba", "valsa", "choro", "frevo"), start=1)}
PRODUCTS = {name: f"78900000000{number:02d}" for number, name in enumerate(("single", "album"), start=1)}

Row = dict[str, str]


def table(text: str) -> list[Row]:
    """Read a drawn table: a header line, then one line a row, cells between pipes; a rule of dashes is decoration."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip().strip("|-+ ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[1:]]


def lines(text: str, file: str = "statement.tsv") -> pd.DataFrame:
    """Royalty lines: amount, and any of recording, product, release, title, artist, month, store, what is asked."""
    rows = [
        {
            "isrc": RECORDINGS.get(row.get("recording", ""), ""),
            "upc": PRODUCTS.get(row.get("product", ""), ""),
            "period": row.get("month", ""),
            "platform": row.get("store", ""),
            "price": row.get("price", ""),
            "units": int(row.get("units", "0")),
            "currency": row.get("currency", "BRL"),
            **{name: row.get(name, "") for name in ("release", "title", "artist", "territory", "income", "format")},
        }
        for row in table(text)
    ]
    frame = _completed("royalty_lines", rows, file)
    amounts = array([Decimal(row["amount"]) for row in table(text)], type=LINE_AMOUNT)
    frame["amount"] = pd.Series(amounts, dtype=pd.ArrowDtype(LINE_AMOUNT))
    return frame


def shares(text: str) -> pd.DataFrame:
    """Shares: payee, share (percent), and any of recording, product, release, artist, from, to, role, base, cap, tier.

    A tier goes from "above" to "below".
    """
    rows = [
        {
            "tax_id": CPF[row["payee"]],
            **_share(row["share"]),
            "isrc": RECORDINGS.get(row.get("recording", ""), ""),
            "upc": PRODUCTS.get(row.get("product", ""), ""),
            "valid_from": row.get("from", ""),
            "valid_to": row.get("to", ""),
            **{
                name: row.get(name, "")
                for name in ("release", "artist", "role", "base", "contract", "cap", "given_back")
            },
            "reserve_ppm": _ppm(row["reserve"]) if row.get("reserve") else "",
            "tier_from": row.get("above", ""),
            "tier_to": row.get("below", ""),
            **{name: _condition(name, row.get("service" if name == "platform" else name, "")) for name in CONDITIONS},
        }
        for row in table(text)
    ]
    return _completed("shares", rows, "shares.xlsx")


def _share(text: str) -> Row:
    """A part, money a unit ("0.10/un") or a part of the price ("10/price")."""
    if text.endswith("/un"):
        return {"share_ppm": "0", "per_unit": text.removesuffix("/un")}
    if text.endswith("/price"):
        return {"share_ppm": "0", "per_unit": f"{OF_PRICE}{_ppm(text.removesuffix('/price'))}"}
    return {"share_ppm": _ppm(text), "per_unit": ""}


def _ppm(text: str) -> str:
    """A part in percent, or as a fraction, as tables keep it."""
    return str(Fraction(text) * (WHOLE if "/" in text else 10_000))


def _scope(row: Row) -> str:
    """What an advance is recouped from: recording, contract, release, artist."""
    named = {name: row.get(name, "") for name in ("contract", "release", "artist")}
    return scope_of({"isrc": RECORDINGS.get(row.get("recording", ""), "")} | named)


def _condition(column: str, text: str) -> str:
    """Words of a condition have "or" between them here, where "|" ends a cell."""
    read = read_condition(column, text.replace(" or ", " | "))
    assert read is not None, f"{text} is no condition"
    return read


def costs(text: str) -> pd.DataFrame:
    """Costs: name and share (percent) or amount, and any of order, cap, date, payee, and of what.

    Of what is recording, product, release, artist, and what lines are asked.
    """
    rows = [
        {
            "order": int(row.get("order", "0")),
            "name": row["name"],
            "share_ppm": _ppm(row["share"]) if row.get("share") else "",
            "fixed_amount": row.get("amount", ""),
            **{name: row.get(name, "") for name in ("cap", "date")},
            "tax_id": CPF.get(row.get("payee", ""), ""),
            "isrc": RECORDINGS.get(row.get("recording", ""), ""),
            "upc": PRODUCTS.get(row.get("product", ""), ""),
            **{name: row.get(name, "") for name in ("release", "artist")},
            **{name: _condition(name, row.get("service" if name == "platform" else name, "")) for name in CONDITIONS},
        }
        for row in table(text)
    ]
    return _completed("costs", rows, "costs.xlsx")


def payees(*names: str) -> pd.DataFrame:
    """People with a Pix key each, which is their CPF."""
    known = {"pix_key_type": "cpf", "minimum_cents": USUAL_MINIMUM}
    rows = [{"tax_id": CPF[n], "name": n.title(), "pix_key": CPF[n]} | known for n in names]
    return _completed("payees", rows, "payees.xlsx")


def payments(text: str, file: str = "payments.xlsx") -> pd.DataFrame:
    """Payments: payee and amount, and any of key (a Pix e-mail), name, reference, withhold, recurring, owner."""
    rows = [
        {
            "tax_id": CPF[row["payee"]],
            "name": row.get("name", row["payee"].title()),
            "amount_cents": parse_plain_amount(row["amount"]),
            "owner_amount_cents": parse_plain_amount(row.get("owner") or "0"),
            "reference": row.get("reference", ""),
            "withhold": row.get("withhold", "") == "yes",
            "recurring": row.get("recurring", "") == "yes",
            **_mail_key(row.get("key", f"{row['payee']}@example.com")),
        }
        for row in table(text)
    ]
    return _completed("payments", rows, file)


def advances(text: str) -> pd.DataFrame:
    """Advances: payee and amount, and any of reference, date, part (percent), and what they are recouped from."""
    rows = [
        {
            "tax_id": CPF[row["payee"]],
            "amount_cents": parse_plain_amount(row["amount"]),
            "reference": row.get("reference", ""),
            "date": row.get("date", ""),
            "scope": _scope(row),
            "recoup_ppm": _ppm(row["part"]) if row.get("part") else "",
        }
        for row in table(text)
    ]
    return _completed("advances", rows, "advances.csv")


def opening(text: str) -> pd.DataFrame:
    """Opening balances: payee, kind, month and amount, and any of reference, date, recording."""
    rows = [
        {
            "tax_id": CPF[row["payee"]],
            "kind": row["kind"].replace(" ", "_"),
            "period": row["month"],
            "amount_cents": parse_plain_amount(row["amount"]),
            "reference": row.get("reference", ""),
            "date": row.get("date", ""),
            "scope": _scope(row),
        }
        for row in table(text)
    ]
    return _completed("opening", rows, "opening.xlsx")


def taxes(text: str) -> pd.DataFrame:
    """Taxes: payee, kind, and rate in percent or amount; any of from, to."""
    rows = [
        {
            "tax_id": CPF[row["payee"]],
            "kind": row["kind"],
            "percentage": row.get("rate", ""),
            "amount_cents": parse_plain_amount(row.get("amount") or "0"),
            "valid_from": row.get("from", ""),
            "valid_to": row.get("to", ""),
        }
        for row in table(text)
    ]
    return _completed("taxes", rows, "taxes.csv")


def held_rows(text: str = "", file: str = "held.xlsx") -> pd.DataFrame:
    """Rows with problems as the reader hands them on: payee, reference, amount ("" unreadable), currency, problem."""
    columns = ["file", "sheet", "row", "tax_id", "reference", "amount", "currency", "codes"]
    rows = [
        (file, "", number, CPF.get(row.get("payee", ""), ""), row.get("reference", ""),
         Decimal(row["amount"]) if row["amount"] else None,
         row.get("currency", ""), row["problem"])
        for number, row in enumerate(table(text) if text else [], start=2)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _mail_key(key: str) -> Row:
    return {"pix_key": key, "pix_key_type": "email" if key else ""}


def _completed(name: str, rows: list[dict[str, object]], file: str) -> pd.DataFrame:
    """Give rows the columns they lack, in the types of their table."""
    empty = empty_table(name)
    blanks = {"int64": 0, "bool": False}
    placed = [{"file": file, "sheet": "", "row": number} | row for number, row in enumerate(rows, start=2)]
    columns = {
        column: pd.Series([row.get(column, blanks.get(str(kind), "")) for row in placed], dtype=str(kind))
        for column, kind in empty.dtypes.items()
        if column != "amount"
    }
    return pd.DataFrame(columns).reindex(columns=list(empty.columns))


def reais(cents: int) -> str:
    """Write centavos as the drawn tables do: 12.34."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def destination_of_mail(key: str) -> str:
    """Fingerprint of a Pix e-mail key."""
    return destination_of(**_mail_key(key)).fingerprint


def drawn(frame: pd.DataFrame, columns: list[str]) -> list[Row]:
    """Write some columns of a result in the words of the drawn tables, in the order of the frame."""
    return [{name: _cell(row, name) for name in columns} for row in records(frame)]


def _cell(row: dict[str, object], name: str) -> str:
    if name == "payee":
        return NAMES[str(row["tax_id"])]
    for column in (f"{name}_cents", name.replace(" ", "_") + "_cents"):
        if column in row:
            return reais(int(str(row[column])))
    value = row[name.replace(" ", "_")]
    return exact_text(value) if isinstance(value, Decimal) else str(value)


def same(result: pd.DataFrame | Sequence[Obligation], text: str) -> bool:
    """Whether a result is what a drawn table says, in the columns it draws, whatever the order of rows.

    Raises:
        AssertionError: it is not; shows what was found, drawn the same way.
    """
    expected = table(text)
    columns = list(expected[0]) if expected else [cell.strip() for cell in text.strip().strip("|").split("|")]
    frame = result if isinstance(result, pd.DataFrame) else table_of(result)
    if "reasons" in frame:  # kept as JSON
        frame = frame.assign(reason=frame["reasons"].map(lambda kept: reasons_text(reasons_from_json(kept))))
    found = drawn(frame, columns)

    def in_order(rows: list[Row]) -> list[tuple[str, ...]]:
        return sorted(tuple(row[name] for name in columns) for row in rows)

    if in_order(found) != in_order(expected):
        shown = [" | ".join(columns), *(" | ".join(row) for row in in_order(found))]
        raise AssertionError("found instead:\n" + "\n".join(shown))
    return True
