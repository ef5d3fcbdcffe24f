"""Payee statements: what a payee reads on the page, and what the files are."""

import datetime as dt
import re
import stat
import sys
from dataclasses import replace
from decimal import Decimal

import pytest
from pypdf import PdfReader

from io_adapters.outputs.statements import folder as statements_folder
from io_adapters.outputs.statements.folder import file_name, write_statements
from io_adapters.outputs.statements.page import Numbers, column_decimals, place_text, printable, reasons_text
from schemas.issues import IssueCode
from schemas.messages import catalogue_in
from schemas.payee_statement import (
    AdvanceBalance,
    PartOf,
    PayeeStatement,
    Quote,
    RecordingPart,
    StatementHeading,
    StatementPayment,
    WayToPaid,
)
from schemas.plan import Place

HEADING = StatementHeading(
    payer_name="Selo Aurora",
    job="aurora-royalties",
    period="2026-10",
    first_day=dt.date(2026, 10, 1),
    last_day=dt.date(2026, 10, 31),
    currency="BRL",
    language="pt-BR",
    minimum_payout_cents=5_000,
    quotes=(
        Quote("EUR", Decimal("6.2871"), dt.date(2026, 10, 30), "banco"),
        Quote("USD", Decimal("5.4312"), dt.date(2026, 10, 31), "PTAX"),
    ),
)

OTHER = "wxyz2345"


def recording(title="Samba da manhã", **given):
    """A recording that earned 1,357.80 reais: half of 500 dollars."""
    values = {
        "isrc": "BRAUR2600001",
        "upc": "",
        "title": title,
        "artist": "Lua Clara",
        "role": "autora",
        "units": 12_345,
        "lines": 7,
        "source_amount": Decimal(500),
        "source_currency": "USD",
        "rate": Decimal("5.4312"),
        "share_ppm": 500_000,
        "costs": "",
        "per_unit": "",
        "terms": "",
        "earned": Decimal("1357.8"),
    }
    return RecordingPart(**values | given)


def statement(language="pt-BR", **given):
    """Ana's statement: 1,357.80 earned, 1,000.00 of it recouped, 12.34 carried in, 370.14 paid."""
    values = {
        "heading": replace(HEADING, language=language),
        "token": "abcd2345",
        "name": "Ana Exemplo",
        "tax_id_masked": "***.982.247-**",
        "recordings": (recording(),),
        "platforms": (PartOf("Rádio Maré", Decimal("1000.123456789")), PartOf("Onda", Decimal("357.676543211"))),
        "territories": (PartOf("BR", Decimal("1357.8")),),
        "months": (PartOf("2026-08", Decimal("1357.8")),),
        "way": WayToPaid(Decimal("1357.8"), 135_780, 100_000, 1_234, 0, 0, (), 37_014, 0),
        "advances": (AdvanceBalance("52998224725", "ADT-1", "", 100_000, 250_000),),
        "payments": (StatementPayment("royalty", "royalties", 37_014, "paid", (), "rp-1", dt.date(2026, 11, 5)),),
    }
    return PayeeStatement(**values | given)


def read(path):
    """The text of all pages, white space made even."""
    return " ".join(" ".join(page.extract_text() for page in PdfReader(path).pages).split())


