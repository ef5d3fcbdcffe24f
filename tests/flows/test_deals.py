"""Deals through the whole program: from sheets as people write them to what the service received.

Varied: the language of headers, the kind of file, which column is asked about, what a share is taken from. Held
constant: one month, one currency.
"""

import pytest
from openpyxl import load_workbook

from schemas.errors import ExitCode
from tests.flows.jobs import masked, payee, people
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)
pytestmark = pytest.mark.long
HEADERS = {
    "pt": ("CPF", "Artista", "Participação", "Território", "Tipo de receita", "Serviço", "Formato"),
    "en": ("Tax ID", "Artist", "Share", "Territory", "Income type", "Service", "Format"),
}
LINES = (
    ("Faixa 1", "BR", "Mecânico", "Onda", "stream", "100,00"),
    ("Faixa 1", "Portugal", "sync", "Praia", "stream", "100,00"),
    ("Faixa 2", "US", "Execução pública", "Onda", "LP", "100,00"),
)


@pytest.fixture
def label_of_deals(label):
    def declared(rows, language="pt", ending="xlsx", lines=LINES, **changes):
        shares = [dict(zip(HEADERS[language], (masked(who.tax_id), "Lua", *row), strict=True)) for who, *row in rows]
        names = ("Título", "Território", "Tipo de receita", "Plataforma", "Formato", "Valor")
        label.write(f"payees.{ending}", [payee(ANA), payee(BIA)])
        label.write(f"shares.{ending}", shares)
        label.write(
            f"2026-10.{ending}",
            [dict(zip(names, line, strict=True)) | {"Artista": "Lua", "Moeda": "BRL"} for line in lines],
        )
        sources = [{"files": f"{{period}}.{ending}", "layout": "royalties"}]
        tables = {"payees": f"payees.{ending}", "shares": f"shares.{ending}"}
        label.declare(**{"period": "2026-10", "sources": sources, "rules": {"unmatched": "owner"}} | tables | changes)
        return label

    return declared


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
@pytest.mark.parametrize("language", HEADERS)
@pytest.mark.parametrize(
    ("rows", "paid"),
    [
        (  # half of what is mechanical or sync, nothing of what is performed
            [(ANA, "50%", "", "mecânico | sync", "", ""), (ANA, "0%", "", "execução pública", "", "")],
            [10000],
        ),
        ([(ANA, "80%", "Brasil | PT", "", "", ""), (BIA, "25%", "exceto Brasil", "", "", "LP")], [2500, 16000]),
        ([(ANA, "30%", "", "", "", ""), (BIA, "10%", "", "", "exceto Praia", "")], [2000, 3000]),
    ],
)
def test_what_is_paid_is_what_the_deal_says(label_of_deals, service, rows, paid, language, ending):
    report = label_of_deals(rows, language, ending).run()
    assert report.exit_code is ExitCode.DONE, [issue.code for issue in report.issues]
    assert sorted(service.paid) == paid


PRODUCER = {"Função": "produtor", "Participação": "20", "Base": "da parte de artista", "Álbum": "", "Artista": "Lua"}


@pytest.mark.parametrize(
    ("wrong", "more"),
    [
        ({"Participação": "2o"}, ()),
        ({"Base": "metade do artista"}, ()),
        ({"Função": "produtor"}, ({"Função": "produtor"},)),  # the same row twice
        ({"Até": "30 de fevereiro"}, ()),
        ({"CPF": "123.456.789-00"}, ()),
    ],
)
def test_while_a_part_of_a_role_cannot_be_read_nobody_has_the_whole_of_that_role(label_of_deals, service, wrong, more):
    """The artist's share is of the album, the producer's part of it of all that is the artist's: a wider row."""
    label = label_of_deals([(ANA, "100", "", "", "", "")])
    names = ("Título", "Álbum", "Artista", "Valor", "Moeda")
    label.write("2026-10.xlsx", [dict(zip(names, ("Faixa 1", "Disco", "Lua", "100,00", "BRL"), strict=True))])
    artist = {
        "Função": "artista",
        "Participação": "100",
        "Base": "",
        "Álbum": "Disco",
        "Artista": "",
        "CPF": ANA.tax_id,
    }
    producer = PRODUCER | {"CPF": BIA.tax_id}

    def write(*rows):
        columns = list(dict.fromkeys(name for row in rows for name in row))
        label.write("shares.xlsx", [{name: row.get(name, "") for name in columns} for row in rows])

    write(artist, producer | wrong, *(producer | row for row in more))
    label.run()
    assert service.paid == []
    write(artist, producer)
    label.run()
    assert sorted(service.paid) == [2000, 8000]


