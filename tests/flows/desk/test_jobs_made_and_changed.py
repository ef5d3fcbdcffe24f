"""Jobs made and changed at the desk: from a sheet to a plan, tables held against what was, every version kept."""

import re
from pathlib import Path

import pytest

from flows.desk.jobs import JobsFolder
from flows.house_ledger import open_ledger_of
from flows.launch import start_payout
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.settings import read_settings
from io_adapters.spreadsheets.declarations import read_job
from schemas.approval import Role
from schemas.layouts.answers import CellsOf, IgnoredWhile
from tests.flows.desk.office import ORIGIN, Browser, plan_of, words_of
from tests.flows.jobs import advance, line, payee, payment, people, share, write_sheet

ANA, BIA, CAIO = people(3)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]
ANSWERS = {
    "payer_tax_id": "12.ABC.345/01DE-35",
    "payer_name": "Selo Aurora",
    "period": "2026-10",
    "name": "caches",
    "act": "make",
}


@pytest.fixture
def both(at_desk) -> Browser:
    """Somebody who may prepare, and approve what others have prepared."""
    return at_desk("Caio Nunes", Role.PREPARER, Role.APPROVER)


@pytest.fixture
def royalties(job: Path) -> Path:
    """A job of a statement, with payees, shares and advances beside it; returns its folder."""
    folder = job.parent.parent / "royalties"
    folder.mkdir()
    write_sheet(folder / "royalties.csv", [line("100,00")])
    write_sheet(folder / "payees.xlsx", [payee(ANA), payee(BIA)])
    write_sheet(folder / "shares.xlsx", [share(ANA, "50"), share(BIA, "30")])
    write_sheet(folder / "advances.xlsx", [advance(ANA, "10,00")])
    (folder / "job.yaml").write_text(
        """# what our distributor sends
job: royalties
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
sources:
  - files: royalties.csv
    layout: royalties
payees: payees.xlsx   # Maria keeps this
shares: shares.xlsx
advances: advances.xlsx
account_checks: {when: never}
outputs: {folder: out, statements: false}
""",
        encoding="utf-8",
    )
    return folder


def address_of(desk, path: Path) -> str:
    jobs: JobsFolder = desk.jobs
    return f"/jobs/{jobs.token_of(path)}"


def send(who: Browser, path: str, at: str, field: str, file: Path, code: int = 200, **fields: str) -> str:
    """Send a form with a file; returns the page, or where it leads."""
    parts = [("token", (None, who.token(at))), *((name, (None, text)) for name, text in fields.items())]
    parts.append((field, (file.name, file.read_bytes())))
    answer = who.http.post(path, files=parts, headers={"Origin": ORIGIN})
    assert answer.status_code == code, words_of(answer.text)
    return answer.headers["location"] if code == 303 else answer.text


def take(who: Browser, job: str, table: str, page: str, code: int = 303) -> str:
    hidden = dict(re.findall(r'name="(sha256|name|before|adds)" value="([^"]*)"', page))
    return who.post(f"{job}/tables/{table}/take", at=f"{job}/files", code=code, **hidden)


def versions(who: Browser, job: str) -> list[tuple[str, str]]:
    page = who.get(f"{job}/files")
    rows = re.findall(r"/versions/(\d+)\" download>([^<]+)</a>.*?</time></td><td[^>]*>([^<]+)</td>", page, re.DOTALL)
    return [(name, by) for _, name, by in rows]


@pytest.mark.journey
def test_a_sheet_becomes_a_job_a_plan_and_payments(ana, bia, desk, service, tmp_path):
    sheet = write_sheet(tmp_path / "cachês outubro.xlsx", [payment(ANA, "10,00"), payment(BIA, "20,00")])
    draft = send(ana, "/new-job", "/new-job", "file:sheet", sheet, 303)
    page = ana.get(draft)
    assert 'value="caches"' in page
    assert "Pagamentos" in words_of(page)
    job = ana.post(draft, at=draft, **ANSWERS)
    assert "Selo Aurora" in words_of(ana.get(job))
    look = ana.bring(job, [])
    ana.wait_for(look, "Pronto para pagar R$ 30,00")
    text = ana.http.get(f"{job}/job.yaml").text
    assert "job: caches" in text
    assert "approval: {identities: signed_in, other_than_preparer: true}" in text
    nonce = re.search(r'name="launch" value="([^"]+)"', ana.get(look))[1]
    plan = plan_of(bia, ana.follow(ana.post(f"{look}/launch", at=look, launch=nonce)))
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]