def page_text(tmp_path, **given):
    """What a statement says."""
    (path,) = write_statements([statement(**given)], tmp_path / "statements")
    return read(path)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "pt-BR",
            [
                "Selo Aurora", "Ana Exemplo", "CPF/CNPJ ***.982.247-**", "01/10/2026 a 31/10/2026",
                "Rendimentos do período 1.357,80", "Adiantamentos recuperados −1.000,00",
                "Saldo de períodos anteriores 12,34", "= A pagar 370,14", "R$ 370,14",
                "ADT-1 todas 1.000,00 2.500,00", "Royalties Pago rp-1 05/11/2026 370,14",
                "12.345 7 500,00 USD 5,4312 50 % autora 1.357,80", "USD 5,4312 31/10/2026 PTAX",
                "Rádio Maré 1.000,123457", "08/2026 1.357,80", "Página 1 de 1",
            ],
        ),
        (
            "en",
            [
                "Selo Aurora", "Ana Exemplo", "1 Oct 2026 to 31 Oct 2026", "Earned in the period 1,357.80",
                "Advances recouped −1,000.00", "= Payable 370.14", "R$ 370.14", "ADT-1 all 1,000.00 2,500.00",
                "Royalties Paid rp-1 5 Nov 2026 370.14", "12,345 7 500.00 USD 5.4312 50 % autora 1,357.80",
                "Rádio Maré 1,000.123457", "Aug 2026 1,357.80", "Page 1 of 1",
            ],
        ),
    ],
)  # fmt: skip
def test_a_payee_reads_the_whole_way_from_source_to_payment_in_the_language_of_the_job(tmp_path, language, sentences):
    text = page_text(tmp_path, language=language)
    assert [sentence for sentence in sentences if sentence not in text] == []


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "pt-BR",
            ["10 % x 1/3 autora, até R$ 1.000,50, depois de estúdio R$ 271,56", "garantia — — 0,00", "— 90,00",
             "Em reserva, liberado em períodos seguintes −20,00"],
        ),
        (
            "en",
            ["10 % x 1/3 autora, up to R$ 1,000.50, after estúdio R$ 271.56", "guarantee — — 0.00", "— 90.00",
             "Kept in reserve, given in later periods −20.00"],
        ),
    ],
)  # fmt: skip
def test_tiers_costs_reserves_and_guarantees_are_told_to_whom_they_concern(tmp_path, language, sentences):
    """271.56 is a tenth of 2,715.60, what 500 dollars are: the amount, and not the part of it, is what is stated."""
    tiered = recording(terms="100000|1/3||1000.5|", costs="estúdio=$100000")
    nothing = dict.fromkeys(("isrc", "title", "artist"), "") | {"units": 1, "lines": 0, "source_amount": Decimal(0)}
    owed = recording(role="guarantee", per_unit="90", earned=Decimal(90), **nothing)
    way = WayToPaid(Decimal("20.00"), 2_000, 0, 0, 0, 0, (), 0, 0, reserved_cents=2_000)
    text = page_text(tmp_path, language=language, recordings=(tiered, owed), way=way, payments=())
    assert [sentence for sentence in sentences if sentence not in text] == []


def test_only_the_rates_this_payee_was_reckoned_with_are_quoted(tmp_path):
    assert "EUR" not in page_text(tmp_path)
    at_home = recording(source_currency="BRL", rate=Decimal(1))
    assert "PTAX" not in page_text(tmp_path, recordings=(at_home,))


def test_the_page_tells_the_exact_sum_the_one_rounding_and_what_it_added(tmp_path):
    way = WayToPaid(Decimal("1357.79812345678901234567890123456789"), 135_780, 0, 0, 0, 0, (), 135_780, 0)
    text = page_text(tmp_path, way=way)
    assert "Rendimento exato: 1.357,79812345678901234567890123456789." in text
    assert "Resíduo do arredondamento: 0,00187654321098765432109876543211." in text


def test_what_is_carried_says_why(tmp_path):
    below = WayToPaid(Decimal("20.00"), 2_000, 0, 0, 2_000, 0, (), 0, 0)
    assert "abaixo do mínimo de 50,00 −20,00" in page_text(tmp_path, way=below, payments=())
    negative = WayToPaid(Decimal("-20.00"), -2_000, 0, 0, -2_000, 0, (), 0, 0)
    assert "saldo negativo, a compensar 20,00" in page_text(tmp_path, way=negative, payments=())


def test_what_is_held_says_what_to_do_and_is_not_in_the_total(tmp_path):
    held = WayToPaid(Decimal("20.00"), 2_000, 0, 0, 0, 2_000, ("PIX_EMAIL", "NAME_REQUIRED"), 0, 0)
    payment = StatementPayment("royalty", "royalties", 2_000, "held", ("PIX_EMAIL",), "", None)
    text = page_text(tmp_path, way=held, payments=(payment,))
    assert "Retido: a chave Pix precisa ser corrigida; o nome no cadastro precisa ser corrigido −20,00" in text
    assert "R$ 0,00" in text


