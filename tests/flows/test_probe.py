"""A probe finds out on staging what the interface does not say: after a clear word, with its price told."""

import datetime as dt
import json
from hashlib import sha256

import pytest
from sqlalchemy import select

from flows.probe.rules import NOT_ASKED, STEPS, ProbeVerdict, agrees, judge, name_wanted, written
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.tables import attempts, transitions
from io_adapters.payout_api.assumptions import Assumptions
from schemas.attempt import AttemptKind
from schemas.errors import ExitCode
from tests.flows.another_dialect import AnotherDialect
from tests.flows.jobs import PAYER, payment, people
from tests.flows.oracle import CHECK, CREATE

(ANA,) = people(1)
ACCOUNT = {
    "name": ANA.name, "tax_id": ANA.tax_id, "bank_code": "001", "ispb": "00000000", "agency": "1234",
    "account": "12345-6",
}  # fmt: skip


@pytest.fixture
def host(service):
    return service.url.split("/")[2]


@pytest.fixture
def parties(label):
    """A file that names whom a centavo goes from and to."""

    def write(**more):
        payee = {"name": ANA.name, "tax_id": ANA.tax_id, "email": ANA.email}
        payee |= {"pix_key": ANA.destination.pix_key, "pix_key_type": ANA.destination.pix_key_type}
        path = label.folder / "probe.yaml"
        path.write_text(json.dumps({"payer": {"tax_id": PAYER}, "payee": payee} | more), encoding="utf-8")
        return path

    return write


@pytest.fixture
def probe(label, host):
    """Probe, and return what was found by name."""

    def start(*words, code=0, at=host):
        document = label.ask("doctor", "--probe", "--staging", "--yes-probe", at, *words, code=code)
        return {finding["name"]: finding for finding in document["probed"]}

    return start


def verdicts(found):
    return {name: (one["verdict"], one["seen"]) for name, one in found.items()}


def test_without_anybody_named_nothing_that_costs_is_asked(probe, service):
    found = verdicts(probe())
    assert service.posts == service.calls(CHECK) == 0
    assert found["institutions_name"] == ("confirmed", "name")
    assert found["institutions_min_start_date"] == ("confirmed", "min_str_start_date")
    assert found["institutions_max_start_date"] == ("confirmed", "max_str_start_date")
    assert found["institutions_page"] == ("confirmed", "page_number")
    assert found["institutions_page_size"] == ("confirmed", "page_size")
    assert found["institutions_rows"] == ("confirmed", "100")
    assert found["favorite_account"] == ("confirmed", "account_id")
    assert found["missing_statuses"] == ("confirmed", "404")
    for name in ("get_takes", "report_id_unique", "psp_id_is_ispb"):
        assert found[name] == ("not found out", None)


def test_a_service_as_it_is_assumed_to_be_is_confirmed_for_four_centavos_at_most(probe, parties, service):
    found = verdicts(probe("--probe-file", parties()))
    assert found["create_statuses"] == ("confirmed", "200")
    assert found["report_id_echoed"] == ("confirmed", "true")
    assert found["get_takes"] == ("confirmed", "_id")
    assert found["listed_within_s"] == ("confirmed", "1")
    assert found["report_id_unique"] == ("confirmed", "false")
    assert found["payments_and_owner_make_amount"] == ("confirmed", "true")
    assert service.posts == 3
    assert service.paid == [1, 1]
    assert all(report["reportId"].startswith("repasse-probe-") for report in service.reports)


@pytest.mark.long
@pytest.mark.parametrize(
    ("behaviour", "name", "seen", "setting"),
    [
        ({"echo_report_id": False}, "report_id_echoed", "false", "REPASSE_ASSUME_REPORT_ID_ECHOED=false"),
        ({"unique_report_id": True}, "report_id_unique", "true", "REPASSE_ASSUME_REPORT_ID_UNIQUE=true"),
        (
            {"sums_must_match": False},
            "payments_and_owner_make_amount",
            "false",
            "REPASSE_ASSUME_PAYMENTS_AND_OWNER_MAKE_AMOUNT=false",
        ),
    ],
)
def test_a_service_that_is_otherwise_is_seen_as_it_is(probe, parties, service, behaviour, name, seen, setting):
    service.behave(**behaviour)
    found = probe("--probe-file", parties(), code=ExitCode.DISCREPANCIES)
    assert [other for other, one in found.items() if one["verdict"] == "contradicted"] == [name]
    assert (found[name]["seen"], found[name]["setting"]) == (seen, setting)
    variable, _, value = setting.partition("=")
    assert written(getattr(Assumptions.from_environment({variable: value}), name)) == seen


