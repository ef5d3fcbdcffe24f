"""The royalties job: two statements, payees, shares, advances; and the same with one share of the whole catalogue."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from sample_data.making.catalogue import Catalogue, Share, invent_catalogue
from sample_data.making.documents import write_delimited, write_json, write_text
from sample_data.making.jobs import CATALOGUE_JOB, ROYALTIES_JOB
from sample_data.making.known_result import Advance, known_result
from sample_data.making.payments import DESTINATION_HEADERS
from sample_data.making.people import masked
from sample_data.making.statements import (
    DISTROKID_FILE,
    DISTROKID_HEADERS,
    REAL_FILE,
    REAL_HEADERS,
    Line,
    distrokid_rows,
    invent_lines,
    real_rows,
)
from sample_data.making.workbooks import write_workbook

PAYEE_HEADERS = ("Nome", "CPF/CNPJ", "E-mail", *DESTINATION_HEADERS)
SHARE_HEADERS = ("ISRC", "UPC", "Álbum", "Artista", "CPF/CNPJ", "Função", "Participação", "valid_from", "valid_to")
ADVANCE_HEADERS = ("tax_id", "reference", "amount", "date", "isrc")


def write_royalties(folder: Path, catalogue_folder: Path, expected: Path) -> None:
    """Write both jobs, what came in, who shares it, and what it comes to."""
    catalogue = invent_catalogue()
    lines = invent_lines(catalogue)
    advances = _invent_advances(catalogue)
    write_text(folder / "job.yaml", ROYALTIES_JOB)
    _write_statements(folder, lines)
    _write_payees(folder, catalogue)
    _write_shares(folder, catalogue.shares)
    _write_advances(folder, advances)
    royalties = known_result("aurora-royalties", lines, catalogue.shares, catalogue.payees, advances)
    write_json(expected / "royalties.json", royalties)

    shares = _catalogue_wide_shares(catalogue)
    write_text(catalogue_folder / "job.yaml", CATALOGUE_JOB)
    _write_shares(catalogue_folder, shares)
    write_json(
        expected / "catalogue.json", known_result("aurora-catalogue", lines, shares, catalogue.payees, advances=())
    )


def _write_statements(folder: Path, lines: Sequence[Line]) -> None:
    dollars = [line for line in lines if line.file == DISTROKID_FILE]
    reals = [line for line in lines if line.file == REAL_FILE]
    write_delimited(folder / DISTROKID_FILE, DISTROKID_HEADERS, distrokid_rows(dollars), "\t")
    write_workbook(folder / REAL_FILE, "Relatório", REAL_HEADERS, real_rows(reals))


def _write_payees(folder: Path, catalogue: Catalogue) -> None:
    rows = [[payee.name, masked(payee.tax_id), payee.email, *astuple(payee.destination)] for payee in catalogue.payees]
    write_workbook(folder / "payees.xlsx", "Favorecidos", PAYEE_HEADERS, rows)


def _write_shares(folder: Path, shares: Sequence[Share]) -> None:
    write_workbook(folder / "shares.xlsx", "Participações", SHARE_HEADERS, [share.cells() for share in shares])


def _write_advances(folder: Path, advances: Sequence[Advance]) -> None:
    rows = [
        [
            *(advance.tax_id, advance.reference, f"{advance.amount_cents // 100}.{advance.amount_cents % 100:02d}"),
            *(advance.date.isoformat(), advance.isrc),
        ]
        for advance in advances
    ]
    write_delimited(folder / "advances.csv", ADVANCE_HEADERS, rows, ",")


def _invent_advances(catalogue: Catalogue) -> list[Advance]:
    members = catalogue.members
    cacto, jurema, rio = members["Cacto Elétrico"][0], members["Jurema & Os Pardais"][1], members["Rio Parado"][0]
    cacto_track, rio_track = catalogue.tracks["Cacto Elétrico"][3], catalogue.tracks["Rio Parado"][2]
    return [
        # Listed with the newer one first: they are repaid by date.
        Advance(cacto.tax_id, "AD-2026-009", 40_000, dt.date(2026, 5, 20)),
        Advance(cacto.tax_id, "AD-2025-031", 45_050, dt.date(2025, 11, 3)),
        Advance(cacto.tax_id, "AD-2026-002", 500_000, dt.date(2026, 1, 15), cacto_track.isrc),
        Advance(rio.tax_id, "AD-2026-011", 12_500, dt.date(2026, 6, 8), rio_track.isrc),
        # More than it can repay this month.
        Advance(jurema.tax_id, "AD-2026-005", 1_500_000, dt.date(2026, 2, 27)),
        # Nothing to repay it from: more was returned than sold.
        Advance(members["Bonde Manso"][0].tax_id, "AD-2026-014", 20_000, dt.date(2026, 7, 1)),
    ]


def _catalogue_wide_shares(catalogue: Catalogue) -> list[Share]:
    administrator = Share("catalogue", "", catalogue.publisher.tax_id, "Administradora", "33.3333")
    partner = Share("catalogue", "", catalogue.producer.tax_id, "Sócio", "12.3457")
    kept = [share for share in catalogue.shares if share.level == "isrc"]
    return [administrator, partner, *kept]