def test_explain_says_of_which_territory_each_part_is_and_finds_its_rows(label_of_deals, service):
    label = label_of_deals([(ANA, "50%", "", "", "", ""), (ANA, "20%", "US", "", "", "")])
    label.run()
    told = label.say("explain", masked(ANA.tax_id)).output
    assert service.paid == [12000]
    assert "100 x 20 %" in told or "100,00 x 20 %" in told
    (of_us,) = [line for line in told.splitlines() if "Faixa 2" in line]
    assert "US" in of_us
    assert "2-3" in told, "the rows of Brazil and Portugal, which have one share, are told together"


def test_the_same_deal_is_the_same_a_month_later_and_posts_nothing_when_it_runs_again(label_of_deals, service):
    label = label_of_deals([(ANA, "50%", "BR", "", "", ""), (BIA, "50%", "exceto BR", "", "", "")])
    label.run()
    paid = list(service.paid)
    label.run()
    assert (sorted(paid), service.paid) == ([5000, 10000], paid)


def test_a_word_no_line_says_is_told_and_a_comma_holds_the_row(label_of_deals, service):
    label = label_of_deals([(ANA, "50%", "Japão", "", "", ""), (BIA, "10%", "", "", "", "")])
    told = {issue.code.value: issue for issue in label.run().issues}
    assert told["SHARE_NEVER_MET"].row == 2
    assert service.paid == [3000]
    label = label_of_deals([(ANA, "50%", "BR, PT", "", "", ""), (BIA, "10%", "US", "", "", "")])
    report = label.run()
    assert {issue.code.value for issue in report.issues if issue.column} >= {"SHARE_CONDITION"}
    assert service.paid == [3000], "of one part it is not known of which lines it is, so nobody is paid of these"


def deal(label, rows, lines):
    """Write a deal of a band, "Lua"; rows are by their headers beside payee and share."""
    label.write("payees.xlsx", [payee(who) for who in (ANA, BIA, CAIO)])
    headers = {header: "" for _, _, more in rows for header in more}
    shares = [
        {"CPF": masked(who.tax_id), "Artista": "Lua", "Participação": part} | headers | more for who, part, more in rows
    ]
    label.write("shares.xlsx", shares)
    titles = [{"Título": f"Faixa {number}", "Valor": amount} for number, amount in enumerate(lines, start=1)]
    label.write("2026-10.xlsx", [line | {"Artista": "Lua", "Moeda": "BRL"} for line in titles])
    label.declare(
        period="2026-10", sources=[{"files": "{period}.xlsx", "layout": "royalties"}], payees="payees.xlsx",
        shares="shares.xlsx", outputs={"folder": "out", "statements": True, "formats": ["xlsx", "json"]},
    )  # fmt: skip
    return label


OF_THE_BAND = {"Função": "artista"}
OVER_THE_BAND = {"Função": "empresário", "Base": "sobre a parte de artista"}


@pytest.mark.parametrize(
    ("rows", "lines", "paid"),
    [
        # A manager has a fifth of what the band gets (a percentage of a part, as management contracts write it).
        ([(ANA, "100%", OF_THE_BAND), (BIA, "20%", OVER_THE_BAND)], ["5.000,00"], {ANA: 400000, BIA: 100000}),
        ([(ANA, "50%", OF_THE_BAND), (BIA, "20%", OVER_THE_BAND)], ["1.000,00"], {ANA: 40000, BIA: 10000}),
        # Three who share alike leave nothing to the owner, whatever comes in.
        ([(who, "1/3", {}) for who in (ANA, BIA, CAIO)], ["3.000,00"], {ANA: 100000, BIA: 100000, CAIO: 100000}),
        ([(who, "1/3", {}) for who in (ANA, BIA, CAIO)], ["33,33", "66,67"], {ANA: 3334, BIA: 3333, CAIO: 3333}),
        # Two thirds, and halves of the third that is left.
        ([(ANA, "2/3", {}), (BIA, "1/6", {}), (CAIO, "1/6", {})], ["100,00"], {ANA: 6666, BIA: 1667, CAIO: 1667}),
    ],
)
def test_parts_of_parts_and_fractions_are_paid_to_the_centavo(label, service, rows, lines, paid):
    report = deal(label, rows, lines).run()
    assert report.exit_code is ExitCode.DONE, [issue.code for issue in report.issues]
    assert sorted(service.paid) == sorted(paid.values())
    assert report.issues == ()