@pytest.mark.journey
def test_a_column_nobody_decides_is_chosen_and_kept_for_the_job(ana, desk, tmp_path):
    rows = [{**payment(ANA, "10,00"), "Valor": "", "Vlr bruto": "12,00", "Vlr líquido": "10,00"}]
    for row in rows:
        del row["Valor"]
    sheet = write_sheet(tmp_path / "p.xlsx", rows)
    draft = send(ana, "/new-job", "/new-job", "file:sheet", sheet, 303)
    assert "Diga qual cabeçalho é" in words_of(ana.get(draft))
    refused = ana.post(draft, at=draft, code=422, **ANSWERS)
    assert "diga qual cabeçalho é Valor" in refused
    field = re.search(r'<select name="(col-\d+-\d+)" aria-label="Vlr líquido"', ana.get(draft))[1]
    job = ana.post(draft, at=draft, **ANSWERS, **{field: "amount"})
    assert "columns: {Vlr líquido: amount}" in ana.http.get(f"{job}/job.yaml").text
    assert "Pronto para pagar R$ 10,00" in ana.wait_for(ana.bring(job, []), "O que foi reconhecido")


@pytest.mark.journey
def test_what_is_missing_is_told_all_at_once_and_nothing_is_written(ana, job, tmp_path):
    sheet = write_sheet(tmp_path / "p.xlsx", [payment(ANA, "10,00")])
    draft = send(ana, "/new-job", "/new-job", "file:sheet", sheet, 303)
    bad = {"payer_tax_id": "123", "payer_name": " ", "period": "trezembro", "name": "../fora", "act": "make"}
    words = ana.post(draft, at=draft, code=422, **bad)
    for part in ("CPF", "nome", "letras minúsculas"):
        assert part in words
    wrong_month = ana.post(draft, at=draft, code=422, **ANSWERS | {"period": "trezembro"})
    assert "period" in wrong_month
    assert "Já existe um job" in ana.post(draft, at=draft, code=422, **ANSWERS | {"name": "aurora"})
    assert sorted(path.name for path in job.parent.parent.iterdir()) == ["aurora"]


def test_a_statement_with_its_tables_becomes_a_job_in_one_go(ana, desk, royalties, tmp_path):
    files = [royalties / name for name in ("royalties.csv", "payees.xlsx", "shares.xlsx")]
    parts = [("token", (None, ana.token("/new-job")))]
    parts += [("file:sheet", (file.name, file.read_bytes())) for file in files]
    draft = ana.http.post("/new-job", files=parts, headers={"Origin": ORIGIN}).headers["location"]
    job = ana.post(draft, at=draft, **ANSWERS | {"name": "extrato"})
    made = read_job(royalties.parent / "extrato" / "job.yaml").job
    assert (made.payees.files, made.shares.files) == (("payees.xlsx",), ("shares.xlsx",))
    assert "Pronto para pagar" in ana.wait_for(ana.bring(job, []), "O que foi reconhecido")


TUNECORE = Path(__file__).parents[3] / "sample_data" / "statements" / "tunecore-2026-10.csv"


def test_a_variant_of_a_known_sender_is_confirmed_and_what_the_bank_got_is_asked(ana, desk, job, tmp_path):
    head, rows = TUNECORE.read_text("utf-8-sig").split("\n", 1)
    (sheet := tmp_path / "tunecore.csv").write_text(head.replace("Total Earned", "Total Earned by You") + "\n" + rows)
    draft = send(ana, "/new-job", "/new-job", "file:sheet", sheet, 303)
    page = ana.get(draft)
    assert "Parece um demonstrativo conhecido" in words_of(page)
    field = re.search(r'<select name="(col-\d+-\d+)" aria-label="Total Earned by You"', page)[1]
    told = {field: "amount", "kind-0": "tunecore", "received-0": "1.234"}
    assert "tunecore.csv: o que o banco recebeu" in ana.post(draft, at=draft, code=422, **ANSWERS | told)
    made = ana.post(draft, at=draft, **ANSWERS | told | {"received-0": "1.234,56"})
    text = ana.http.get(f"{made}/job.yaml").text
    assert "layout: tunecore " in text
    assert 'received: {USD: "1234.56"}' in text