def test_a_payee_of_payments_alone_gets_their_rows_and_nothing_of_royalties(tmp_path):
    rows = (
        StatementPayment("payment", "NF 1", 10_000, "paid", (), "rp-1", dt.date(2026, 11, 5)),
        StatementPayment("payment", "NF 2", 2_550, "processing", (), "rp-2", dt.date(2026, 11, 6)),
    )
    nothing = {"recordings": (), "platforms": (), "territories": (), "months": (), "way": None, "advances": ()}
    text = page_text(tmp_path, **nothing, payments=rows)
    assert "NF 1 Pago rp-1 05/11/2026 100,00" in text
    assert "NF 2 Em processamento rp-2 06/11/2026 25,50" in text
    assert "Total 125,50" in text
    assert "Por gravação" not in text
    assert "Do rendimento" not in text
    assert "Como estes números" not in text


HOSTILE = {
    "a formula": '=HYPERLINK("http://example.test";"x")',
    "markup": "<b>Ana</b> *bold* _x_ #panic() $x$ `r` @ref \\ // /* */",
    "JSON": '"}], "payer": "Outro", [{"',
    "accents taken apart": "Jose\u0301 Conceic\u0327a\u0303o",
    "Cyrillic": "Ночная песня",
    "Greek": "Καλημέρα",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_names_are_shown_as_they_are_written_and_never_do_anything(tmp_path, name):
    (path,) = write_statements([statement(name=name, recordings=(recording(name),))], tmp_path)
    assert read(path).count(" ".join(printable(name).split())) >= 2
    for sign in (b"/JavaScript", b"/JS", b"/OpenAction", b"/AA", b"/Launch", b"/URI", b"/EmbeddedFile", b"/AcroForm"):
        assert sign not in path.read_bytes()
    assert not any("/Annots" in page for page in PdfReader(path).pages)


def test_marks_that_turn_a_line_around_are_gone(tmp_path):
    text = page_text(tmp_path, name="Ana\u202egnp\u2066.exe\u200b", recordings=())
    assert "Anagnp.exe" in text
    assert not set(text) & set("\u202e\u2066\u200b")


@pytest.mark.parametrize(
    "title",
    ["東京の夜", "مرحبا", "हिन्दी", "🎵🇧🇷", "nul\0 \x1b[31m", "\ud800", "\uffff", "", "e" + "\u0301" * 300],
    ids=["Japanese", "Arabic", "Hindi", "emoji", "controls", "half a pair", "no character", "nothing", "marks"],
)
def test_no_title_whatever_keeps_a_payee_from_their_statement(tmp_path, title):
    assert "BRAUR2600001" in page_text(tmp_path, recordings=(recording(title, artist=title),), name=title)


@pytest.mark.parametrize("title", ["A" * 200, "canção longa " * 16], ids=["one word", "many words"])
def test_a_title_of_two_hundred_characters_wraps_and_none_is_lost(tmp_path, title):
    (path,) = write_statements([statement(recordings=(recording(title),))], tmp_path)
    text = "\n".join(page.extract_text() for page in PdfReader(path).pages).replace("\u200b", "")
    assert title.replace(" ", "") in re.sub(r"\s", "", text)
    own = [len(line) for line in text.splitlines() if len(line) > 3 and set(line) <= set(title)]
    assert len(own) >= 3, "wrapped"
    assert max(own) < 70, "within its column"


def test_long_tables_repeat_their_header_and_pages_say_which_of_how_many(tmp_path):
    many = tuple(recording(f"Faixa {n}", isrc=f"BRAUR26{n:05d}") for n in range(200))
    (path,) = write_statements([statement(recordings=many)], tmp_path)
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(path).pages]
    assert len(pages) > 5
    for number, text in enumerate(pages, start=1):
        assert f"Página {number} de {len(pages)}" in text
        assert ("Valor na origem" in text) == ("BRAUR26" in text.replace("BRAUR2600001 todas", ""))


def test_the_same_statement_gives_the_same_bytes(tmp_path):
    (one,) = write_statements([statement()], tmp_path / "one")
    (other,) = write_statements([statement()], tmp_path / "other")
    assert one.read_bytes() == other.read_bytes()