def test_a_third_is_printed_as_a_third_in_explain_and_in_the_workbook(label, service):
    label = deal(label, [(ANA, "1/3", {}), (BIA, "2/3", {})], ["100,00"])
    report = label.run()
    assert sorted(service.paid) == [3333, 6667]
    assert "x 1/3 = " in label.say("explain", masked(ANA.tax_id)).output
    (workbook,) = (path for path in report.outputs if path.name == "reconciliation.xlsx")
    rows = load_workbook(workbook)["Rendimentos"].iter_rows(values_only=True)
    assert {"1/3", "2/3"} <= {cell for row in rows for cell in row}


def test_two_albums_of_two_contracts_through_months_pay_their_own_advances_back(label, service):
    """Without the contracts the first album's advance would be recouped from the second one, and nothing be paid."""
    label.write("payees.xlsx", [payee(ANA)])
    contracts = [("Sol", "Contrato 1"), ("Lua", "Contrato 2")]
    label.write(
        "shares.xlsx",
        [{"CPF": masked(ANA.tax_id), "Artista": who, "Participação": "100%", "Contrato": of} for who, of in contracts],
    )
    ahead = {"CPF": masked(ANA.tax_id), "Valor": "200,00", "Data": "2026-01-05", "Recuperar %": ""}
    advances = [ahead | {"Contrato": "contrato  1"}, ahead | {"Contrato": "Contrato 2", "Recuperar %": "50%"}]
    label.write("advances.xlsx", advances)
    for month, (of_sol, of_lua) in enumerate([("20,00", "220,00"), ("10,00", "300,00"), ("190,00", "0,02")], start=8):
        came_in = [{"Artista": "Sol", "Valor": of_sol}, {"Artista": "Lua", "Valor": of_lua}]
        label.write(f"2026-{month:02}.xlsx", [line | {"Moeda": "BRL"} for line in came_in])
        label.declare(
            period=f"2026-{month:02}", sources=[{"files": "{period}.xlsx", "layout": "royalties"}],
            payees="payees.xlsx", shares="shares.xlsx", advances="advances.xlsx",
        )  # fmt: skip
        report = label.run()
        assert report.exit_code is ExitCode.DONE, [issue.code for issue in report.issues]
        label.run()  # and again, which changes nothing
    # August: Sol pays 20 of 200 back, Lua half of 220. September: 10, and the 90 that are left of Lua's advance, which
    # are less than half of 300. October: the 170 that are left of Sol's.
    assert service.paid == [2002, 11000, 21000]
    told = label.say("explain", masked(ANA.tax_id), "--period", "2026-08").output
    assert "contrato contrato 2" in told
    assert "50 %" in told


@pytest.mark.parametrize(
    ("costs", "rows", "line", "paid", "after"),
    [
        # Administration off the top, the rest in 75 and 25 (67.5 % and 22.5 % of the whole).
        (
            [("1", "administração", "10%", None)],
            [(ANA, "75%", {}), (BIA, "25%", {})],
            "100,00",
            [2250, 6750],
            "administração 10 %",
        ),
        # What the society keeps, then parts that make a whole.
        (
            [("1", "Ecad e associação", "15%", None)],
            [(ANA, "2/3", {}), (BIA, "139/1000", {}), (CAIO, "139/1000", {}), (ANA, "166/3000", {"Função": "editor"})],
            "1.000,00",
            [11815, 11815, 61370],
            "Ecad e associação 15 %",
        ),
        # A distributor, then a manager who has a fifth of what is left, then halves.
        (
            [("2", "empresário", "20%", CAIO), ("1", "distribuição", "15%", None)],
            [(ANA, "1/2", {}), (BIA, "1/2", {})],
            "1.000,00",
            [17000, 34000, 34000],
            "distribuição 15 %, empresário 20 %",
        ),
    ],
)
def test_costs_are_taken_off_the_top_for_the_owner_or_for_whom_they_name(
    label, service, costs, rows, line, paid, after
):
    label = deal(label, rows, [line])
    names = ("Ordem", "Custo", "Porcentagem", "Para")
    written = [(*row[:3], masked(row[3].tax_id) if row[3] else "") for row in costs]
    label.write("costs.xlsx", [dict(zip(names, row, strict=True)) for row in written])
    label.declare(
        period="2026-10", sources=[{"files": "{period}.xlsx", "layout": "royalties"}], payees="payees.xlsx",
        shares="shares.xlsx", costs="costs.xlsx",
        outputs={"folder": "out", "statements": True, "formats": ["xlsx", "json"]},
    )  # fmt: skip
    report = label.run()
    assert (report.exit_code, report.issues) == (ExitCode.DONE, ())
    assert sorted(service.paid) == paid
    told = label.say("explain", masked(ANA.tax_id)).output
    assert f"(depois de {after})" in told
    label.run()
    assert sorted(service.paid) == paid


