"""Sheets in words that this program does not know: nothing in them is harmless because nobody knows the word.

Headers and cells are names of languages, territories and currencies in a dozen languages, as the Unicode Consortium
writes them (CLDR, in Babel): nobody chose them for what this program can read. Held constant: tables of payments with
one column each of what is read. What varies beside it: how many columns, their headers and cells, blanks, a comment and
a line above.
"""

from dataclasses import replace
from random import Random

import pytest
from babel import Locale

from schemas.issues import Severity
from schemas.layouts.headers import match_headers
from schemas.parsing.columns_by_cells import as_proposed
from schemas.parsing.table import ParsedTable, parse_table
from schemas.parsing.written import folded_text, texts_to_check, words_in
from schemas.raw_table import RawTable
from schemas.sheet_cells import HeadRow, Oddities
from tests.sampled import sampled
from tests.schemas.sheets import PIX_PAYEE, codes, layout, sheet

LANGUAGES = ("pt", "en", "es", "de", "fi", "tr", "ja", "ar", "ru", "sw", "vi", "hu")
WORDS = sorted(
    {
        name
        for language in LANGUAGES
        for names in (Locale(language).languages, Locale(language).territories, Locale(language).currencies)
        for name in names.values()
        if 2 < len(name) < 30
    }
)
PAYMENTS = layout("payments")
PAYEES = [
    PIX_PAYEE,
    PIX_PAYEE | {"tax_id": "11144477735", "name": "Ana Lima", "pix_key": "ana@example.com"},
    PIX_PAYEE | {"tax_id": "39053344705", "name": "Bia Reis", "pix_key": "bia@example.com"},
]
A_HUNDRED = 100


class Strange:
    """A sheet drawn by a seed: three payments, and what was written beside them."""

    def __init__(self, seed: int) -> None:
        chance = Random(seed)
        headers = chance.sample(WORDS, chance.randint(1, 4))
        cells = {header: [chance.choice(["", *chance.sample(WORDS, 2)]) for _ in PAYEES] for header in headers}
        self.cells = {header: texts for header, texts in cells.items() if any(texts)}
        rows = [
            payee | {"amount": f"{at + 1}0,00"} | {header: texts[at] for header, texts in cells.items()}
            for at, payee in enumerate(PAYEES)
        ]
        drawn = sheet(*rows)
        self.comment, self.above = chance.choice(WORDS), chance.choice(["", chance.choice(WORDS)])
        oddities = Oddities(comments=((3, drawn.headers.index("amount"), self.comment),))
        self.raw: RawTable = replace(drawn, oddities=oddities, above=(HeadRow(0, (self.above,)),) if self.above else ())

    @property
    def texts(self) -> set[str]:
        """All that a person wrote in it, beside what is read."""
        read = {self.raw.headers[at] for at in match_headers(self.raw.headers, PAYMENTS).positions.values()}
        below = {text for header, texts in self.cells.items() if header not in read for text in texts}
        return {text for text in (*below, self.comment, self.above) if text}


def errors(parsed: ParsedTable) -> list[str]:
    return [issue.code.value for issue in parsed.issues if issue.severity is Severity.ERROR]


def looked_at(parsed: ParsedTable, seen: frozenset[str] = frozenset()) -> set[tuple[str, str]]:
    """Return what an approver looks at: each text with its token."""
    paid = {("test.xlsx", "Plan1", row) for row in parsed.frame["row"].tolist()}
    return {(check.text, check.token) for check in texts_to_check(parsed.written, paid, seen)}


@pytest.mark.parametrize("first", sampled(range(0, 2_000, A_HUNDRED), one_in=20))
def test_everything_that_was_written_is_asked_about_or_stands_before_whoever_approves(first):
    ready = 0
    for seed in range(first, first + A_HUNDRED):
        drawn = Strange(seed)
        parsed = parse_table(drawn.raw, PAYMENTS)
        assert bool(drawn.cells) == parsed.frame.empty, seed
        assert len(codes(parsed)) == len(set(codes(parsed))) <= 2, "one question, and one for a condition"
        answered = as_proposed(drawn.raw, PAYMENTS)
        taken = parse_table(drawn.raw, answered)
        if errors(taken):  # a word that happens to speak of a condition, or stops a person
            continue
        ready += 1
        assert len(taken.frame) == len(PAYEES)
        shown = looked_at(taken)
        own = words_in(text for payee in PAYEES for text in payee.values())
        asked = {folded_text(text, own) for text, _ in shown}
        left = {text for text in drawn.texts if folded_text(text, own) not in asked and folded_text(text, own)}
        assert left == set(), (seed, answered.remarks, answered.ignore_columns)
        assert looked_at(taken, frozenset(token for _, token in shown)) == set(), (
            "the next month asks nothing where nothing is new"
        )
    assert ready >= 0.95 * A_HUNDRED