@pytest.mark.long
def test_a_list_that_lags_is_timed(probe, parties, service, monkeypatch):
    service.behave(listing_delay_s=1.2)
    monkeypatch.setenv("REPASSE_ASSUME_LISTED_WITHIN_S", "1")
    found = probe("--probe-file", parties(), code=ExitCode.DISCREPANCIES)
    assert found["listed_within_s"]["verdict"] == "contradicted"
    assert int(found["listed_within_s"]["seen"]) in {2, 3}


@pytest.mark.long
def test_a_report_that_is_not_listed_in_the_time_there_is_proves_nothing(probe, parties, service, monkeypatch):
    monkeypatch.setenv("REPASSE_ASSUME_LISTED_WITHIN_S", "1")
    service.behave(listing_delay_s=3600)
    found = verdicts(probe("--probe-file", parties()))
    assert found["listed_within_s"] == ("not found out", None)
    assert found["get_takes"] == ("confirmed", "_id")


@pytest.mark.long
def test_other_query_names_and_ids_are_found(probe, parties, service, monkeypatch):
    queries = {"page": "page_number", "limit": "page_size", "search": "name", "min_date": "min_str_start_date"}
    with AnotherDialect(service.url, queries=queries, by_report_id=True) as dialect:
        monkeypatch.setenv("REPASSE_API_URL", dialect.url)
        at = dialect.url.split("/")[2]
        found = probe("--probe-file", parties(), code=ExitCode.DISCREPANCIES, at=at)
    assert {one["setting"] for one in found.values() if one["setting"]} == {
        "REPASSE_ASSUME_INSTITUTIONS_NAME=search",
        "REPASSE_ASSUME_INSTITUTIONS_MIN_START_DATE=min_date",
        "REPASSE_ASSUME_INSTITUTIONS_PAGE=page",
        "REPASSE_ASSUME_INSTITUTIONS_PAGE_SIZE=limit",
        "REPASSE_ASSUME_GET_TAKES=reportId",
    }
    assert found["institutions_max_start_date"]["verdict"] == "not found out"


def test_an_own_account_tells_how_accounts_are_written_and_costs_a_check(probe, parties, service):
    found = verdicts(probe("--probe-file", parties(account=ACCOUNT)))
    assert found["psp_id_is_ispb"] == ("confirmed", "true")
    assert found["account_check_digit"] == ("confirmed", "glued")
    assert service.calls(CHECK) == 1


@pytest.mark.long
def test_an_account_that_is_valid_in_no_way_tells_nothing_after_three_checks(probe, parties, service):
    service.behave(invalid_accounts=["123456"])
    found = verdicts(probe("--probe-file", parties(account=ACCOUNT)))
    assert found["psp_id_is_ispb"] == found["account_check_digit"] == ("not found out", None)
    assert service.calls(CHECK) == 3


def test_a_check_without_an_answer_ends_the_checks_and_tells_nothing(probe, parties, service):
    service.plant(CHECK, "drop", when="after")
    found = verdicts(probe("--probe-file", parties(account=ACCOUNT)))
    assert found["psp_id_is_ispb"] == found["account_check_digit"] == ("not found out", None)
    assert service.calls(CHECK) == 1


def test_a_check_that_is_refused_as_documented_says_that_it_was_written_wrongly(probe, parties, service):
    refusal = {"detail": [{"loc": ["body", "account"], "msg": "no", "type": "value_error"}]}
    service.plant(CHECK, "status", when="before", status=422, body=refusal)
    found = verdicts(probe("--probe-file", parties(account=ACCOUNT), code=ExitCode.DISCREPANCIES))
    assert found["account_check_digit"] == ("contradicted", "hyphen")


