"""`repasse explain`: a payment as a chain of sums that anybody can repeat with a pocket calculator."""

import json
import random
import re
from decimal import ROUND_HALF_EVEN, Decimal

import pytest

from sample_data.making.people import masked
from schemas.errors import ExitCode
from schemas.values.money import format_cents
from tests.flows.jobs import advance, line, payee, payment, people, private, share
from tests.flows.label import digest_of, run_month, split_with_ana_and_bia, summary_of

ANA, BIA, CAIO = people(3)
NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
pytestmark = pytest.mark.long


@pytest.fixture
def label_of_royalties(label, service):
    return split_with_ana_and_bia(label)


def run(label, month, **changes):
    return run_month(label, month, **{"outputs": {"folder": "out", "language": "en"}} | changes)


def explained(label, *words, code=0):
    """The one explanation there is, as its lines; what is printed says the same, and nothing personal."""
    document = label.ask("explain", *words, code=code)
    assert private(json.dumps(document, ensure_ascii=False))
    (explanation,) = document["explanations"]
    lines = [step["text"] for step in explanation["steps"]]
    printed = label.say("explain", *words, code=code).output
    assert all(told in printed for told in lines)
    return lines


def numbers(text):
    return [Decimal(number.replace(",", "")) for number in re.findall(NUMBER, text)]


def repeated_by_hand(lines):
    """Repeat every sum of an explanation of royalties from its own figures; returns D and what became of it."""
    exact = Decimal(0)
    for told in lines:
        if " x " in told and not re.match(rf"\w+: {NUMBER} x", told):
            factors, earned = re.sub(r"\([^)]*\)", "", told).split(" = ")
            product = Decimal(1)
            for factor in numbers(factors):
                product *= factor
            assert product / 100 == numbers(earned)[0], told
            exact += numbers(earned)[0]
        elif told.startswith("and ") and " more recording" in told:
            exact += numbers(told)[1]
    (rounded,) = [told for told in lines if "A = " in told]
    assert numbers(rounded)[0] == exact
    a = numbers(rounded)[-1]
    assert abs(exact - a) < Decimal("0.01")
    b, c = (next(numbers(told)[-1] for told in lines if f"{letter} = " in told) for letter in "BC")
    (due,) = [told for told in lines if told.startswith("D. ")]
    d = numbers(due.partition(" = ")[2])[0]
    assert d == a - b + c
    after = lines[lines.index(due) + 1 :]
    places = [told for told in after if re.match(rf"{NUMBER}: ", told)]
    assert sum(numbers(told)[0] for told in places) == d
    return d, places


@pytest.mark.long
@pytest.mark.journey
def test_each_sum_of_a_payment_can_be_repeated_from_the_rows_it_names(label_of_royalties):
    label = label_of_royalties
    label.write("2026-10-a.xlsx", [line("100,00"), line("20,00", "Choro"), line("30,00")])
    label.write("2026-10-b.xlsx", [line("0,005"), line("7,00", "Frevo") | {"Moeda": "USD"}])
    run(label, "2026-10")
    lines = explained(label, ANA.tax_id)
    assert "2026-10-a.xlsx > Dados, rows 2, 4: 2 lines, R$ 130" in lines
    assert "USD 7 x 5.4312 (2026-10-31, PTAX) x 25 % (autora) = R$ 9.5046" in lines
    assert "adv-1: 40.00 paid ahead, 0.00 recouped elsewhere, 40.00 left; taken: 40.00" in lines
    d, places = repeated_by_hand(lines)
    assert d == Decimal("25.81")  # 35 % of 130.005 + 20 + 7 x 5.4312 = 65.81, less the advance
    (paid,) = places
    assert paid.startswith("25.81: Paid, in report rp-")


