"""What people wrote beside the payments stands before whoever approves, and a text is asked about once."""

import json

import pytest
from openpyxl import load_workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

from schemas.errors import ExitCode
from tests.flows.jobs import payment, people, private

ANA, BIA, CAIO = people(3)
WAITS, DONE = ExitCode.APPROVAL_WANTED, ExitCode.DONE
ONE = {"files": "payments.xlsx", "layout": "payments", "columns": {"Obs": "remark"}}
# Nobody's word is needed, for all that the amounts say.
TRUSTED = {"approval": {"above": "100000.00"}, "sources": [ONE]}


def month(label, period: str, *rows, **job):
    """Write a month's list, with a column of remarks, and run it by --yes."""
    label.declare(**TRUSTED | {"period": f"2026-{period}"} | job)
    label.payments(*(payment(who, amount, f"{period}-{at}", Obs=text) for at, (who, amount, text) in enumerate(rows)))
    return label.run()


def to_check(label) -> list[tuple[str, str]]:
    """Tell what the plan says is to be looked at: where it stands, and the text."""
    document = json.loads(label.type("--names", "plan", label.job, "--json").stdout)
    texts = document["people"]["texts_to_check"]
    assert document["texts_to_check"] == len(texts)
    return [(text["where"], text["text"]) for text in texts]


def total(report) -> str:
    return f"{report.summary.totals_cents.planned / 100:.2f}"


def test_a_remark_keeps_a_plan_until_somebody_has_looked_at_it_and_is_asked_about_once(label, service):
    waiting = month(label, "10", (ANA, "100,00", "combinar com o Zé"), (BIA, "50,00", "show 12/10"))
    assert (waiting.exit_code, service.posts) == (WAITS, 0)
    assert to_check(label) == [("Obs", "combinar com o Zé"), ("Obs", "show 12/10")]
    digest = waiting.summary.plan_digest
    for seen in (0, 1, 3):
        label.approve(digest, "150,00", "bia", code=WAITS, seen=seen)
    label.approve(digest, "150,00", "bia", seen=2)
    assert (label.run(yes=False).exit_code, service.posts) == (DONE, 1)
    again = month(label, "11", (ANA, "70,00", "Combinar com o ZÉ"), (BIA, "61,00", "show 03/11 (sexta)"))
    assert (again.exit_code, service.posts, to_check(label)) == (DONE, 2, [])
    other = month(label, "12", (ANA, "70,00", "combinar com o Zé"), (BIA, "50,00", "pagar só metade"))
    assert (other.exit_code, service.posts) == (WAITS, 2)
    assert to_check(label) == [("Obs", "pagar só metade")]


def test_it_stands_beside_its_payment_in_the_workbook_and_what_could_be_used_is_masked(label, service):
    phone = "ligar para (11) 98765-4321 antes"
    rows = (ANA, "100,00", phone), (BIA, "50,00", f"é o CPF {CAIO.tax_id}")
    month(label, "10", *rows, outputs={"folder": "out", "formats": ["xlsx", "json"]})
    (path,) = label.folder.rglob("plan.xlsx")
    book = load_workbook(path)
    lines = list(book["A pagar"].iter_rows(values_only=True))
    (at,) = (header.index("Escrito ao lado") for header in lines if "Escrito ao lado" in header)
    beside = {name: line[at] for name, *_ in lines for line in lines if line[0] == name}
    assert beside[ANA.name] == "Obs: ligar para ****21 antes"
    assert beside[BIA.name].startswith("Obs: é o CPF ***")
    whole = "\n".join(str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row)
    assert "Para conferir antes de aprovar" in whole
    shown = label.say("plan", label.job).output
    assert "ligar para ****21 antes" in shown
    for text in (whole, shown, str(label.ask("--names", "plan", label.job))):
        assert private(text)
        assert "98765" not in text


