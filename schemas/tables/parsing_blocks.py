"""A block of a file of royalty lines as a table, without the rest of the file."""

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable
from schemas.tables.apart import Why
from schemas.tables.block_sums import BlockSums, sum_block
from schemas.tables.decisions import Decision
from schemas.tables.evidence import NO_EVIDENCE, Evidence
from schemas.tables.findings import count_normalised
from schemas.tables.parsing import ParsedTable, read_rows, settled


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of a file when one of its blocks is read.

    Attributes:
        evidence: Cells that decide how columns are read.
        below: Whether the block of totals below the lines has begun.
    """

    evidence: Evidence = NO_EVIDENCE
    below: bool = False


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """A block of a file as a table; what holds of the file as a whole is left open.

    Attributes:
        table: As of a file, but that no total was held against its lines; its decisions are those below.
        sums: To hold the file's totals against its lines.
        decided: Canonical column -> what was decided for it.
        left_out: How many rows the layout leaves out.
        normalised: Header -> how many of its cells the one VALUE_NORMALISED of `table.issues` speaks of.
        after: What is known when the next block is read.
    """

    table: ParsedTable
    sums: BlockSums
    decided: Mapping[str, Decision]
    left_out: int
    normalised: Mapping[str, int]
    after: Before


def parse_block(raw: RawTable, layout: Layout, *, language: str, before: Before) -> ParsedBlock:
    """Read a block of a file of royalty lines, of which no row has to know the rows of another block.

    Args:
        raw: Its rows.
        layout: How its sender lays the file out.
        language: "pt-BR" or "en", of the messages.
        before: What is known of the file so far.

    Raises:
        UnreadableFile: a required column is missing or claimed twice; carries the issues.
    """
    found = read_rows(raw, layout, language, payee_data_required=True, evidence=before.evidence, below=before.below)
    draft, apart = found.draft, found.apart
    compares = bool(layout.totals or layout.control)
    positions = found.match.positions
    return ParsedBlock(
        table=settled(found, raw, layout, language),
        sums=sum_block(draft, apart) if compares else BlockSums(len(draft.rows)),
        decided=draft.decisions,
        left_out=apart.count(Why.LEFT_OUT),
        normalised={raw.headers[positions[name]]: n for name, n in count_normalised(draft).items() if name},
        after=Before(Evidence(draft.evidence), apart.below),
    )