def test_what_is_below_the_minimum_and_carried_says_so_in_both_periods(label_of_royalties):
    label = label_of_royalties
    label.write("2026-10-a.xlsx", [line("130,00")])
    label.write("2026-11-a.xlsx", [line("60,00", "Choro")])
    for month in ("2026-10", "2026-11"):
        run(label, month, rules={"minimum_payout": "10.00"})
    assert repeated_by_hand(explained(label, ANA.name, "--period", "2026-10")) == (
        Decimal("5.50"),
        ["5.50: Carried to the next period (below the minimum, or negative)"],
    )
    november = explained(label, ANA.name, "--period", "2026-11")
    assert "C. Carried in from 2026-10: C = 5.50" in november
    assert repeated_by_hand(november)[0] == Decimal("26.50")


def test_what_is_held_says_why(label_of_royalties):
    label = label_of_royalties
    label.write("payees.xlsx", [payee(ANA), payee(BIA) | {"Chave Pix": "no key"}])
    label.write("2026-10-a.xlsx", [line("30,00")])
    run(label, "2026-10")
    d, places = repeated_by_hand(explained(label, BIA.tax_id))
    assert d == Decimal("10.00")
    (held,) = places
    assert re.fullmatch(r"10\.00: Held \(.+\)", held)


def test_a_later_statement_shows_what_was_paid_before_and_the_rest(label_of_royalties):
    label = label_of_royalties
    label.write("2026-10-a.xlsx", [line("300,00")])
    run(label, "2026-10")
    label.write("2026-10-b.xlsx", [line("30,00", "Valsa")])
    run(label, "2026-10")
    d, places = repeated_by_hand(explained(label, BIA.tax_id))
    assert (d, len(places)) == (Decimal("110.00"), 2)
    assert [numbers(told)[0] for told in places] == [Decimal("100.00"), Decimal("10.00")]


def test_a_recording_is_one_product_whatever_its_platforms_and_months(label_of_royalties):
    label = label_of_royalties
    platforms = ("Spotify", "Deezer", "Spotify")
    rows = [line("10,00") | {"Plataforma": platform, "ISRC": "BRAUR2600001"} for platform in platforms]
    label.write("2026-10-a.xlsx", [*rows, line("1,00", "Choro") | {"Plataforma": "Spotify", "ISRC": ""}, rows[0]])
    run(label, "2026-10")
    lines = explained(label, BIA.tax_id)
    assert "2026-10-a.xlsx > Dados, rows 2-4, 6: 4 lines, R$ 40" in lines
    assert len([told for told in lines if " x " in told]) == 2
    assert repeated_by_hand(lines)[0] == Decimal("13.67")


def test_many_recordings_are_one_sum_unless_all_are_asked_for(label_of_royalties):
    label = label_of_royalties
    label.write("2026-10-a.xlsx", [line(f"{100 + number},01", f"Faixa {number}") for number in range(30)])
    run(label, "2026-10")
    short, whole = explained(label, BIA.tax_id), explained(label, BIA.tax_id, "--all")
    assert len([told for told in short if " x " in told]) == 20
    assert len([told for told in whole if " x " in told]) == 30
    assert repeated_by_hand(short) == repeated_by_hand(whole)


def test_rows_of_a_payments_sheet_are_named_by_their_place(label, service):
    label.declare(outputs={"folder": "out", "language": "en"})
    label.payments(payment(ANA, "10,00", "show"), payment(ANA, "15,00", "clip"))
    label.run()
    lines = explained(label, ANA.tax_id)
    assert lines[0] == "Rows of payments sheets, paid as they stand"
    assert [told.partition(": ")[0] for told in lines if "payments.xlsx" in told] == [
        "payment, show, from payments.xlsx > Dados, row 2",
        "payment, clip, from payments.xlsx > Dados, row 3",
    ]


def test_a_job_file_that_has_gone_leaves_the_sums_and_says_what_is_missing(label_of_royalties):
    label = label_of_royalties
    label.write("2026-10-a.xlsx", [line("130,00")])
    run(label, "2026-10")
    label.job.unlink()
    lines = explained(label, ANA.tax_id)
    assert "2026-10-a.xlsx > Dados, row 2: R$ 130, from the ledger" in lines
    assert repeated_by_hand(lines)[0] == Decimal("5.50")