def test_what_is_said_of_a_sender_is_said_for_all_jobs_and_whoever_did_has_a_part_in_their_plans(ana, desk, tmp_path):
    head, rows = TUNECORE.read_text("utf-8-sig").split("\n", 1)
    zones = "\n".join(f"{row},norte" for row in rows.splitlines())
    (sheet := tmp_path / "tunecore.csv").write_text(f"{head},Zona\n{zones}\n")
    draft = send(ana, "/new-job", "/new-job", "file:sheet", sheet, 303)
    page = ana.get(draft)
    field = re.search(r'<select name="(col-\d+-\d+)" aria-label="Zona"', page)[1]
    choices = page[page.index(field) :].partition("</select>")[0]
    assert 'value="ignored"' in choices
    assert 'value="remark"' not in choices, "nobody looks at remarks on lines"
    made = ana.post(draft, at=draft, **ANSWERS | {field: "ignored"})
    assert "Zona" not in ana.http.get(f"{made}/job.yaml").text
    columns = read_settings().columns
    assert columns.read_text("utf-8") == "tunecore:\n  Zona: {ignored: text}\n"
    write_sheet(tmp_path / "cachês.xlsx", [payment(BIA, "10,00")])
    other = tmp_path / "other.yaml"
    other.write_text(f"""job: other
payer: {{tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}}
period: 2026-10
sources:
  - {{files: {sheet}, layout: tunecore, exchange: {{USD: {{rate: "5.00", date: 2026-10-31, source: PTAX}}}}}}
  - {{files: cachês.xlsx, layout: payments}}
account_checks: {{when: never}}
outputs: {{statements: false}}
""")
    report = start_payout(other, RunOptions(by="bia"), progress=QuietProgress(), watched=False)
    with open_ledger_of(read_settings()) as ledger:
        assert ledger.authors.of_run(report.run_id) >= {"analima"}


def test_what_only_looks_like_a_sender_s_is_drafted(ana, desk, job, tmp_path):
    head, rows = TUNECORE.read_text("utf-8-sig").split("\n", 1)
    (sheet := tmp_path / "tunecore.csv").write_text(head.replace("Total Earned", "Total Earned by You") + "\n" + rows)
    draft = send(ana, "/new-job", "/new-job", "file:sheet", sheet, 303)
    assert "um modelo dele é preparado" in words_of(
        ana.post(draft, at=draft, code=200, **{"kind-0": "", "act": "look"})
    )
    made = ana.post(draft, at=draft, **ANSWERS | {"kind-0": ""})
    assert "layout: ./tunecore.layout.yaml" in ana.http.get(f"{made}/job.yaml").text


def test_new_payees_are_held_against_the_old_ones_before_anything_changes(ana, desk, royalties, tmp_path):
    job = address_of(desk, royalties / "job.yaml")
    moved = payee(BIA) | {"Chave Pix": "nova.chave@example.com"}
    sheet = write_sheet(tmp_path / "payees.xlsx", [moved, payee(CAIO)])
    before = (royalties / "payees.xlsx").read_bytes()
    page = send(ana, f"{job}/tables/payees", f"{job}/files", "file:payees", sheet)
    words = words_of(page)
    assert "1 novas" in words
    assert CAIO.name in words
    assert "1 que saem" in words
    assert ANA.name in words
    assert "1 mudadas" in words
    assert "n***e@e***.com" in words
    for private in ("nova.chave", BIA.tax_id, BIA.destination.pix_key):
        assert private not in words
    assert (royalties / "payees.xlsx").read_bytes() == before
    take(ana, job, "payees", page)
    assert (royalties / "payees.xlsx").read_bytes() == sheet.read_bytes()
    assert versions(ana, job) == [("payees.xlsx", "Ana Lima"), ("payees.xlsx", "posto fora desta página")]
    number = re.findall(r"/versions/(\d+)\"", ana.get(f"{job}/files"))[-1]
    assert ana.http.get(f"{job}/versions/{number}").content == before


