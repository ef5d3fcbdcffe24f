"""Whoever is owed less than before is told, also by a run that sends nothing; nobody else hears of it.

Varied: what takes back (a share, a line), and how often it is run. Constant: SQLite, royalties of two payees.
"""

import datetime as dt

import pytest
from pypdf import PdfReader

from schemas.job import BRASILIA
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import digest_of, run_month

ANA, BIA = people(2)
pytestmark = pytest.mark.long


def hand_in(label, *, share_of_ana="50", line_of_ana="100,00"):
    """Each has half of one band's lines."""
    shares = ((ANA, share_of_ana, "Banda A"), (BIA, "50", "Banda B"))
    label.write("shares.xlsx", [share(who, cut) | {"Artista": band} for who, cut, band in shares])
    lines = ((line_of_ana, "Samba", "Banda A"), ("60,00", "Choro", "Banda B"))
    label.write("a.xlsx", [line(amount, title) | {"Artista": band} for amount, title, band in lines])


@pytest.fixture
def october(label, service):
    hand_in(label)
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.declare(
        sources=[{"files": "a.xlsx", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx",
        rules={"owner": "remainder"}, outputs={"folder": "out", "statements": True},
    )  # fmt: skip
    return label


def told(report):
    """Whose statements a run has written, by the name on the page."""
    pages = [path for path in report.outputs if path.suffix == ".pdf"]
    texts = [" ".join(page.extract_text() for page in PdfReader(path).pages) for path in pages]
    assert all((ANA.name in text) != (BIA.name in text) for text in texts)
    return sorted("ana" if ANA.name in text else "bia" for text in texts)


@pytest.mark.parametrize("lower", [{"share_of_ana": "40"}, {"line_of_ana": "90,00"}])
def test_a_run_that_only_takes_back_tells_those_it_took_from(october, service, lower):
    assert told(october.run()) == ["ana", "bia"]
    assert len(service.reports) == 1
    hand_in(october, **lower)
    assert told(october.run()) == ["ana"]
    assert len(service.reports) == 1
    assert told(october.run()) == []  # it has been told, and nothing is new


def pages_of(report):
    """Payee's name -> text of the statement that a run has written for them."""
    pages = [path for path in report.outputs if path.suffix == ".pdf"]
    texts = [" ".join(" ".join(page.extract_text() for page in PdfReader(path).pages).split()) for path in pages]
    return {who.name: text for text in texts for who in (ANA, BIA) if who.name in text}


def of_month(label, month, *, of_ana="100,00", of_bia="60,00", share_of_ana="50"):
    """Run a month with a statement of a line of each band."""
    shares = ((ANA, share_of_ana, "Banda A"), (BIA, "50", "Banda B"))
    label.write("shares.xlsx", [share(who, cut) | {"Artista": band} for who, cut, band in shares])
    lines = ((of_ana, "Samba", "Banda A"), (of_bia, "Choro", "Banda B"))
    label.write(f"{month}-a.xlsx", [line(amount, title, month) | {"Artista": band} for amount, title, band in lines])
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    outputs = {"folder": "out", "statements": True}
    return run_month(label, month, sources=sources, advances=None, rules={"owner": "remainder"}, outputs=outputs)


@pytest.fixture
def label_of_two(label, service):
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    return label


LOWER = [({"share_of_ana": "40"}, "−10,00"), ({"of_ana": "82,00"}, "−9,00")]


@pytest.mark.parametrize(("lower", "amount"), LOWER)
def test_the_next_statement_alone_tells_a_correction_with_its_day_and_the_recording(label_of_two, lower, amount):
    of_month(label_of_two, "2026-07")
    of_month(label_of_two, "2026-07", **lower)
    told_on = f"{dt.datetime.now(BRASILIA):%d/%m/%Y}, julho de 2026: Correção: Samba {amount}"
    august, august_again, september = (
        pages_of(of_month(label_of_two, month, of_ana="300,00")) for month in ("2026-08", "2026-08", "2026-09")
    )
    assert told_on in august[ANA.name]
    assert not august_again  # nothing new was sent
    assert not any("Correção" in page for page in (august[BIA.name], *september.values()))


@pytest.mark.parametrize(("of_bia", "told_in"), [("80,00", "again"), ("50,00", "september")])
def test_a_correction_is_told_once_by_the_first_statement_that_its_payee_gets(label_of_two, of_bia, told_in):
    """August runs again for Bia: what sends something tells everybody, what takes back tells her alone."""
    of_month(label_of_two, "2026-07")
    of_month(label_of_two, "2026-08", of_ana="300,00")
    of_month(label_of_two, "2026-07", share_of_ana="40")
    months = {
        "again": pages_of(of_month(label_of_two, "2026-08", of_ana="300,00", of_bia=of_bia)),
        "september": pages_of(of_month(label_of_two, "2026-09", of_ana="300,00")),
    }
    assert [month for month, pages in months.items() if "Correção" in pages.get(ANA.name, "")] == [told_in]


@pytest.mark.parametrize(("lower", "amount"), LOWER)
def test_an_account_has_a_correction_on_its_own_line(label_of_two, lower, amount):
    of_month(label_of_two, "2026-07")
    before = label_of_two.ask("account", ANA.name)["accounts"][0]["entries"]
    of_month(label_of_two, "2026-07", **lower)
    after = label_of_two.ask("account", ANA.name)["accounts"][0]["entries"]
    assert after[: len(before)] == before
    (corrected,) = after[len(before) :]
    assert corrected["recordings"] == ["Samba"]
    assert "Correção: Samba" in label_of_two.say("account", ANA.name).output
    assert "Correção" not in label_of_two.say("account", BIA.name).output


def test_a_row_of_a_sheet_that_is_another_amount_since_is_a_correction_and_a_new_row_is_none(label, service):
    label.payments(payment(ANA, "100,00", "nota 1"))
    label.run()
    label.payments(payment(ANA, "90,00", "nota 1"), payment(ANA, "20,00", "nota 2"))
    label.run()
    texts = label.say("account", ANA.name).output
    assert texts.count("Correção") == 1


def test_what_people_took_back_of_a_plan_that_was_booked_stands_in_the_account_as_a_correction(label_of_two):
    """No run took it back, so no recordings are known of it."""
    label_of_two.say("hold", "--by", "caio", "--why", "feriado")
    plan = digest_of(of_month(label_of_two, "2026-07"))
    label_of_two.say("reject", plan, "--by", "bia", "--why", "conferir")
    entries = label_of_two.ask("account", ANA.name)["accounts"][0]["entries"]
    assert [(entry["kind"], entry["owed_cents"], entry["recordings"]) for entry in entries] == [
        ("read", 5000, None),
        ("send", -5000, None),
        ("release", 5000, None),
        ("read", -5000, []),
    ]
    label_of_two.say("release", "--by", "caio")
    of_month(label_of_two, "2026-07")
    pages = pages_of(of_month(label_of_two, "2026-08"))
    assert ANA.name in pages
    assert "Correção" in label_of_two.say("account", ANA.name).output