@pytest.mark.parametrize("words", [CAIO.tax_id, "Ninguém da Silva", "ob-nothing"])
def test_whoever_is_not_on_record_is_not_found_nor_repeated(label, service, words):
    label.payments(payment(ANA, "10,00"))
    label.run()
    assert words not in label.say("explain", words, code=2).output


def test_portuguese_where_the_job_speaks_portuguese(label_of_royalties):
    label = label_of_royalties
    label.write("2026-10-a.xlsx", [line("1.300,00")])
    run(label, "2026-10", outputs={"folder": "out", "language": "pt-BR"})
    text = label.say("explain", BIA.tax_id).output
    assert "R$ 1.300 x 33,3333 % = R$ 433,3329" in text
    assert "D. Devido no período, A - B + C: 433,33 - 0,00 + 0,00 = 433,33" in text


# --- with a pocket calculator ---

ADVANCE = rf"[^:]+: ({NUMBER}) paid ahead, ({NUMBER}) recouped elsewhere, ({NUMBER}) left(?:, at most ({NUMBER})"
ADVANCE += rf"[^;]*)?; taken: ({NUMBER})"


def found_in(lines, pattern):
    """The figures of every line that reads like this."""
    matches = (re.fullmatch(pattern, told) for told in lines)
    return [[Decimal((part or "0").replace(",", "")) for part in match.groups()] for match in matches if match]


def sent_by_hand(lines):
    """Repeat an explanation from A to G by its own figures alone; returns what is sent."""
    repeated_by_hand(lines)
    ((b,),) = found_in(lines, rf"B\. .* B = ({NUMBER})")
    advances = found_in(lines, ADVANCE)
    assert b == sum(taken for *_, taken in advances)
    for ahead, elsewhere, left, ceiling, taken in advances:
        assert left == ahead - elsewhere
        assert taken <= (min(left, ceiling) if ceiling else left)
    ((d,),) = found_in(lines, rf"D\. .* = ({NUMBER})")
    (account,) = [told for told in lines if told.startswith("E. ")]
    first, *others, e = numbers(account.replace("+ ", "").replace("- ", "-"))
    assert (first, first + sum(others)) == (d, e)
    stays = [told for told in lines if told.endswith("E stays")]
    ((f,),) = found_in(lines, rf"F\. .* F = ({NUMBER})")
    invoiced = found_in(lines, rf"invoiced and not paid yet: ({NUMBER}); to be invoiced: ({NUMBER})")
    payable = invoiced[0][0] if invoiced and 0 < invoiced[0][0] <= e else Decimal(0) if invoiced else e
    assert f == (0 if stays else payable)
    for (minimum,) in found_in(lines, rf"less than the minimum of ({NUMBER}): E stays"):
        assert e < minimum
    left = f
    for told in lines:
        for base, percent, tax in found_in([told], rf"\w+: ({NUMBER}) x ({NUMBER}) % = ({NUMBER})"):
            assert (base, tax) == (f, min(left, (f * percent / 100).quantize(Decimal("0.01"), ROUND_HALF_EVEN)))
            left -= tax
        for amount, before, tax in found_in(
            [told], rf"\w+: ({NUMBER}) a month, of which ({NUMBER}) was withheld before; now ({NUMBER})"
        ):
            assert tax == min(left, max(Decimal(0), amount - before))
            left -= tax
    return left