def test_missing_shares_are_added_beside_those_that_are_there(ana, desk, royalties, tmp_path):
    job = address_of(desk, royalties / "job.yaml")
    sheet = write_sheet(tmp_path / "missing-shares.xlsx", [share(CAIO, "20")])
    page = send(ana, f"{job}/tables/shares", f"{job}/files", "file:shares", sheet, adds="yes")
    words = words_of(page)
    assert "1 novas" in words
    assert "que saem" not in words
    take(ana, job, "shares", page)
    text = (royalties / "job.yaml").read_text(encoding="utf-8")
    assert read_job(royalties / "job.yaml").job.shares.files == ("shares.xlsx", "missing-shares.xlsx")
    assert "# Maria keeps this" in text, "what people wrote stays"


def test_a_table_the_job_did_not_have_is_named_in_it(ana, desk, royalties, tmp_path):
    job = address_of(desk, royalties / "job.yaml")
    text = (royalties / "job.yaml").read_text(encoding="utf-8").replace("advances: advances.xlsx\n", "")
    (royalties / "job.yaml").write_text(text, encoding="utf-8")
    sheet = write_sheet(tmp_path / "adiantamentos.xlsx", [advance(BIA, "5,00")])
    take(ana, job, "advances", send(ana, f"{job}/tables/advances", f"{job}/files", "file:advances", sheet))
    assert read_job(royalties / "job.yaml").job.advances.files == ("adiantamentos.xlsx",)
    assert [name for name, _ in versions(ana, job)] == ["job.yaml", "job.yaml", "adiantamentos.xlsx"]


def test_what_somebody_else_changed_meanwhile_is_not_overwritten(ana, both, desk, royalties, tmp_path):
    job = address_of(desk, royalties / "job.yaml")
    sheet = write_sheet(tmp_path / "payees.xlsx", [payee(ANA), payee(BIA), payee(CAIO)])
    shown = send(ana, f"{job}/tables/payees", f"{job}/files", "file:payees", sheet)
    other = write_sheet(tmp_path / "other.xlsx", [payee(ANA)])
    take(both, job, "payees", send(both, f"{job}/tables/payees", f"{job}/files", "file:payees", other))
    take(ana, job, "payees", shown, code=409)
    assert (royalties / "payees.xlsx").read_bytes() == other.read_bytes()


def declaration(who: Browser, job: str, text: str, code: int = 303) -> str:
    before = re.search(r'name="before" value="(\w+)"', who.get(f"{job}/files"))[1]
    return who.post(f"{job}/declaration", at=f"{job}/files", code=code, text=text, before=before)


def test_the_declaration_is_checked_with_line_and_column_before_it_is_saved(ana, desk, royalties):
    job, path = address_of(desk, royalties / "job.yaml"), royalties / "job.yaml"
    text = path.read_text(encoding="utf-8")
    words = declaration(ana, job, text.replace("shares:", "sharez:"), code=422)
    assert "job.yaml:9:1" in words
    assert path.read_text(encoding="utf-8") == text
    changed = text + 'rules: {minimum_payout: "50.00"}\n'
    declaration(ana, job, changed)
    assert path.read_text(encoding="utf-8") == changed
    assert versions(ana, job)[0] == ("job.yaml", "Ana Lima")


@pytest.mark.parametrize(
    "change",
    [
        'approval: {above: "1000000.00"}\n',
        "approval: {approvers: 1, other_than_preparer: false}\n",
        'rules: {limits: {run: "9.00"}}\n',
    ],
)
def test_whoever_prepares_cannot_let_a_job_pay_without_a_yes(ana, desk, royalties, change):
    job, path = address_of(desk, royalties / "job.yaml"), royalties / "job.yaml"
    text = path.read_text(encoding="utf-8")
    assert "pelo administrador" in declaration(ana, job, text + change, code=422)
    for old, new in (("name: Selo Aurora", "name: Outro"), ("job: royalties", "job: outro")):
        assert "pelo administrador" in declaration(ana, job, text.replace(old, new), code=422)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("path", ["/etc/passwd", "../aurora/payments.xlsx", "s3://bucket/x.csv"])
def test_a_job_changed_here_reads_nothing_outside_its_folder(ana, desk, royalties, path):
    job, file = address_of(desk, royalties / "job.yaml"), royalties / "job.yaml"
    text = file.read_text(encoding="utf-8")
    words = declaration(ana, job, text.replace("payees: payees.xlsx", f"payees: {path}"), code=422)
    assert "só na própria pasta" in words
    assert file.read_text(encoding="utf-8") == text