@pytest.mark.long
@pytest.mark.parametrize("where", ["comment", "above", "below", "tab", "file", "format", "colour", "unseen"])
def test_wherever_else_it_was_written_it_is_looked_at(label, service, where):
    label.declare(**TRUSTED | {"sources": [ONE | {"files": "payments*.xlsx"}]})
    path = label.payments(payment(ANA, "100,00", "r1"), payment(BIA, "50,00", "r2"))
    book = load_workbook(path)
    sheet, said = book.active, "a Bia recebe só na volta"
    if where == "comment":
        sheet["D3"].comment = Comment(said, "Zé")
    if where == "format":
        sheet["D3"].number_format = f'0.00" {said}"'
    if where == "colour":
        sheet["A3"].fill = PatternFill("solid", fgColor="FFFFFF00")
    if where == "unseen":
        sheet["H3"], sheet["H1"] = said, "Obs"
        sheet["H3"].font = Font(color="FFFFFFFF")
    if where == "above":
        sheet.insert_rows(1, 2)
        sheet["A1"] = said
    if where == "below":
        sheet.cell(sheet.max_row + 2, 1, said)
    if where == "tab":
        sheet.title = said
    if where == "file":
        path.unlink()
        path = path.with_name(f"payments {said}.xlsx")
    book.save(path)
    report = label.run()
    assert (report.exit_code, service.posts) == (WAITS, 0)
    kind = "note" if where in {"above", "below"} else where
    shown = {"file": f"payments {said}", "colour": "amarelo"}.get(where, said)
    assert any(at == kind and text.endswith(shown) for at, text in to_check(label)), to_check(label)
    label.approve(report.summary.plan_digest, "150,00", "bia", seen=len(to_check(label)))
    assert (label.run(yes=False).exit_code, service.posts) == (DONE, 1)


@pytest.mark.long
def test_what_stands_beside_a_row_that_is_not_paid_is_asked_about_when_the_row_is(label, service):
    held = (CAIO, "dez", "falar com o produtor")
    waiting = month(label, "10", (ANA, "100,00", "combinar com o Zé"), held)
    assert to_check(label) == [("Obs", "combinar com o Zé")]
    label.approve(waiting.summary.plan_digest, "100,00", "bia", seen=1)
    label.run(yes=False)
    month(label, "10", (ANA, "100,00", "combinar com o Zé"), (CAIO, "10,00", held[2]))
    assert to_check(label) == [("Obs", "falar com o produtor")]


def test_a_yes_from_before_a_text_was_written_counts_no_more(label, service):
    label.declare(**TRUSTED | {"approval": {"above": "0.00"}})
    label.payments(payment(ANA, "100,00", "r1"))
    waiting = label.run(yes=False)
    label.approve(waiting.summary.plan_digest, "100,00", "bia")
    label.payments(payment(ANA, "100,00", "r1", Obs="só depois do dia 10"))
    assert (label.run(yes=False).exit_code, service.posts) == (WAITS, 0)
    label.approve(waiting.summary.plan_digest, "100,00", "bia", seen=1)
    assert (label.run(yes=False).exit_code, service.posts) == (DONE, 1)


def test_what_was_looked_at_with_a_plan_that_was_rejected_is_asked_about_again(label, service):
    rows = (ANA, "100,00", "combinar com o Zé"), (BIA, "50,00", "")
    label.say("reject", month(label, "10", *rows).summary.plan_digest, "--by", "bia", "--why", "não")
    assert month(label, "10", (ANA, "90,00", "combinar com o Zé")).exit_code == WAITS
    assert to_check(label) == [("Obs", "combinar com o Zé")]


@pytest.mark.long
def test_a_text_that_was_taken_out_before_anybody_looked_at_it_is_asked_about_when_it_comes_back(label, service):
    """The plan is the same one without it, and goes out by itself: nobody has ticked anything."""
    assert month(label, "10", (ANA, "100,00", "combinar com o Zé")).exit_code == WAITS
    assert month(label, "10", (ANA, "100,00", "")).exit_code == DONE
    assert month(label, "11", (ANA, "70,00", "combinar com o Zé")).exit_code == WAITS
    assert to_check(label) == [("Obs", "combinar com o Zé")]


def test_two_approvers_look_both(label, service):
    waiting = month(label, "10", (ANA, "100,00", "combinar com o Zé"), approval={"above": "0.00", "approvers": 2})
    label.approve(waiting.summary.plan_digest, "100,00", "bia", seen=1)
    label.approve(waiting.summary.plan_digest, "100,00", "caio", code=WAITS)
    assert (label.run(yes=False).exit_code, service.posts) == (WAITS, 0)
    label.approve(waiting.summary.plan_digest, "100,00", "caio", seen=1)
    assert (label.run(yes=False).exit_code, service.posts) == (DONE, 1)
