"""One person alone moves nothing: whatever a preparer puts where, it takes somebody else's yes, bound to bytes."""

import re
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text

from flows.house_ledger import open_ledger_of
from flows.launch import start_night
from flows.run import SYSTEM_CLOCK, Silence
from flows.settings import read_settings
from io_adapters.spreadsheets.declarations import read_job
from schemas.approval import GOOD_FOR, Role
from schemas.plan import Approval, ApprovalKind
from tests.flows.desk.office import ORIGIN, Browser, bring_and_take, plan_of, prepare, words_of
from tests.flows.jobs import declare, payee, payment, people, write_sheet

FIRST, SECOND, THIRD = people(3)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]

FORGED = """job: {name}
payer: {{tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}}
period: 2026-10
sources: [{{files: payments.xlsx, layout: payments}}]
account_checks: {{when: never}}
approval: {{above: "1000000.00"}}
outputs: {{folder: out, statements: false}}
"""


@pytest.fixture
def clerk(at_desk) -> Browser:
    """Somebody with a job to keep, who prepares and may approve what others have prepared."""
    return at_desk("Eva Cruz", Role.PREPARER, Role.APPROVER)


def declare_at_desk(who: Browser, job: str, text: str) -> int:
    page = who.get(f"{job}/files")
    before = re.search(r'name="before" value="([0-9a-f]*)"', page[page.index('id="declaration"') :])[1]
    data = {"text": text, "before": before, "token": who.token(f"{job}/files")}
    return who.http.post(f"{job}/declaration", data=data, headers={"Origin": ORIGIN}).status_code


def everything_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("table", ["taxes", "payees", "invoices"])
@pytest.mark.parametrize(
    "name", ["x.yaml", "x.yml", "JOB.YAML", "job.yaml", "x.layout.yaml", "x.json", "x", "x.yaml.pdf"]
)
def test_no_upload_becomes_a_job_whatever_it_is_called_and_taken_for(clerk, job, the_job, service, table, name):
    before = everything_in(job.parent.parent)
    code = bring_and_take(clerk, the_job, table, name, FORGED.format(name="forged").encode())
    assert code in {404, 422}
    assert everything_in(job.parent.parent) == before
    start_night(str(job.parent.parent), progress=Silence())
    assert not service.paid


@pytest.mark.journey
def test_a_jobs_own_file_is_no_table_of_it(clerk, job, the_job, service):
    text = job.read_text("utf-8") + "taxes: job.yaml\n"
    assert declare_at_desk(clerk, the_job, text) in {303, 422}
    before = everything_in(job.parent.parent)
    forged = FORGED.format(name="aurora-payments").encode()
    assert bring_and_take(clerk, the_job, "taxes", "job.yaml", forged) in {404, 422}
    assert everything_in(job.parent.parent) == before
    assert read_job(job).job.approval.above == 0


@pytest.mark.parametrize(
    "house",
    [
        'approval: {above: "9000.00"}',
        "account_checks: {when: always, budget: 100000}",
        "outputs: {folder: elsewhere, statements: false}",
        'rules: {limits: {run: "1.00"}}',
    ],
)
def test_what_is_the_houses_is_not_changed_at_the_desk(clerk, job, the_job, house):
    key = house.split(":")[0]
    lines = [line for line in job.read_text("utf-8").splitlines() if not line.startswith(f"{key}:")]
    before = job.read_bytes()
    assert declare_at_desk(clerk, the_job, "\n".join([*lines, house]) + "\n") == 422
    assert job.read_bytes() == before


@pytest.mark.parametrize("path", ["/etc/passwd", "../../home/ledger.db", "http://127.0.0.1:1/p.xlsx", "s3://x/p.xlsx"])
def test_a_job_changed_at_the_desk_reads_its_own_folder_alone(clerk, job, the_job, path):
    text = job.read_text("utf-8").replace("payments.xlsx", path)
    assert declare_at_desk(clerk, the_job, text) == 422


@pytest.fixture
def two_jobs(job: Path) -> tuple[Path, Path]:
    """Two jobs of one folder that share their payees, who have their keys there alone."""
    folder = job.parent.parent
    job.unlink()
    write_sheet(folder / "payees.xlsx", [payee(FIRST), payee(SECOND)])
    for name in ("first", "second"):
        paid = [payment(person, "10,00") for person in (FIRST, SECOND)]
        rows = [{key: text for key, text in row.items() if "have" not in key} | {"Referência": name} for row in paid]
        write_sheet(folder / f"{name}.xlsx", rows)
        text = FORGED.format(name=name).replace("payments.xlsx", f"{name}.xlsx")
        text = text.replace('above: "1000000.00"', "approvers: 1") + "payees: payees.xlsx\n"
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder / "first.yaml", folder / "second.yaml"


