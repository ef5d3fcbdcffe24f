"""Whoever is owed less than before is told, also by a run that sends nothing; nobody else hears of it.

Varied: what takes back (a share, a line), and how often it is run. Constant: SQLite, royalties of two payees.
"""

import pytest
from pypdf import PdfReader

from tests.flows.jobs import line, payee, people, share

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