def test_check_says_each_row_of_a_deal_back(label):
    label = deal(label, [(ANA, "100%", OF_THE_BAND), (BIA, "20%", OVER_THE_BAND)], ["100,00"])
    told = label.say("check", label.job).output
    assert f"shares.xlsx, linha 3: 20 % do que artista recebe, do artista Lua, para {BIA.name}" in told


def test_new_knows_a_sheet_of_costs_and_the_job_that_it_writes_takes_them(label, tmp_path):
    label = deal(label, [(ANA, "50%", {})], ["100,00"])
    label.write("custos.xlsx", [{"Ordem": "1", "Custo": "administração", "Porcentagem": "10%", "Para": ""}])
    written = label.folder / "novo.yaml"
    files = [label.folder / name for name in ("custos.xlsx", "shares.xlsx", "payees.xlsx", "2026-10.xlsx")]
    label.say(
        "new", *files, "--payer-tax-id", "12ABC34501DE35", "--payer-name", "Selo", "--period", "2026-10",
        "--received", "100,00", "--as-proposed", "--job", written,
    )  # fmt: skip
    assert "costs: custos.xlsx" in written.read_text(encoding="utf-8")
    assert "administração tira antes 10 %" in label.say("check", written).output


def test_a_producers_ten_cents_a_copy_pay_their_advance_back_first(label, service):
    """150,000 copies at 0.10 are 15,000.00, of which an advance of 10,000.00 is recouped."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    rows = [(ANA, "0,10/un", "produtor"), (BIA, "50%", "artista")]
    shares = [{"CPF": masked(who.tax_id), "Participação": part, "Função": role} for who, part, role in rows]
    label.write("shares.xlsx", shares)
    label.write("advances.xlsx", [{"CPF": masked(ANA.tax_id), "Valor": "10.000,00", "Data": "2026-01-05"}])
    line = {"Artista": "Lua", "Título": "Disco", "Quantidade": "150000", "Valor": "100.000,00", "Moeda": "BRL"}
    label.write("2026-10.xlsx", [line])
    label.declare(
        period="2026-10", sources=[{"files": "{period}.xlsx", "layout": "royalties"}], payees="payees.xlsx",
        shares="shares.xlsx", advances="advances.xlsx",
        outputs={"folder": "out", "statements": True, "formats": ["xlsx", "json"]},
    )  # fmt: skip
    report = label.run()
    assert (report.exit_code, report.issues) == (ExitCode.DONE, ())
    assert sorted(service.paid) == [500000, 5000000]
    assert [created["owner_cents"] for created in service.reports] == [3500000]
    told = label.say("explain", masked(ANA.tax_id)).output
    assert "150.000 unidades x R$ 0,1 (produtor) = R$ 15.000" in told


def test_money_a_unit_beyond_what_came_in_is_paid_and_the_owner_states_nothing(label, service):
    label.write("payees.xlsx", [payee(ANA)])
    label.write("shares.xlsx", [{"CPF": masked(ANA.tax_id), "Participação": "2,00/un"}])
    label.write("2026-10.xlsx", [{"Artista": "Lua", "Quantidade": "100", "Valor": "150,00", "Moeda": "BRL"}])
    sources = [{"files": "{period}.xlsx", "layout": "royalties"}]
    label.declare(period="2026-10", sources=sources, payees="payees.xlsx", shares="shares.xlsx")
    report = label.run()
    assert (report.exit_code, service.paid) == (ExitCode.DONE, [20000])
    assert [created["owner_cents"] for created in service.reports] == [0]
    totals = summary_of(report)["totals_cents"]
    assert totals.pop("in") == sum(totals.values()) == 15000
