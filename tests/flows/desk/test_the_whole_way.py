"""From a spreadsheet in a browser to a reconciliation in a browser, over the real stages and a real service."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import pytest

from flows.acts.forms import Approve, Decide, LinkReport, Reject, Release, Unfreeze
from flows.cli.acts import perform_here
from flows.desk import home
from flows.house_ledger import open_ledger_of
from flows.nights.night import run_night
from flows.run_options import RunOptions
from flows.runner import run_payout
from flows.settings import read_settings
from schemas.approval import Role
from schemas.errors import DecisionRefused, ExitCode
from schemas.funding import stand_towards_payer
from schemas.messages import Message
from schemas.submission import SubmissionState
from schemas.values.masking import mask_tax_id
from tests.flows.desk.office import ORIGIN, plan_of, prepare, start, words_of
from tests.flows.jobs import PAYER, declare, payment, people, write_sheet
from tests.throwaway_postgresql import new_database, opened_cluster

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]
OTHER_PAYER = "11222333000181"


@pytest.mark.journey
@pytest.mark.usefixtures("workbooks")
def test_a_sheet_is_brought_looked_at_approved_paid_and_reconciled(ana, bia, the_job, service, tmp_path):
    first, second = people(2)
    sheet = write_sheet(tmp_path / "de fora.xlsx", [payment(first, "1.234,56"), payment(second, "10,00")])
    run = prepare(ana, the_job, [sheet])
    assert "espera aprovação" in words_of(ana.get(run))
    assert service.posts == 0

    assert "1.244,56" in words_of(bia.get("/"))
    plan = plan_of(bia, run)
    page = words_of(bia.get(plan))
    assert "R$ 1.244,56" in page
    assert first.name in page
    assert mask_tax_id(first.tax_id) in page
    assert first.tax_id not in page
    assert "todos os favorecidos são novos" in page
    assert second.name in words_of(bia.get(f"{plan}/payments"))

    assert "Nome do arquivo de fora" in page
    (looked_at,) = re.findall(r'name="(text:[^"]+)"', bia.get(plan))
    sent = bia.follow(bia.post(f"{plan}/approve", at=plan, total="1244,56", **{looked_at: "on"}))
    assert "Concluído." in words_of(bia.get(sent))
    assert service.paid == [1000, 123456]  # of the sheet that was brought, not of the job's own

    names = dict(re.findall(r'<a href="([^"]+)" download>([^<]+)</a>', bia.get(sent)))
    books = {name: bia.http.get(href) for href, name in names.items()}
    assert set(books) >= {"reconciliation.xlsx", "payments.csv", "summary.json"}
    assert books["summary.json"].json()["totals_cents"]["paid"] == 124456
    assert books["payments.csv"].headers["content-disposition"] == 'attachment; filename="payments.csv"'

    addresses = " ".join(ana.seen + bia.seen + list(names)).lower()
    for personal in ("ana", "bia", "lima", "souza", first.tax_id, first.name.split()[0].lower(), "fora"):
        assert personal not in addresses


@pytest.mark.long
@pytest.mark.journey
def test_what_a_run_has_left_held_stands_on_the_first_page_until_it_is_paid(ana, bia, job, the_job, service, tmp_path):
    from openpyxl import load_workbook

    first, second = people(2)
    rows = [payment(first, "10,00"), payment(second, "20,50", CPF="123.456.789-00")]
    run = prepare(ana, the_job, [write_sheet(tmp_path / "lista.xlsx", rows)])
    bia.follow(bia.post(f"{plan_of(bia, run)}/approve", at=plan_of(bia, run), total="10,00"))
    page = bia.get("/")
    assert "20,50" in words_of(page)
    assert "retido" in words_of(page)
    assert "Nada espera" not in words_of(page)
    left = re.search(r'<li class="card wait"><a href="(/runs/[^"]+)">', page)[1]
    assert "corrections.xlsx" in bia.get(left)
    said = {load_workbook(path).worksheets[-1]["A1"].value for path in job.parent.rglob("corrections.xlsx")}
    assert all("entregue este arquivo na página do job" in note for note in said)
    for personal in (second.name, second.tax_id, second.email):
        assert personal not in page
    look = ana.bring(the_job, [write_sheet(tmp_path / "lista 2.xlsx", [rows[0], payment(second, "20,50")])])
    assert "De que mês é lista 2.xlsx?" in ana.wait_for(look, "O que foi reconhecido")
    way = re.search(r'name="way" value="(2026-10 in_place [0-9a-f]{64})"', ana.get(look))[1]
    run = start(ana, ana.post(f"{look}/answer", at=look, way=way, month=""))
    bia.follow(bia.post(f"{plan_of(bia, run)}/approve", at=plan_of(bia, run), total="20,50"))
    assert "Nada espera" in words_of(bia.get("/"))
    assert service.paid == [1000, 2050]


@pytest.mark.long
@pytest.mark.journey
def test_a_plan_of_what_looks_paid_before_says_by_which_report(ana, bia, the_job, service, job):
    paid = plan_of(bia, prepare(ana, the_job))
    bia.follow(bia.post(f"{paid}/approve", at=paid, total="30,00"))
    declare(job, payer={"tax_id": OTHER_PAYER, "name": "Selo Aurora"})
    page = words_of(bia.get(plan_of(bia, prepare(ana, the_job))))
    assert "Parece já pago" in page
    assert f"{service.reports[0]['reportId']} (outro pagador)" in page


@pytest.mark.parametrize("total", ["1,00", "30", "30,01", "3.000,00", "trinta", "", "30,00 reais"])
def test_only_the_plans_own_total_approves_it(ana, bia, the_job, service, total):
    plan = plan_of(bia, prepare(ana, the_job))
    code = 303 if total == "30" else 422
    bia.post(f"{plan}/approve", at=plan, total=total, code=code)
    assert service.paid == ([1000, 2000] if code == 303 else [])


def test_approving_twice_sends_once_and_launches_once(ana, bia, at_desk, the_job, service, launcher):
    caio = at_desk("Caio", Role.APPROVER)
    plan = plan_of(bia, prepare(ana, the_job))
    token = caio.token(plan)
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert "já foi aprovado e seguiu" in caio.post(f"{plan}/approve", token=token, total="30,00", code=422)
    assert service.paid == [1000, 2000]
    assert len(launcher.keys) == 2


def test_launching_twice_from_one_page_starts_one_run(ana, the_job, launcher):
    look = ana.bring(the_job, [])
    ana.wait_for(look, "O que foi reconhecido")
    nonce = re.search(r'name="launch" value="([^"]+)"', ana.get(look))[1]
    run = ana.post(f"{look}/launch", at=look, launch=nonce)
    assert ana.post(f"{look}/launch", at=look, launch=nonce, does=False) == run
    assert len(launcher.keys) == 1


def test_a_rejected_plan_is_not_sent_and_says_why(ana, bia, the_job, service):
    run = prepare(ana, the_job)
    plan = plan_of(bia, run)
    bia.post(f"{plan}/reject", at=plan, why="o valor do segundo está errado")
    for page in ("/", the_job, run, "/runs"):  # what was rejected waits for nobody
        assert "spera aprovação" not in words_of(bia.get(page)), page
    assert "rejeitado" in words_of(bia.get(run))
    assert "Bia Reis: o valor do segundo está errado" in words_of(bia.get(plan))
    assert "foi rejeitado por" in bia.post(f"{plan}/approve", at="/doubts", total="30,00", code=422)
    assert service.posts == 0


def test_with_four_eyes_whoever_prepared_it_does_not_count(at_desk, job, the_job, service, launcher):
    declare(job, approval={"approvers": 2})
    ana, bia, caio = at_desk("ana"), at_desk("bia"), at_desk("caio")
    plan = plan_of(ana, prepare(ana, the_job))
    assert ana.post(f"{plan}/approve", at=plan, total="30,00") == plan
    assert "não conta para este plano" in words_of(ana.get(plan))
    assert bia.post(f"{plan}/approve", at=plan, total="30,00") == plan
    assert bia.post(f"{plan}/approve", at=plan, total="30,00") == plan  # the same person twice is one
    assert "Falta 1 aprovação" in words_of(bia.get(plan))
    assert service.posts == 0
    assert len(launcher.keys) == 1
    run = caio.follow(caio.post(f"{plan}/approve", at=plan, total="30,00"))
    assert "Concluído." in words_of(caio.get(run))
    assert service.paid == [1000, 2000]


def test_where_people_have_to_sign_in_a_typed_approval_does_not_count_and_one_of_the_desk_does(
    ana, bia, job, the_job, service
):
    declare(job, approval={"identities": "signed_in"})
    plan = plan_of(bia, prepare(ana, the_job))
    with pytest.raises(DecisionRefused, match="people who signed in"):
        perform_here(["Bia Reis"], Approve(plan.rpartition("/")[2], "30,00"), as_json=True)
    run_payout(job, RunOptions(yes=True, by="cron"))
    assert service.posts == 0
    page = words_of(bia.get(plan))
    assert "Falta 1 aprovação" in page
    assert "Só contam aprovações dadas aqui" in page
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]


def test_the_yes_of_somebody_who_was_kept_out_since_does_not_count(at_desk, job, the_job, service):
    declare(job, approval={"approvers": 2})
    ana, bia, caio = at_desk("ana"), at_desk("bia"), at_desk("caio")
    plan = plan_of(bia, prepare(ana, the_job))
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    with open_ledger_of(read_settings()) as ledger:
        ledger.desk_users.disable("bia")
    caio.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.posts == 0
    assert "Falta 1 aprovação" in words_of(caio.get(plan))


def test_a_plan_that_was_replaced_cannot_be_approved(ana, bia, job, the_job, service):
    plan = plan_of(bia, prepare(ana, the_job))
    first, second = people(2)
    write_sheet(job.parent / "payments.xlsx", [payment(first, "11,00"), payment(second, "20,00")])
    prepare(ana, the_job)
    assert "substituído" in words_of(bia.get(plan))
    bia.post(f"{plan}/approve", at="/doubts", total="30,00", code=422)
    assert service.posts == 0


def test_problems_are_told_at_their_cells_masked_and_corrected_rows_pay_what_was_missing(
    ana, bia, job, the_job, service, tmp_path
):
    from openpyxl import load_workbook

    first, second = people(2)
    wrong = payment(second, "20,00", CPF="529.982.247-26")
    write_sheet(job.parent / "payments.xlsx", [payment(first, "10,00"), wrong])
    look = ana.bring(the_job, [])
    page = ana.wait_for(look, "O que foi reconhecido")
    assert "B3" in page
    assert "TAXID_CHECK" in page
    assert "529.982.247-26" not in page
    book = ana.http.get(f"{look}/corrections.xlsx")
    assert book.headers["content-disposition"] == 'attachment; filename="corrections.xlsx"'
    corrected = tmp_path / "corrections.xlsx"
    corrected.write_bytes(book.content)
    sheets = load_workbook(corrected)
    assert "entregue este arquivo na página do job" in sheets.worksheets[-1]["A1"].value
    sheets.worksheets[0]["B3"] = payment(second, "20,00")["CPF"]
    sheets.save(corrected)
    run = prepare(ana, the_job, [corrected])
    plan = plan_of(bia, run)
    assert "30,00" in words_of(bia.get(plan))
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]


def test_a_file_nobody_can_read_is_told_in_words(ana, the_job, tmp_path):
    broken = tmp_path / "payments.xlsx"
    broken.write_bytes(b"PK\x03\x04 not a workbook")
    page = ana.wait_for(ana.bring(the_job, [broken]), "O que foi reconhecido")
    assert "payments.xlsx" in page
    assert "O que seria pago" not in page


def made_by_hand(like, service):
    """Make a report in the service that no ledger knows; a list that shows it has not been cut before it."""
    with open_ledger_of(read_settings()) as ledger:
        body = json.loads(ledger.submissions.get(like.id).body)
    content = json.dumps(body | {"reportId": None, "paymentBatchName": "by hand"})
    headers = {"Authorization": service.api_key, "Content-Type": "application/json"}
    made = httpx.post(f"{service.url}/split", headers=headers, content=content).raise_for_status()
    return made.json()["_id"]


def test_a_doubt_is_shown_and_takes_two_people_a_day_and_neither_of_them_the_sender(in_doubt, at_desk, clock, service):
    caio, dora = at_desk("Caio", Role.RESOLVER), at_desk("Dora", Role.RESOLVER)
    assert in_doubt.report_id in words_of(caio.get("/doubts"))
    word = {"subject": in_doubt.id, "evidence": f"{made_by_hand(in_doubt, service)} was made by hand, and is listed"}
    assert "um dia depois do envio" in caio.post("/doubts/absent", at="/doubts", code=422, **word)
    clock.move(hours=25)
    caio.sign_in("Caio")
    dora.sign_in("Dora")
    assert "Já dito por" not in words_of(dora.get("/doubts"))  # a word that came too early is none
    assert caio.post("/doubts/absent", at="/doubts", **word) == "/doubts?done=first"
    assert caio.post("/doubts/absent", at="/doubts", **word) == "/doubts?done=first"  # one person remains one
    assert "Já dito por Caio" in words_of(dora.get("/doubts"))
    assert dora.post("/doubts/absent", at="/doubts", **word) == "/doubts?done=absent"
    with open_ledger_of(read_settings()) as ledger:
        line = ledger.submissions.transitions(in_doubt.id)[-1]
        assert (line.after, line.by) == ("absent", "Caio, Dora")
        assert ledger.first_decisions.pending("absent", in_doubt.id) is None


def test_a_report_that_does_not_exist_is_not_taken_for_the_one_in_doubt(in_doubt, at_desk):
    caio = at_desk("Caio", Role.RESOLVER)
    result = caio.post("/doubts/link", at="/doubts", code=422, subject=in_doubt.id, report="no-such-report")
    assert "o serviço não mostra o relatório" in result


def test_where_people_have_to_sign_in_the_command_line_takes_no_word_on_doubts_and_payments(in_doubt, job, service):
    declare(job, approval={"identities": "signed_in"})
    run_payout(job, RunOptions(yes=False, by="cron"))
    with open_ledger_of(read_settings()) as ledger:
        key = ledger.claims.live_of("aurora", "2026-10")[0].obligation_key
    said = (LinkReport(in_doubt.id, "x"), Decide((key,), "paid", "seen"), Unfreeze(("x",), "seen"), Release())
    for act in said:
        with pytest.raises(DecisionRefused, match="decide at the desk"):
            perform_here(["ana", "bia"], act, as_json=True)


def test_sending_is_held_by_anybody_and_released_by_who_resolves(ana, bia, at_desk, the_job, service):
    plan = plan_of(bia, prepare(ana, the_job))
    ana.post("/sending/hold", at="/doubts", why="something is odd")
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.posts == 0
    assert "something is odd" in words_of(bia.get("/"))
    at_desk("caio", Role.RESOLVER).post("/sending/release", at="/doubts")
    with open_ledger_of(read_settings()) as ledger:
        held = ledger.runs.list()[0].run_id
    ana.follow(ana.post(f"/runs/{held}/go-on", at=f"/runs/{held}"))
    assert service.paid == [1000, 2000]


def test_a_freeze_is_lifted_by_two_people_who_name_all_of_it(at_desk, desk):
    with open_ledger_of(read_settings()) as ledger:
        ledger.freeze.put(Message("attempt.evidence", text="a report nobody knows"), ["rp-x"])
        caio, dora = at_desk("Caio", Role.RESOLVER), at_desk("Dora", Role.RESOLVER)
        assert "nomeie exatamente" in caio.post("/sending/unfreeze", at="/doubts", code=422, evidence="seen")
        word = {"tag:rp-x": "on", "evidence": "it was a test of ours"}
        caio.post("/sending/unfreeze", at="/doubts", **word)
        assert ledger.freeze.current() is not None
        assert dora.post("/sending/unfreeze", at="/doubts", **word) == "/doubts?done=lifted"
        assert ledger.freeze.current() is None


def test_a_run_hands_out_its_own_files_and_no_others(ana, bia, the_job, tmp_path, job):
    run = prepare(ana, the_job)
    summary = next((job.parent / "out").rglob("summary.json"))
    (summary.parent / "link.txt").symlink_to("/etc/passwd")
    page = bia.get(run)
    assert "summary.json" in page
    assert "link.txt" not in page
    for token in ("..%2f..%2fetc%2fpasswd", "summary.json", "0" * 20, "../../job.yaml"):
        assert bia.http.get(f"{run}/files/{token}").status_code in {303, 404}


def test_a_run_that_could_not_begin_says_why(ana, the_job, launcher, monkeypatch, environment):
    from hashlib import sha256

    look = ana.bring(the_job, [])
    ana.wait_for(look, "O que foi reconhecido")
    monkeypatch.setattr(launcher, "payout", lambda *_, **__: None)  # a child that ends before its run begins
    launch = ana.post(f"{look}/launch", at=look, launch="once")
    assert "está começando" in words_of(ana.get(launch))
    logs = environment / "home" / "launched"
    logs.mkdir()
    name = sha256(launch.rpartition("/")[2].encode()).hexdigest()[:32]
    (logs / f"{name}.log").write_text('{\n "exit_code": 30,\n "issues": [],\n "error": "aurora is held by a run"\n}\n')
    assert "aurora is held by a run" in words_of(ana.get(launch))


def test_typed_approvals_still_count_where_names_may_be_declared(ana, the_job, service, job):
    run = prepare(ana, the_job)
    code, _ = perform_here(["bia"], Approve(plan_of(ana, run).rpartition("/")[2], "30,00"), as_json=True)
    assert code is ExitCode.DONE
    run_payout(job, RunOptions(yes=False, by="cron"))
    assert service.paid == [1000, 2000]


MARKUP = "<img src=x onerror=alert(1)>"


def test_nothing_that_people_or_files_say_becomes_markup(ana, bia, at_desk, job, the_job, service, desk):
    first, second = people(2)
    rows = [payment(first, "10,00", Nome=f"{MARKUP} Silva"), payment(second, "=1+1", Nome=f"{MARKUP} Souza")]
    write_sheet(job.parent / "payments.xlsx", [*rows, payment(second, "20,00", MARKUP)])
    declare(job, payer={"tax_id": PAYER, "name": MARKUP})
    caio = at_desk("Caio", Role.RESOLVER)
    caio.post("/sending/hold", at="/doubts", why=MARKUP)
    look = ana.bring(the_job, [])
    ana.wait_for(look, "O que foi reconhecido")
    run = prepare(ana, the_job)
    plan = plan_of(bia, run)
    bia.post(f"{plan}/reject", at=plan, why=MARKUP)
    pages = ("/", the_job, look, f"{look}/payments", f"{look}/others", run, plan, f"{plan}/payments", "/doubts")
    shown = [ana.get(page) for page in pages]
    assert not [page for page, html in zip(pages, shown, strict=True) if "<img" in html]
    assert sum("&lt;img src=x" in html for html in shown) >= 6  # it is there, as text


def test_two_who_approve_at_the_same_moment_start_one_run(at_desk, job, the_job, service, launcher):
    declare(job, approval={"approvers": 2})
    ana, bia, caio = at_desk("ana"), at_desk("bia"), at_desk("caio")
    plan = plan_of(ana, prepare(ana, the_job))
    who = [(bia, bia.token(plan)), (caio, caio.token(plan))]
    with ThreadPoolExecutor(2) as pool:
        ends = [
            pool.submit(
                one.http.post, f"{plan}/approve", data={"token": token, "total": "30,00"}, headers={"Origin": ORIGIN}
            )
            for one, token in who
        ]
        assert {end.result().status_code for end in ends} <= {303, 422}
    assert len(launcher.keys) == 2
    assert service.paid == [1000, 2000]


@pytest.mark.parametrize("by", ["ANA  LIMA", " ana lima", "Ana\u200b Lima"])
def test_whoever_prepared_it_under_another_writing_of_their_name_does_not_count(at_desk, job, the_job, service, by):
    declare(job, approval={"approvers": 2})
    run_payout(job, RunOptions(yes=False, by=by))
    ana, bia = at_desk("Ana Lima"), at_desk("Bia")
    plan = re.search(r'href="(/plans/sha256:[0-9a-f]{64})"', ana.get("/"))[1]
    for who in (ana, bia):
        assert who.post(f"{plan}/approve", at=plan, total="30,00") == plan
    assert "Falta 1 aprovação" in words_of(bia.get(plan))
    assert service.posts == 0


def test_a_name_typed_on_the_command_line_and_the_same_one_signed_in_are_one_person(at_desk, job, the_job, service):
    declare(job, approval={"approvers": 2})
    run_payout(job, RunOptions(yes=False, by="cron"))
    bia = at_desk("Bia Reis")
    plan = re.search(r'href="(/plans/sha256:[0-9a-f]{64})"', bia.get("/"))[1]
    perform_here(["bia  REIS"], Approve(plan.rpartition("/")[2], "30,00"), as_json=True)
    assert bia.post(f"{plan}/approve", at=plan, total="30,00") == plan
    run_payout(job, RunOptions(yes=False, by="cron"))
    assert service.posts == 0


def test_where_people_have_to_sign_in_a_typed_name_rejects_nothing(ana, bia, job, the_job, service):
    declare(job, approval={"identities": "signed_in"})
    plan = plan_of(bia, prepare(ana, the_job))
    with pytest.raises(DecisionRefused, match="decide at the desk"):
        perform_here(["Bia Reis"], Reject(plan.rpartition("/")[2], "a joke"), as_json=True)
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]


def test_what_is_open_in_several_currencies_is_not_added_up(ana, bia, the_job, service, desk, monkeypatch):
    prepare(ana, the_job)
    with open_ledger_of(read_settings()) as ledger:
        (submission,) = ledger.submissions.list(bodies=False)
    waits = home.what_waits(desk.ledger, desk.plans, desk.unresolved, desk.clock.now())
    own = replace(submission, state=SubmissionState.PROCESSING, status="PROCESSING")
    both = (replace(own, amount_cents=1000), replace(own, currency="USD", amount_cents=500))
    says_nothing = {"funded_cents": 0, "receivers": (), "collects": "unknown", "covers": "unknown"}
    at_service = tuple(stand_towards_payer(one, None, **says_nothing) for one in both)
    monkeypatch.setattr(home, "what_waits", lambda *_: replace(waits, fundings=at_service))
    page = words_of(ana.get("/"))
    assert "R$ 10,00" in page
    assert "USD 5,00" in page
    assert "15,00" not in page


@pytest.mark.parametrize(
    ("role", "turn"),
    [(Role.APPROVER, "sua vez"), (Role.PREPARER, "vez de quem aprova"), (Role.RESOLVER, "vez de quem aprova")],
)
def test_a_card_says_whose_turn_it_is(at_desk, ana, the_job, role, turn):
    prepare(ana, the_job)
    page = at_desk("Vera Reis", role).get("/")
    (card,) = re.findall(r'<li class="card wait">.*?</li>', page, re.DOTALL)
    assert turn in words_of(card)


def test_reports_of_two_jobs_are_two_cards_each_with_its_sum_and_page(desk, the_job, ana, service):
    prepare(ana, the_job)
    with open_ledger_of(read_settings()) as ledger:
        (one,) = ledger.submissions.list(bodies=False)
    open_ = [replace(one, job=job, run_id=f"run-{job}", amount_cents=100) for job in ("a", "b", "a")]
    waits = home.what_waits(desk.ledger, desk.plans, desk.unresolved, desk.clock.now())
    cards = home.cards(replace(waits, approvals=(), unsent=tuple(open_), doubts=(), left=()))
    assert [(card.job, card.href, card.sums[0].cents) for card in cards] == [
        ("a", "/runs/run-a", 200),
        ("b", "/runs/run-b", 100),
    ]


@pytest.fixture(scope="module")
def cluster():
    with opened_cluster() as url:
        yield url


@pytest.fixture
def on_postgresql(environment, cluster, monkeypatch):
    monkeypatch.setenv("REPASSE_LEDGER_URL", new_database(cluster))


def test_the_whole_way_is_the_same_on_postgresql(on_postgresql, at_desk, job, service):
    declare(job, approval={"approvers": 2, "identities": "signed_in"})
    ana, bia, caio = at_desk("Ana Lima", Role.PREPARER), at_desk("Bia"), at_desk("Caio")
    (address,) = re.findall(r'href="(/jobs/\w+)"', ana.get("/"))
    plan = plan_of(bia, prepare(ana, address, [job.parent / "payments.xlsx"]))
    tokens = [(one, one.token(plan)) for one in (bia, caio)]
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(
                lambda who: who[0].http.post(
                    f"{plan}/approve", data={"token": who[1], "total": "30,00"}, headers={"Origin": ORIGIN}
                ),
                tokens,
            )
        )
    assert service.paid == [1000, 2000]
    for page in ("/", "/runs", "/doubts", plan, f"{plan}/payments", address):
        bia.get(page)
    assert "aprovado" in words_of(bia.get(plan))
    bia.post("/sending/hold", at="/doubts", why="odd\0", code=400)
    assert bia.http.get("/plans/%00").status_code == 404
    for _ in range(5):
        caio.sign_in("caio", "wrong password", code=401)
    caio.sign_in("Caio", code=429)


def test_a_night_stands_among_the_runs_under_a_name_of_its_own(ana, job, the_job, service):
    run_night(job.parent)
    page = words_of(ana.get("/runs"))
    assert "a noite: todos os jobs" in page
    assert "substituída por outra execução" not in page
    with open_ledger_of(read_settings()) as ledger:
        (night,) = [f"/runs/{run.run_id}" for run in ledger.runs.list() if not run.job]
    assert "espera aprovação" in words_of(ana.get(night))
    assert "O último trabalho noturno terminou há 0 h." in words_of(ana.get("/"))


def test_whoever_launched_a_plan_does_not_count_as_one_who_approves_it(at_desk, the_job, service):
    ana, bia = at_desk("ana"), at_desk("bia")
    plan = plan_of(ana, prepare(ana, the_job))
    assert "não conta: ana" in words_of(ana.get(plan))
    assert ana.post(f"{plan}/approve", at=plan, total="30,00") == plan
    assert "não conta para este plano" in words_of(ana.get(plan))
    assert service.posts == 0
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]


def test_whoever_uploaded_a_file_of_it_does_not_count_either(at_desk, the_job, service, tmp_path):
    ana, bia, caio = at_desk("ana"), at_desk("bia"), at_desk("caio")
    sheet = write_sheet(tmp_path / "pagamentos.xlsx", [payment(people(1)[0], "30,00")])
    look = bia.bring(the_job, [sheet])
    bia.wait_for(look, "O que foi reconhecido")
    nonce = re.search(r'name="launch" value="([^"]+)"', ana.get(look))[1]
    plan = plan_of(ana, ana.follow(ana.post(f"{look}/launch", at=look, launch=nonce)))
    for preparer in (ana, bia):
        assert preparer.post(f"{plan}/approve", at=plan, total="30,00") == plan
    assert service.posts == 0
    caio.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [3000]


def test_a_job_may_say_that_whoever_prepared_it_counts(at_desk, job, the_job, service):
    declare(job, approval={"other_than_preparer": False})
    ana = at_desk("ana")
    plan = plan_of(ana, prepare(ana, the_job))
    ana.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]


@pytest.mark.parametrize("change", ["disable", "roles"])
def test_a_yes_counts_for_what_its_giver_is_when_it_is_used(at_desk, job, the_job, service, change):
    declare(job, approval={"approvers": 2})
    ana, bia, caio = at_desk("ana"), at_desk("bia"), at_desk("caio")
    plan = plan_of(ana, prepare(ana, the_job))
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    with open_ledger_of(read_settings()) as ledger:
        if change == "disable":
            ledger.desk_users.disable("bia")
        else:
            ledger.desk_users.change_roles("bia", [Role.PREPARER])
    caio.post(f"{plan}/approve", at=plan, total="30,00")
    run_payout(job, RunOptions(yes=False, by="cron"))
    assert service.posts == 0


def test_approved_batches_that_were_not_sent_are_withdrawn_by_a_no_in_the_desk(ana, bia, job, the_job, service):
    plan = plan_of(bia, prepare(ana, the_job))
    with open_ledger_of(read_settings()) as ledger:
        ledger.hold.put("dora", "wait")
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert "ainda não foram enviados" in words_of(bia.get(plan))
    bia.post(f"{plan}/reject", at=plan, why="valores trocados")
    page = words_of(bia.get(plan))
    assert "Retirado, nunca enviado: 2 pagamentos, R$ 30,00" in page
    with open_ledger_of(read_settings()) as ledger:
        ledger.hold.release("dora")
    run_payout(job, RunOptions(yes=False, by="cron"))
    assert service.posts == 0


@pytest.mark.parametrize("name", ["ANA  lima", "Ána Líma", "\u0391n\u0430 Lima", "An\u0430 Lima"])
def test_nobody_is_let_in_under_a_name_that_looks_like_somebody_elses(ana, desk, name):
    with open_ledger_of(read_settings()) as ledger, pytest.raises(DecisionRefused):
        ledger.desk_users.add(name, [Role.APPROVER], "x")