def test_a_lost_answer_is_not_asked_for_again(probe, parties, service):
    service.plant(CREATE, "drop", when="after")
    found = verdicts(probe("--probe-file", parties()))
    assert found["create_statuses"] == found["get_takes"] == found["report_id_unique"] == ("not found out", None)
    assert service.posts == 2  # the first, and the one whose sums do not fit


def probe_lines(label):
    """What the ledger's journal says of probes' reports: name, state and reason, in order."""
    query = (
        select(attempts.c.subject, transitions.c.after, transitions.c.reason).join(attempts).order_by(transitions.c.id)
    )
    with label.ledger() as ledger, ledger._database.reading() as connection:
        return [tuple(row) for row in connection.execute(query.where(attempts.c.kind == AttemptKind.PROBE))]


def test_what_a_probe_is_about_to_send_is_written_down_before_it_sends(probe, parties, label, service):
    service.plant(CREATE, "drop", when="after")
    probe("--probe-file", parties())
    lines = probe_lines(label)
    assert [after for _, after, _ in lines] == ["approved", "sending", "in_doubt", "approved", "sending", "refused"]
    assert {name for name, *_ in lines[:3]} == {service.reports[0]["reportId"]}


def test_a_probe_whose_process_died_is_in_doubt_and_never_made_again(probe, parties, label, service):
    with label.ledger() as ledger:
        owner = Owner.current("gone")
        attempt = ledger.probes.write("repasse-probe-1", b"{}", "gone")
        until = ledger.now() - dt.timedelta(hours=1)
        digest = sha256(b"{}").hexdigest()
        assert ledger.probes.take_for_sending(attempt.id, owner, "gone", body_sha256=digest, deadline_at=until)
        assert not ledger.probes.take_for_sending(attempt.id, owner, "gone", body_sha256=digest, deadline_at=until)
    probe("--probe-file", parties())
    of_first = [after for name, after, _ in probe_lines(label) if name == "repasse-probe-1"]
    assert of_first == ["approved", "sending", "in_doubt"]
    assert all(report["reportId"] != "repasse-probe-1" for report in service.reports)


def test_a_probes_reports_do_not_freeze_the_sending_of_payouts(probe, parties, label, service):
    probe("--probe-file", parties())
    label.payments(payment(ANA, "10,00"))
    assert label.run().exit_code == ExitCode.DONE
    assert label.say("settle").exit_code == 0
    assert service.paid == [1, 1, 1000]


def test_a_hold_holds_probes_too(probe, parties, label, service):
    label.say("hold", "--by", "bia", "--why", "wait")
    label.ask("doctor", "--probe", "--staging", "--yes-probe", service.url.split("/")[2], code=21)
    assert service.posts == 0


def test_doctor_tells_what_was_seen_and_when_and_warns_of_settings_that_say_otherwise(
    probe, parties, label, service, monkeypatch
):
    assert label.ask("doctor")["assumptions"] == []
    service.behave(echo_report_id=False)
    probe("--probe-file", parties(), code=ExitCode.DISCREPANCIES)
    document = {finding["name"]: finding for finding in label.ask("doctor")["assumptions"]}
    assert document["report_id_echoed"]["contradicted"]
    assert document["report_id_echoed"]["seen_at"][:4] >= "2025"
    assert not document["get_takes"]["contradicted"]
    assert "export REPASSE_ASSUME_REPORT_ID_ECHOED=false" in label.say("doctor").output
    monkeypatch.setenv("REPASSE_ASSUME_REPORT_ID_ECHOED", "false")
    assert "warning" not in label.say("doctor").output


@pytest.mark.parametrize(
    "words",
    [
        ("--yes-probe", "{host}"),
        ("--staging",),
        ("--staging", "--yes-probe", "another"),
        ("--staging", "--yes-probe", ""),
    ],
    ids=["nobody says it is staging", "nobody typed the host", "another host", "nothing typed"],
)
def test_without_a_clear_word_nothing_is_sent(label, service, parties, host, words):
    given = [word.format(host=host) for word in words]
    label.ask("doctor", "--probe", "--probe-file", parties(), *given, code=2)
    assert service.posts == 0
    with label.ledger() as ledger:
        assert ledger.findings.history("probe") == probe_lines(label) == []
        assert not ledger.service.current().url