def test_the_file_bears_no_personal_data_but_what_the_page_shows(tmp_path):
    (path,) = write_statements([statement()], tmp_path)
    about = PdfReader(path).metadata
    assert about["/Title"] == "Demonstrativo de royalties e pagamentos 2026-10"
    assert set(about) <= {"/Title", "/Creator", "/Producer"}
    assert "52998224725" not in read(path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ana Exemplo", "statement-ana-exemplo-abcd2345.pdf"),
        ("José da Conceição 529.982.247-25", "statement-jose-da-conceicao-abcd2345.pdf"),
        ("../../etc/passwd\0", "statement-etc-passwd-abcd2345.pdf"),
        ("CON", "statement-con-abcd2345.pdf"),
        ("東京", "statement-abcd2345.pdf"),
        ("", "statement-abcd2345.pdf"),
        ("a" * 300, f"statement-{'a' * 48}-abcd2345.pdf"),
    ],
)
def test_a_file_is_named_by_letters_of_the_name_and_never_by_a_document(name, expected):
    assert file_name(statement(name=name)) == expected


def test_namesakes_get_a_file_each(tmp_path):
    written = write_statements([statement(), statement(token=OTHER)], tmp_path)
    assert len({path.name for path in written}) == 2
    assert all(path.is_file() for path in written)


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_only_the_owner_may_read_the_files(tmp_path):
    (path,) = write_statements([statement()], tmp_path / "statements")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_later_writing_removes_who_is_gone_and_nothing_else(tmp_path):
    write_statements([statement(), statement(name="Bento Exemplo", token=OTHER)], tmp_path)
    (tmp_path / "notes.pdf").write_bytes(b"mine")
    (kept,) = write_statements([statement()], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {kept.name, "notes.pdf"}
    assert write_statements([], tmp_path) == []
    assert {path.name for path in tmp_path.iterdir()} == {"notes.pdf"}


def test_nothing_to_say_makes_no_folder(tmp_path):
    assert write_statements([], tmp_path / "statements") == []
    assert not (tmp_path / "statements").exists()


@pytest.mark.long
def test_many_statements_are_written_by_other_processes_in_order_and_byte_for_byte_alike(tmp_path, monkeypatch):
    monkeypatch.setattr(statements_folder, "PER_PROCESS", 10)
    many = [statement(name=f"Pessoa {letter}", token=f"aaaaaa2{letter}") for letter in "abcdefghijklmnopqrstuvwxyz"]
    written = write_statements(iter(many), tmp_path / "many")
    assert [path.name for path in written] == [file_name(one) for one in many]
    (alone,) = write_statements([many[7]], tmp_path / "alone")
    assert alone.read_bytes() == written[7].read_bytes()


def test_a_folder_that_cannot_be_written_is_told_in_words_that_name_nobody(tmp_path):
    (tmp_path / "statements").write_text("a file, not a folder")
    many = [statement(token=f"aaaaaa2{letter}") for letter in "abcdefghijklmnopqrstuvwxyz"]
    with pytest.raises(OSError, match="could not be written") as told:
        write_statements(many, tmp_path / "statements")
    assert "Ana" not in str(told.value)


def test_every_place_and_every_code_has_words_for_a_payee():
    for language in ("pt-BR", "en"):
        texts = catalogue_in(language)
        assert all(place_text(place.value, texts) for place in Place)
        assert all(reasons_text([code.value], texts) for code in IssueCode)
        assert reasons_text([], texts) == reasons_text(["difference"], texts)


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        (["1", "2.5"], 2),
        (["1.2345", "2"], 4),
        (["1.23456789", "0"], 6),
        (["0.000000012", "1"], 9),
        (["0.000000000000000001"], 12),
        ([], 2),
    ],
)
def test_a_column_shows_as_many_digits_as_it_needs(values, decimals):
    assert column_decimals(map(Decimal, values)) == decimals


def test_numbers_of_any_length_are_written_exactly():
    long = Decimal("-123456789012345678901234567890.123456789012345678901234567890123")
    assert Numbers("en").exact(long) == "−123,456,789,012,345,678,901,234,567,890.123456789012345678901234567890123"
    assert Numbers("pt-BR").decimal(Decimal("0.125"), 2) == "0,12"
    assert Numbers("pt-BR").decimal(Decimal("-0.001"), 2) == "0,00"