class Twenty:
    """Twenty payees of whom hardly two have the same terms."""

    def __init__(self, label) -> None:
        self.label, self.chance = label, random.Random(20)
        self.who = people(20)
        label.write("payees.xlsx", [self.payee(number) for number in range(20)])
        label.write(
            "shares.xlsx", [share(one, "75") | {"Artista": f"Artista {number}"} for number, one in enumerate(self.who)]
        )
        ahead = [advance(self.who[number], self.chance.choice(["20,00", "900,00"])) for number in range(0, 20, 2)]
        linked = [isrc(number) if number % 4 == 0 else "" for number in range(0, 20, 2)]
        label.write("advances.csv", [row | {"isrc": code} for row, code in zip(ahead, linked, strict=True)])
        parts = [("IRRF", self.chance.choice(["7,5", "27,5"]), "") for _ in range(12)]
        taxed = [*zip(self.who[3:15], parts, strict=True), *((one, ("INSS", "", "11,00")) for one in self.who[10:])]
        label.write("impostos.csv", [of_columns("CPF Imposto Alíquota Valor", one, *tax) for one, tax in taxed])
        asked = [(self.who[5], "10,00"), (self.who[10], "9.000,00")]
        columns = "CPF Número Data Período Valor"
        label.write("notas.csv", [of_columns(columns, one, "1", "2026-10-20", "2026-10", sum_) for one, sum_ in asked])

    def payee(self, number):
        terms = {
            "Mínimo": self.chance.choice(["", "", "150,00"]),
            "Periodicidade": self.chance.choice(["", "", "Trimestral"]),
            "Exige nota fiscal": "sim" if number % 5 == 0 else "não",
        }
        no_key = {"Chave Pix": "", "Tipo da chave": ""} if number == 7 else {}
        return payee(self.who[number]) | terms | no_key

    def pay(self, service, month):
        """Run a month with other figures than before; returns what was sent."""
        amounts = [f"{self.chance.randrange(500, 40_000) / 100:.2f}".replace(".", ",") for _ in self.who]
        rows = [line(amount, month=month) for amount in amounts]
        told = [{"Artista": f"Artista {number}", "ISRC": isrc(number)} for number in range(20)]
        self.label.write(f"{month}-a.xlsx", [row | names for row, names in zip(rows, told, strict=True)])
        before = len(service.reports)
        sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
        report = run(self.label, month, taxes="impostos.csv", invoices="notas.csv", sources=sources)
        if report.exit_code == ExitCode.APPROVAL_WANTED:
            total = format_cents(summary_of(report)["totals_cents"]["planned"], "pt-BR")
            self.label.approve(digest_of(report), total, "bia")
            self.label.run(yes=False)
        sent = [entry["final_amount_cents"] for found in service.reports[before:] for entry in found["payments"]]
        return sorted(sent)


def isrc(number):
    return f"BRAUR26{number:05}"


def of_columns(names, one, *values):
    return dict(zip(names.split(), (masked(one.tax_id), *values), strict=True))


def test_twenty_of_twenty_payees_can_be_repeated_with_a_pocket_calculator(label, service):
    twenty = Twenty(label)
    for month in ("2026-09", "2026-10", "2026-10"):
        sent = twenty.pay(service, month)
        assert sent
        by_hand = [sent_by_hand(explained(label, one.tax_id, "--period", month, "--all")) for one in twenty.who]
        assert sorted(int(amount * 100) for amount in by_hand if amount) == sent


def test_all_of_it_goes_into_a_text_with_every_row(label_of_royalties, tmp_path):
    label = label_of_royalties
    label.write("2026-10-a.xlsx", [line("1,00", "Samba" if number % 2 else "Choro") for number in range(60)])
    run(label, "2026-10")
    page = tmp_path / "ana.txt"
    shown = label.say("explain", ANA.tax_id, "--out", page).output
    text = page.read_text("utf-8")
    (rows,) = re.findall(r"rows (3, 5, [\d, ]+): 30 lines", text)
    assert rows.split(", ") == [str(row) for row in range(3, 63, 2)]
    assert "..." not in text
    assert "17, ..." in shown
    assert private(text)
    label.say("explain", ANA.tax_id, "--out", tmp_path / "ana.doc", code=10)