def test_the_environment_can_say_that_it_is_staging(label, host, monkeypatch):
    monkeypatch.setenv("REPASSE_STAGING", "1")
    label.say("doctor", "--probe", "--yes-probe", host)


def test_the_price_is_told_before_the_question(label, service, parties):
    output = label.say("doctor", "--probe", "--staging", "--probe-file", parties(account=ACCOUNT), code=2).output
    assert "at most R$ 0.07 and 3 fees" in output


def test_a_ledger_of_another_service_is_not_probed_with(label, service, host, another_service, monkeypatch):
    label.payments(payment(ANA, "10,00"))
    label.run()
    other = another_service()
    monkeypatch.setenv("REPASSE_API_URL", other.url)
    label.ask("doctor", "--probe", "--staging", "--yes-probe", other.url.split("/")[2], code=10)
    assert other.posts == 0


@pytest.mark.parametrize(
    "wrong",
    [{"payer": {"tax_id": "1"}}, {"account": ACCOUNT | {"account": "123456"}}, {"nobody": 1}, {"payee": {"name": "x"}}],
    ids=["a tax id", "no check digit", "an unknown key", "half a payee"],
)
def test_a_file_that_is_wrong_is_told_by_key_and_never_by_value(label, service, parties, host, wrong):
    path = parties(**wrong)
    output = label.say("doctor", "--probe", "--staging", "--yes-probe", host, "--probe-file", path, code=10).output
    assert "probe.yaml" in output
    assert ANA.tax_id not in output
    assert ANA.name not in output
    assert service.posts == 0


def test_a_probe_tells_nobodys_data(label, service, parties, host):
    words = ("doctor", "--probe", "--staging", "--yes-probe", host)
    output = label.say(*words, "--probe-file", parties(account=ACCOUNT)).output
    with label.ledger() as ledger:
        output += "".join(finding.value for finding in ledger.findings.history("probe"))
    output += "".join(str(reason) for *_, reason in probe_lines(label))
    for private in (ANA.name, ANA.tax_id, ANA.email, service.api_key, "12345"):
        assert private not in output


def test_every_assumption_is_asked_for_or_said_not_to_be():
    asked = [name for step in STEPS for name in step.finds]
    assert sorted([*asked, *NOT_ASKED]) == sorted(Assumptions.model_fields)


def test_what_costs_comes_last_and_says_so():
    costs = [step.cost_cents for step in STEPS]
    assert sorted(costs, key=bool) == costs
    assert all((step.cost_cents > 0) == (step.needs != "nothing") for step in STEPS)


@pytest.mark.parametrize(
    ("assumed", "seen", "name", "stands"),
    [
        (600, "600", "listed_within_s", True),
        (600, "601", "listed_within_s", False),
        ("_id", "_id,reportId", "get_takes", True),
        ("_id", "reportId", "get_takes", False),
        (frozenset({404, 410}), "410", "missing_statuses", True),
        (frozenset({404, 410}), "422", "missing_statuses", False),
        (True, "false", "report_id_echoed", False),
        (100, "20", "institutions_rows", False),
    ],
)
def test_what_was_seen_stands_or_falls_by_the_meaning_of_the_assumption(assumed, seen, name, stands):
    assert agrees(assumed, seen, name) is stands


def test_nothing_seen_proves_nothing():
    finding = judge("get_takes", "_id", None, "no answer")
    assert (finding.verdict, finding.setting) == (ProbeVerdict.NOT_FOUND_OUT, None)


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        ([(("query", "account"), "missing")], "account"),
        ([(("query", "account_id"), "value_error"), (("query", "acc"), "value_error.missing")], "acc"),
        ([(("query", "account_id"), "string_too_short")], "account_id"),
        ([(("query", "account_id"), "extra_forbidden")], None),
        ([(("body",), "missing")], None),
        ([], None),
    ],
)
def test_a_refusal_names_the_query_it_misses(places, wanted):
    assert name_wanted(places, "account_id") == wanted


def test_the_embedded_sandbox_is_probed_by_its_word(label, monkeypatch):
    monkeypatch.setenv("REPASSE_API_URL", "sandbox")
    document = label.ask("doctor", "--probe", "--staging", "--yes-probe", "sandbox")
    assert {finding["verdict"] for finding in document["probed"]} == {"confirmed", "not found out"}
