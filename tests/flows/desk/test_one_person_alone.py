"""One person alone moves nothing: whatever a preparer puts where, it takes somebody else's yes, bound to bytes."""

import re
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from flows.opening import open_ledger_of
from flows.run import Silence
from flows.settings import read_settings
from flows.start import start_night
from io_adapters.spreadsheets.declarations import read_job
from schemas.desk_people import Role
from tests.flows.desk.office import ORIGIN, Browser, plan_of, prepare, words_of
from tests.flows.jobs import payee, payment, people, write_sheet

FIRST, SECOND, THIRD = people(3)
pytestmark = pytest.mark.usefixtures("service")

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


def bring_and_take(who: Browser, job: str, table: str, name: str, content: bytes) -> int:
    """Bring a file for a table, and take it whatever was said of it; returns the last answer's status."""
    parts = [("token", (None, who.token(f"{job}/files"))), (f"file:{table}", (name, content))]
    page = who.http.post(f"{job}/tables/{table}", files=parts, headers={"Origin": ORIGIN})
    fields = {"sha256": sha256(content).hexdigest(), "name": name, "before": "", "adds": "no"}
    if page.status_code == 200:
        fields |= dict(re.findall(r'name="(sha256|name|before|adds)" value="([^"]*)"', page.text))
    fields["token"] = who.token(f"{job}/files")
    return who.http.post(f"{job}/tables/{table}/take", data=fields, headers={"Origin": ORIGIN}).status_code


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
    for text in ("# one\n", "# two\n"):
        declare_at_desk(ana, the_job, job.read_text("utf-8") + text)
    with open_ledger_of(read_settings()) as ledger:
        (latest, *_) = ledger.job_versions.list(str(job.absolute()))
        assert len(ledger.authors.of(latest.sha256)) == 1