def test_whoever_changed_where_people_are_paid_does_not_approve_that_plan(ana, both, bia, desk, royalties, tmp_path):
    job = address_of(desk, royalties / "job.yaml")
    moved = payee(BIA) | {"Chave Pix": "nova.chave@example.com"}
    sheet = write_sheet(tmp_path / "payees.xlsx", [payee(ANA), moved])
    take(both, job, "payees", send(both, f"{job}/tables/payees", f"{job}/files", "file:payees", sheet))
    look = ana.bring(job, [], source="royalties")
    ana.wait_for(look, "O que foi reconhecido")
    nonce = re.search(r'name="launch" value="([^"]+)"', ana.get(look))[1]
    plan = plan_of(both, ana.follow(ana.post(f"{look}/launch", at=look, launch=nonce)))
    total = re.search(r"Total a enviar R\$ ([\d.,]+)", words_of(both.get(plan)))[1]
    both.post(f"{plan}/approve", at=plan, total=total)
    assert "Falta 1 aprovação" in words_of(both.get(plan))
    bia.post(f"{plan}/approve", at=plan, total=total)
    assert "Falta 1 aprovação" not in words_of(bia.get(plan))


def test_model_sheets_can_be_had_in_the_readers_language(ana):
    answer = ana.http.get("/models/payees.xlsx")
    assert answer.content[:2] == b"PK"
    assert "favorecidos" in answer.headers["content-disposition"]
    ana.get("/models/secrets.xlsx", code=404)


def test_somebody_who_only_approves_changes_nothing(bia, desk, royalties):
    job = address_of(desk, royalties / "job.yaml")
    page = bia.get(f"{job}/files")
    assert "Verificar e salvar" not in page
    assert "Comparar" not in page
    bia.get("/new-job", code=403)


def renamed(row: dict[str, str], names: dict[str, str]) -> dict[str, str]:
    return {names.get(header, header): text for header, text in row.items()}


def test_headers_of_a_job_that_is_there_are_chosen_and_the_rest_of_its_file_stays(ana, desk, royalties, tmp_path):
    job = address_of(desk, royalties / "job.yaml")
    page = ana.get(f"{job}/columns/payees")
    assert 'aria-label="Nome"' in page, "the sheet that the job reads now is shown"
    other = write_sheet(tmp_path / "maio.xlsx", [renamed(payee(ANA), {"Nome": "Quem recebe, por extenso"})])
    shown = send(ana, f"{job}/columns/payees/sample", f"{job}/columns/payees", "file:sample", other)
    assert "Diga qual cabeçalho é" in words_of(shown)
    hidden = dict(re.findall(r'name="(sha256|name|before)" value="([^"]*)"', shown))
    field = re.search(r'<select name="(col-\d+-\d+)" aria-label="Quem recebe, por extenso"', shown)[1]
    left = ana.post(f"{job}/columns/payees", at=f"{job}/columns/payees", code=422, act="save", **hidden)
    assert "Nome" in left
    before = (royalties / "job.yaml").read_text("utf-8")
    ana.post(f"{job}/columns/payees", at=f"{job}/columns/payees", act="save", **hidden, **{field: "name"})
    kept = "payees: {files: payees.xlsx, columns: {'Quem recebe, por extenso': name}} # Maria keeps this"
    assert (royalties / "job.yaml").read_text("utf-8") == before.replace(
        "payees: payees.xlsx   # Maria keeps this", kept
    )
    (royalties / "payees.xlsx").unlink()
    write_sheet(
        royalties / "payees.xlsx", [renamed(payee(p), {"Nome": "Quem recebe, por extenso"}) for p in (ANA, BIA)]
    )
    words = ana.wait_for(ana.bring(job, []), "O que foi reconhecido")
    assert "Pronto para pagar R$ 90,00" in words, "what nobody has a share of is the payer's"
    assert versions(ana, job)[0] == ("job.yaml", "Ana Lima")