def page_of_job(desk, path: Path) -> str:
    return f"/jobs/{desk.jobs.token_of(path)}"


def with_own_key(tmp_path: Path) -> bytes:
    """The shared payees, with the clerk's own key for one of them."""
    moved = payee(FIRST) | {"Chave Pix": "eva.cruz@example.com", "Tipo da chave": "E-mail"}
    return write_sheet(tmp_path / "payees.xlsx", [moved, payee(SECOND)]).read_bytes()


@pytest.mark.long
@pytest.mark.journey
def test_who_changed_a_table_through_one_job_does_not_approve_another_that_reads_it(
    two_jobs, desk, clerk, ana, service, tmp_path
):
    first, second = two_jobs
    content = with_own_key(tmp_path)
    assert bring_and_take(clerk, page_of_job(desk, first), "payees", "payees.xlsx", content) == 303
    assert (first.parent / "payees.xlsx").read_bytes() == content
    plan = plan_of(clerk, prepare(ana, page_of_job(desk, second)))
    clerk.post(f"{plan}/approve", at=plan, total="20,00")
    assert not service.paid
    assert "Eva Cruz" in words_of(clerk.get(plan))


def test_a_change_made_before_an_earlier_plan_was_approved_is_not_forgotten(
    two_jobs, desk, clerk, ana, bia, service, tmp_path
):
    first, second = two_jobs
    bring_and_take(clerk, page_of_job(desk, second), "payees", "payees.xlsx", with_own_key(tmp_path))
    plan = plan_of(bia, prepare(ana, page_of_job(desk, second)))
    bia.post(f"{plan}/approve", at=plan, total="20,00")
    paid = len(service.paid)
    assert paid
    plan = plan_of(clerk, prepare(ana, page_of_job(desk, first)))
    clerk.post(f"{plan}/approve", at=plan, total="20,00")
    assert len(service.paid) == paid


def test_bytes_of_somebody_else_free_whoever_brought_others_before(two_jobs, desk, clerk, ana, bia, service, tmp_path):
    first, _ = two_jobs
    honest = (first.parent / "payees.xlsx").read_bytes()
    job = page_of_job(desk, first)
    bring_and_take(clerk, job, "payees", "payees.xlsx", with_own_key(tmp_path))
    bring_and_take(ana, job, "payees", "payees.xlsx", honest)
    plan = plan_of(clerk, prepare(ana, job))
    clerk.post(f"{plan}/approve", at=plan, total="20,00")
    assert service.paid == [1000, 1000]


def test_whoever_edited_a_declaration_has_a_part_in_what_others_make_of_it(job, the_job, clerk, ana, service):
    assert declare_at_desk(clerk, the_job, job.read_text("utf-8") + "# by the clerk\n") == 303
    assert declare_at_desk(ana, the_job, job.read_text("utf-8") + "# and by another\n") == 303
    plan = plan_of(clerk, prepare(ana, the_job))
    clerk.post(f"{plan}/approve", at=plan, total="30,00")
    assert not service.paid


def test_what_the_desk_writes_can_be_read_by_whoever_could_read_it_before(job, the_job, ana):
    job.chmod(0o644)
    assert declare_at_desk(ana, the_job, job.read_text("utf-8") + "# edited\n") == 303
    assert stat.S_IMODE(job.stat().st_mode) == 0o644


def test_who_edits_a_job_twice_is_one_person_in_the_record(job, the_job, ana):
    for comment in ("# one\n", "# two\n"):
        declare_at_desk(ana, the_job, job.read_text("utf-8") + comment)
    with open_ledger_of(read_settings()) as ledger:
        (latest, *_) = ledger.job_versions.list(str(job.absolute()))
        assert len(ledger.authors.of(latest.sha256)) == 1


def copied(connection, table: str, **changes: object) -> None:
    """Write a row into a table past the program: one that is there, with some of it otherwise."""
    row = dict(connection.execute(text(f"SELECT * FROM {table}")).mappings().first())  # noqa: S608
    row = {name: value for name, value in (row | changes).items() if name != "id"}
    names = ", ".join(f'"{name}"' for name in row)
    values = ", ".join(f":{name}" for name in row)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)  # noqa: S608


@pytest.fixture
def database(environment) -> Iterator[Connection]:
    """What somebody can do who can write to the database, and has neither a password nor the key."""
    engine = create_engine(f"sqlite:///{environment / 'home' / 'ledger.db'}")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.mark.long
