"""REPASSE_POLICY: the least a house asks of every approval, in a file that whoever writes jobs cannot undercut."""

import json
import shutil
from pathlib import Path

import pytest

from flows.cli.policy import STRICT_POLICY
from flows.house_ledger import open_ledger_of
from flows.intake.read import read
from flows.run import QuietProgress, opened_offline
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.settings import read_settings
from schemas.approval import Role
from schemas.errors import ConfigurationError, DecisionRefused, ExitCode, RepasseError
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of

pytestmark = pytest.mark.long

ANA, BIA = people(2)


@pytest.fixture
def policy(label: Label, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write the policy of the house."""
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    monkeypatch.setenv("REPASSE_POLICY", str(tmp_path / "rules" / "policy.yaml"))

    def write(**said: object) -> Path:
        path = tmp_path / "rules" / "policy.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(said), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "least", [{"above": "29.99"}, {"approvers": 2, "above": "0"}, {"limits": {"payment": "19.99"}}]
)
def test_a_job_that_asks_for_less_gets_what_the_policy_asks_for(label, service, policy, least):
    policy(**least)
    label.declare(approval={"above": "1000.00", "approvers": 1})
    assert label.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


def test_a_job_that_asks_for_more_keeps_it(label, service, policy):
    policy(above="1000.00", approvers=1)
    label.declare(approval={"approvers": 2})
    label.approve(digest_of(label.run(yes=False)), "30,00", "bia")
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


@pytest.mark.long
@pytest.mark.journey
def test_whoever_prepared_a_plan_does_not_count_where_the_policy_says_so(label, service, policy):
    policy(other_than_preparer=True)
    label.declare(approval={"other_than_preparer": False})
    report = label.run(yes=True, by="ana")
    assert report.exit_code == ExitCode.APPROVAL_WANTED
    assert any("não conta quem o preparou" in message and "ana" in message for message in report.messages)
    for name in ("A.n.a.", "A-n-a"):  # nobody is somebody else by being written so
        label.approve(digest_of(report), "30,00", name)
        assert label.run(yes=False, by="ana").exit_code == ExitCode.APPROVAL_WANTED
    label.receive(digest_of(report))
    label.approve(digest_of(report), "30,00", "bia")
    assert label.run(yes=False, by="ana").exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


def test_where_the_policy_wants_people_to_sign_in_no_typed_word_counts(label, service, policy):
    policy(identities="signed_in")
    digest = digest_of(label.run(yes=True))
    for command in (
        ("approve", digest, "--by", "bia", "--total", "30,00"),
        ("reject", digest, "--by", "b", "--why", "x"),
    ):
        assert "signed in" in label.say(*command, code=ExitCode.USAGE).output
    assert service.posts == 0


@pytest.mark.long
def test_a_policy_that_becomes_stricter_counts_for_a_plan_that_waits(label, service, policy):
    policy(approvers=1)
    label.approve(digest_of(label.run(yes=False)), "30,00", "bia")
    policy(approvers=2)
    assert label.run(yes=False).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0


@pytest.mark.parametrize("text", [None, "", "approvers: 3", "aprovadores: 2", "- 1", "\tapprovers: 1"])
def test_a_policy_that_cannot_be_read_is_never_no_policy(label, service, policy, text):
    if text is not None:
        policy().write_text(text, encoding="utf-8")
    report = label.say("run", label.job, "--yes", code=ExitCode.CONFIGURATION)
    assert "policy" in report.output
    label.say("status", code=ExitCode.CONFIGURATION)
    assert service.posts == 0


@pytest.mark.parametrize("where", ["job", "rules"])
def test_a_policy_beside_the_jobs_is_refused(label, service, policy, monkeypatch, where):
    path = policy(approvers=2)
    if where == "job":
        (label.folder / "policy.yaml").write_text("approvers: 1", encoding="utf-8")
        monkeypatch.setenv("REPASSE_POLICY", str(label.folder / "policy.yaml"))
    else:
        monkeypatch.setenv("REPASSE_JOBS", str(path.parent))
    assert "REPASSE_POLICY" in label.say("run", label.job, "--yes", code=ExitCode.CONFIGURATION).output
    assert service.posts == 0


def test_a_night_refuses_a_policy_anywhere_in_the_folder_it_is_given(label, service, monkeypatch):
    (label.folder.parent / "policy.yaml").write_text("approvers: 1", encoding="utf-8")
    monkeypatch.setenv("REPASSE_POLICY", str(label.folder.parent / "policy.yaml"))
    night = label.say("nightly", "--jobs", label.folder.parent, code=ExitCode.CONFIGURATION)
    assert "REPASSE_POLICY" in night.output
    assert service.posts == 0


def test_doctor_shows_the_policy(label, policy):
    policy(approvers=2, limits={"run": "1000.00"}, other_than_preparer=True)
    document = label.ask("doctor")["findings"]["policy"]["message"]
    assert "approvers 2" in document
    assert "1,000.00" in document
    assert "other than the preparer" in document


@pytest.mark.long
def test_a_job_file_edited_after_the_plan_was_frozen_does_not_loosen_its_rule(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    strict = {"approvers": 2, "identities": "declared"}
    label.declare(approval=strict, rules={"limits": {"run": "29.99"}})
    digest = digest_of(label.run(yes=False))
    label.declare(approval={"above": "1000.00", "approvers": 1})
    label.approve(digest, "30,00", "bia")
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    label.approve(digest, "30,00", "caio")
    assert label.run(yes=False).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000]


@pytest.mark.long
def test_an_edited_job_file_does_not_let_typed_words_count_on_a_plan_that_wanted_people_to_sign_in(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    label.declare(approval={"identities": "signed_in"})
    digest = digest_of(label.run(yes=False))
    label.declare()
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    label.say("approve", digest, "--by", "bia", "--total", "30,00", code=ExitCode.USAGE)
    assert service.posts == 0


@pytest.mark.journey
def test_a_policy_that_is_gone_is_never_no_policy(label, service, policy, monkeypatch):
    policy(approvers=2)
    label.declare(approval={"above": "1000.00"})
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    monkeypatch.delenv("REPASSE_POLICY")
    with pytest.raises(ConfigurationError, match="REPASSE_POLICY"):
        label.run(yes=True)
    assert service.posts == 0


@pytest.mark.parametrize("looser", [{}, {"approvers": 1, "above": "1000.00"}, {"limits": {"payment": "999.00"}}])
def test_a_policy_that_asks_for_less_than_before_counts_once_two_people_say_so(label, service, policy, looser):
    policy(approvers=2)
    label.declare(approval={"above": "1000.00"})
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    policy(**looser)
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0
    with open_ledger_of(read_settings()) as ledger:
        for people in (["ana"], ["ana", "A.n.a"], []):
            with pytest.raises(DecisionRefused):
                ledger.decision_rules.loosen(people, "one office fewer")
        with pytest.raises(DecisionRefused):
            ledger.decision_rules.loosen(["ana", "bia"], " ")
        ledger.decision_rules.loosen(["ana", "bia"], "one office fewer")
    assert label.run(yes=True, by="caio").exit_code == ExitCode.APPROVAL_WANTED, "of a plan from before, no less"
    label.payments(payment(ANA, "11,00"))
    assert label.run(yes=True, by="caio").exit_code == ExitCode.DONE
    assert service.paid == [1100]


@pytest.mark.parametrize(
    ("reads", "path", "is_read"),
    [
        ({}, "../elsewhere/payments.xlsx", False),
        ({}, "{elsewhere}/payments.xlsx", False),
        ({}, "{elsewhere}/*.xlsx", False),
        ({}, "http://127.0.0.1:9/payments.xlsx", False),
        ({"schemes": ["s3"]}, "http://127.0.0.1:9/payments.xlsx", False),
        ({"schemes": ["s3"]}, "simplecache::s3://bucket/payments.xlsx", False),
        ({"folders": ["{elsewhere}"]}, "{elsewhere}/payments.xlsx", True),
        ({"folders": ["{elsewhere}"]}, "{elsewhere}/../secret/payments.xlsx", False),
        ({}, "payments.xlsx", True),
    ],
)
def test_a_job_reads_where_the_policy_lets_jobs_read(label, service, policy, tmp_path, reads, path, is_read):
    elsewhere = label.folder.parent / "elsewhere"
    for folder in (elsewhere, tmp_path / "secret"):
        folder.mkdir()
        shutil.copy(label.folder / "payments.xlsx", folder / "payments.xlsx")
    places = json.loads(json.dumps({"reads": reads}).replace("{elsewhere}", str(elsewhere)))
    policy(**places)
    label.declare(sources=[{"files": path.replace("{elsewhere}", str(elsewhere)), "layout": "payments"}])
    if is_read:
        assert label.run(yes=True).exit_code == ExitCode.DONE
    else:
        with pytest.raises(ConfigurationError, match="reads"):
            label.run(yes=True)
    assert service.paid == ([1000, 2000] if is_read else [])


def test_the_policy_of_the_home_folder_counts_also_where_that_lies_beside_the_job(label, service, monkeypatch):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    home = label.folder / ".repasse"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("REPASSE_HOME", str(home))
    (home / "policy.yaml").write_text(STRICT_POLICY, encoding="utf-8")
    label.declare(approval={"above": "1000.00"})
    assert label.run(yes=True).exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0
    monkeypatch.setenv("REPASSE_HOME", str(label.folder))
    (label.folder / "policy.yaml").write_text(STRICT_POLICY, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="policy"):
        label.run(yes=True)


@pytest.mark.parametrize(
    ("pattern", "link", "leads_to"),
    [
        ("l*.xlsx", "l1.xlsx", "payments.xlsx"), ("s?b/payments.xlsx", "sub", ""), ("**/payments*.xlsx", "deep", ""),
        ("[st]ub/*.xlsx", "tub", ""), ("payments-1.xlsx", "payments-1.xlsx", "payments.xlsx"),
        ("sub/payments.xlsx", "sub", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("when", ["before", "after it was looked at"])
def test_no_link_leads_a_job_out_of_the_folders_it_may_read(label, service, policy, pattern, link, leads_to, when):
    """Whether its name is written out or matched by a pattern, and whether the link is there when the job is judged."""
    elsewhere = label.folder.parent / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(label.folder / "payments.xlsx", elsewhere / "payments.xlsx")
    (label.folder / "payments.xlsx").unlink()
    policy()
    label.declare(sources=[{"files": pattern, "layout": "payments"}])
    place = label.folder / link
    if when == "before":
        place.symlink_to(elsewhere / leads_to)
        try:
            ended = label.run(yes=True).exit_code
        except RepasseError as refused:
            ended = refused.exit_code
    else:
        place.parent.mkdir(exist_ok=True)
        order = read_run_request(label.job, RunOptions(yes=True, by="ana"))
        place.symlink_to(elsewhere / leads_to)
        with pytest.raises(RepasseError) as refused, opened_offline(order, QuietProgress()) as run:
            read(run)
        ended = refused.value.exit_code
    assert ended in {ExitCode.CONFIGURATION, ExitCode.UNREADABLE_FILE}
    assert service.paid == []


@pytest.mark.parametrize(("approvers", "code"), [(1, 0), (2, 10)])
def test_a_policy_that_no_plan_of_the_house_can_meet_is_named(label, service, policy, approvers, code):
    policy(identities="signed_in", other_than_preparer=True, approvers=approvers)
    with label.ledger() as ledger:
        for name in ("Ana Lima", "Bia Reis"):
            ledger.desk_users.add(name, [Role.PREPARER, Role.APPROVER], "a hash of a password")
    said = label.ask("doctor", code=code)["findings"]["policy"]
    assert said["exit_code"] == code
    assert ("1 at the most" in said["message"]) == bool(code)
    with label.ledger() as ledger:
        ledger.desk_users.add("Caio Dias", [Role.APPROVER], "a hash of a password")
    label.say("doctor", code=0)