def test_what_a_column_means_that_may_bear_on_payments_is_chosen_and_said_otherwise_again(ana, desk, royalties):
    job = address_of(desk, royalties / "job.yaml")
    rows = [payee(ANA) | {"Situação": "Ativo", "Teto": "500,00"}, payee(BIA) | {"Situação": "Inativo", "Teto": ""}]
    write_sheet(royalties / "payees.xlsx", rows)
    page = ana.get(f"{job}/columns/payees")
    assert words_of(page).count("Ninguém disse para que serve") == 2
    named = re.findall(r'<select name="(col-\d+-\d+)" aria-label="([^"]+)"', page)
    fields = {header: field for field, header in named}
    hidden = dict(re.findall(r'name="(sha256|name|before)" value="([^"]*)"', page))
    said = {fields["Situação"]: "=Ativo", fields["Teto"]: "ignored"}
    ana.post(f"{job}/columns/payees", at=f"{job}/columns/payees", act="save", **hidden, **said)
    declared = read_job(royalties / "job.yaml").job.payees
    assert declared.answers == {"Situação": ("Ativo",), "Teto": IgnoredWhile(CellsOf.MONEY)}
    again = ana.get(f"{job}/columns/payees")
    assert "Ninguém disse para que serve" not in words_of(again)
    assert re.search(r'<option value="=" selected>só as linhas com Ativo', again)
    hidden = dict(re.findall(r'name="(sha256|name|before)" value="([^"]*)"', again))
    kept = {fields["Situação"]: "=", fields["Teto"]: ""}
    ana.post(f"{job}/columns/payees", at=f"{job}/columns/payees", act="save", **hidden, **kept)
    declared = read_job(royalties / "job.yaml").job.payees
    assert declared.answers == {"Situação": ("Ativo",)}


def test_headers_of_a_source_are_chosen_and_said_otherwise_again(ana, desk, royalties):
    job = address_of(desk, royalties / "job.yaml")
    first = (royalties / "job.yaml").read_text("utf-8")
    page = ana.get(f"{job}/columns/1")
    fields = re.findall(r'<select name="(col-\d+-\d+)" aria-label="([^"]+)"', page)
    title = next(field for field, header in fields if header == "Título")
    hidden = dict(re.findall(r'name="(sha256|name|before)" value="([^"]*)"', page))
    ana.post(f"{job}/columns/1", at=f"{job}/columns/1", act="save", **hidden, **{title: "release"})
    assert dict(read_job(royalties / "job.yaml").job.sources[0].columns) == {"Título": "release"}
    again = ana.get(f"{job}/columns/1")
    assert re.search(rf'name="{title}".*?<option value="release" selected>', again, re.DOTALL)
    stale = ana.post(f"{job}/columns/1", at=f"{job}/columns/1", code=409, act="save", **hidden)
    assert "mudou" in stale
    hidden = dict(re.findall(r'name="(sha256|name|before)" value="([^"]*)"', again))
    ana.post(f"{job}/columns/1", at=f"{job}/columns/1", act="save", **hidden, **{title: "title"})
    assert (royalties / "job.yaml").read_text("utf-8") == first


def test_there_are_columns_only_of_what_the_job_reads(ana, desk, job, royalties):
    address = address_of(desk, royalties / "job.yaml")
    for place in ("0", "2", "taxes", "payer"):
        assert ana.http.get(f"{address}/columns/{place}").status_code == 404, place


def test_a_file_that_was_handed_in_by_mistake_is_withdrawn_and_handed_in_again(ana, desk, royalties, service):
    job = address_of(desk, royalties / "job.yaml")
    start_payout(royalties / "job.yaml", RunOptions(yes=True, by="bia"), progress=QuietProgress(), watched=False)
    first = service.paid
    page = ana.get(f"{job}/files")
    digest = re.search(r'name="sha256" value="(\w{64})"', page[page.index('id="deliveries"') :])[1]
    act = {"sha256": digest, "period": "2026-10", "why": "de novembro"}
    ana.post(f"{job}/deliveries", at=f"{job}/files", **act)
    assert ">retirado" in ana.get(f"{job}/files").replace("\n", "").replace("  ", "")
    words = ana.post(f"{job}/deliveries", at=f"{job}/files", code=422, **act)
    assert "nenhum arquivo" in words
    ana.post(f"{job}/deliveries", at=f"{job}/files", **act, back="yes")
    assert ">retirado" not in ana.get(f"{job}/files").replace("\n", "").replace("  ", "")
    with open_ledger_of(read_settings()) as ledger:
        assert [act.by for act in ledger.acts.on_months()] == ["Ana Lima", "Ana Lima"]
        assert ledger.acts.first_broken() is None
    start_payout(royalties / "job.yaml", RunOptions(yes=True, by="bia"), progress=QuietProgress(), watched=False)
    assert service.paid == first