@pytest.mark.journey
def test_an_approval_written_into_the_database_pays_nothing(bia, plan, ana, the_job, database, service):
    digest = plan.rsplit("/", 1)[1]
    now = SYSTEM_CLOCK.now()
    values = {"digest": digest, "total": 3000, "at": now.isoformat(" ")[:26], "until": "2099-01-01 00:00:00.000000"}
    for by, kind in (("Bia Reis", "signed_in"), ("Bia Reis", "person")):
        database.execute(
            text(
                'INSERT INTO approvals (digest, "by", kind, total_cents, at, expires_at, act) '
                "VALUES (:digest, :by, :kind, :total, :at, :until, 1)"
            ),
            values | {"by": by, "kind": kind},
        )
    database.commit()
    prepare(ana, the_job)
    assert not service.paid
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]


def test_an_approval_copied_to_another_plan_pays_nothing(job, bia, plan, ana, the_job, database, service):
    with open_ledger_of(read_settings()) as ledger:
        now = SYSTEM_CLOCK.now()
        until = now + GOOD_FOR
        ledger.approvals.record(Approval(plan.rsplit("/", 1)[1], "Bia Reis", ApprovalKind.SIGNED_IN, 3000, now, until))
    write_sheet(job.parent / "payments.xlsx", [payment(THIRD, "30,00")])
    other = plan_of(bia, prepare(ana, the_job))
    copied(database, "approvals", digest=other.rsplit("/", 1)[1])
    database.commit()
    prepare(ana, the_job)
    assert not service.paid


def test_a_user_and_a_session_written_into_the_database_let_nobody_in(browser, ana, database):
    ana.get("/")
    copied(database, "desk_users", key="mallory", name="Mallory", roles="approver preparer resolver")
    copied(database, "desk_sessions", token_seal=sha256(b"a token").hexdigest())
    database.commit()
    browser.sign_in("Mallory", code=401)
    browser.http.cookies.set("repasse-session", "a token")
    browser.get("/", code=303)


def test_a_role_written_into_the_database_keeps_its_person_out(ana, database):
    ana.get("/")
    database.execute(text("UPDATE desk_users SET roles = 'approver preparer'"))
    database.commit()
    ana.get("/", code=303)
    ana.sign_in("Ana Lima", code=401)


def test_a_batch_put_in_the_place_of_the_approved_one_is_not_sent(job, desk, bia, plan, database, service):
    with open_ledger_of(read_settings()) as ledger:
        stored = ledger.plans.get(plan.rsplit("/", 1)[1])
        now = SYSTEM_CLOCK.now()
        ledger.approvals.record(Approval(stored.digest, "Bia Reis", ApprovalKind.SIGNED_IN, 3000, now, now + GOOD_FOR))
        ledger.submissions.approve_plan(stored.digest, stored.run_id, (), now)
    database.execute(text("UPDATE attempts SET subject = :hash"), {"hash": "f" * 64})
    database.commit()
    with open_ledger_of(read_settings()) as ledger:
        (approved,) = ledger.submissions.list()
        assert approved.id not in ledger.submissions.good_until([approved.id])
    assert not service.paid


@pytest.fixture
def costly(job: Path, environment: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job that asks about its accounts each time, in a house where that takes a yes."""
    policy = environment / "policy.yaml"
    policy.write_text("{identities: signed_in, other_than_preparer: true, account_checks: {approval_above: 1}}")
    monkeypatch.setenv("REPASSE_POLICY", str(policy))
    return declare(job, account_checks={"when": "always", "budget": "100000.00"})


@pytest.mark.long
@pytest.mark.journey
def test_who_prepares_buys_no_checks_alone_and_who_agrees_to_them_may_still_approve(
    costly, desk, clerk, bia, the_job, service
):
    for _ in range(3):
        prepare(clerk, the_job)
    (wanted,) = re.findall(r'href="(/checks/[^"]+)"', clerk.get("/"))
    assert "não conta" in clerk.get(clerk.post(f"{wanted}/agree", at=wanted, total="0,72"))
    clerk.post(f"{wanted}/agree", at=wanted, code=422, total="0,71")
    assert not service.checks
    run = bia.follow(bia.post(f"{wanted}/agree", at=wanted, total="0,72"))
    assert service.checks == 2
    plan = plan_of(bia, run)
    assert not service.paid
    clerk.post(f"{plan}/received", at=plan)
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    assert service.paid == [1000, 2000]
    assert "/checks/" not in bia.get("/")
