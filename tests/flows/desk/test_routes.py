"""Every address of the desk has a rule: who may go there. An address without one fails here."""

import pytest

from schemas.approval import Role
from tests.flows.desk.office import ORIGIN, Browser, routes_of, words_of

ANYBODY = "anybody, with the token of their visit where they send something"
SIGNED_IN = "anybody signed in"
THE_SERVICE = "whoever knows the address: it is no act, reads nothing, and is the one exception to origin and token"
RULES = {
    ("GET", "/sign-in"): ANYBODY,
    ("POST", "/sign-in"): ANYBODY,
    ("POST", "/language"): ANYBODY,
    ("POST", "/sign-out"): SIGNED_IN,
    ("GET", "/password"): SIGNED_IN,
    ("POST", "/password"): SIGNED_IN,
    ("GET", "/checks/{digest}"): SIGNED_IN,
    ("POST", "/checks/{digest}/agree"): Role.APPROVER,
    ("GET", "/"): SIGNED_IN,
    ("GET", "/runs"): SIGNED_IN,
    ("GET", "/payments"): SIGNED_IN,
    ("GET", "/payments.csv"): SIGNED_IN,
    ("GET", "/payments/{key:path}/receipt.pdf"): SIGNED_IN,
    ("GET", "/funding"): SIGNED_IN,
    ("POST", "/funding/paid"): Role.RESOLVER,
    ("POST", "/funding/receiver"): Role.APPROVER,
    ("GET", "/bank"): SIGNED_IN,
    ("GET", "/bank/bank.xlsx"): SIGNED_IN,
    ("POST", "/bank/explain"): Role.RESOLVER,
    ("POST", "/bank/read"): Role.RESOLVER,
    ("GET", "/deals"): SIGNED_IN,
    ("GET", "/deals/deals.xlsx"): SIGNED_IN,
    ("GET", "/months"): SIGNED_IN,
    ("GET", "/months/{month}"): SIGNED_IN,
    ("GET", "/months/{month}/month.xlsx"): SIGNED_IN,
    ("GET", "/payees/{token}"): SIGNED_IN,
    ("GET", "/runs/{run_id}/statements.zip"): SIGNED_IN,
    ("GET", "/jobs/{token}"): SIGNED_IN,
    ("POST", "/jobs/{token}/preview"): Role.PREPARER,
    ("POST", "/jobs/{token}/months"): Role.PREPARER,
    ("GET", "/jobs/{token}/files"): SIGNED_IN,
    ("GET", "/jobs/{token}/job.yaml"): SIGNED_IN,
    ("POST", "/jobs/{token}/declaration"): Role.PREPARER,
    ("POST", "/jobs/{token}/deliveries"): Role.PREPARER,
    ("POST", "/jobs/{token}/tables/{table}"): Role.PREPARER,
    ("GET", "/jobs/{token}/columns/{place}"): Role.PREPARER,
    ("POST", "/jobs/{token}/columns/{place}"): Role.PREPARER,
    ("POST", "/jobs/{token}/columns/{place}/sample"): Role.PREPARER,
    ("POST", "/jobs/{token}/tables/{table}/take"): Role.PREPARER,
    ("GET", "/jobs/{token}/versions/{number}"): Role.PREPARER,
    ("GET", "/models/{table}.xlsx"): SIGNED_IN,
    ("GET", "/new-job"): Role.PREPARER,
    ("POST", "/new-job"): Role.PREPARER,
    ("GET", "/new-job/{token}"): Role.PREPARER,
    ("POST", "/new-job/{token}"): Role.PREPARER,
    ("GET", "/previews/{token}"): SIGNED_IN,
    ("GET", "/previews/{token}/payments"): SIGNED_IN,
    ("GET", "/previews/{token}/others"): SIGNED_IN,
    ("GET", "/previews/{token}/corrections.xlsx"): SIGNED_IN,
    ("GET", "/previews/{token}/missing-shares.xlsx"): SIGNED_IN,
    ("GET", "/previews/{token}/problems/{code}"): SIGNED_IN,
    ("POST", "/previews/{token}/answer"): Role.PREPARER,
    ("POST", "/previews/{token}/put-right"): Role.PREPARER,
    ("POST", "/previews/{token}/key-types"): Role.PREPARER,
    ("POST", "/previews/{token}/launch"): Role.PREPARER,
    ("GET", "/launches/{key}"): SIGNED_IN,
    ("GET", "/plans/{digest}"): SIGNED_IN,
    ("GET", "/plans/{digest}/payments"): SIGNED_IN,
    ("GET", "/plans/{digest}/others"): SIGNED_IN,
    ("POST", "/plans/{digest}/approve"): Role.APPROVER,
    ("POST", "/plans/{digest}/reject"): Role.APPROVER,
    ("POST", "/plans/{digest}/received"): SIGNED_IN,
    ("GET", "/acts"): SIGNED_IN,
    ("GET", "/runs/{run_id}"): SIGNED_IN,
    ("GET", "/runs/{run_id}/live"): SIGNED_IN,
    ("GET", "/runs/{run_id}/statements"): SIGNED_IN,
    ("GET", "/runs/{run_id}/files/{token}"): SIGNED_IN,
    ("POST", "/runs/{run_id}/go-on"): Role.PREPARER,
    ("POST", "/runs/{run_id}/statements/mail"): Role.APPROVER,
    ("GET", "/doubts"): SIGNED_IN,
    ("GET", "/doubts/stamp"): SIGNED_IN,
    ("POST", "/doubts/look"): Role.RESOLVER,
    ("POST", "/doubts/link"): Role.RESOLVER,
    ("POST", "/doubts/absent"): Role.RESOLVER,
    ("POST", "/doubts/unlink"): Role.RESOLVER,
    ("POST", "/doubts/rate"): Role.RESOLVER,
    ("POST", "/doubts/decide"): Role.RESOLVER,
    ("POST", "/doubts/returned"): Role.RESOLVER,
    ("POST", "/sending/hold"): SIGNED_IN,
    ("POST", "/sending/release"): Role.RESOLVER,
    ("POST", "/sending/unfreeze"): Role.RESOLVER,
    ("POST", "/settle"): SIGNED_IN,
    ("POST", "/hooks/{token}"): THE_SERVICE,
}
FIELDS = {"total": "1,00", "why": "no", "launch": "x", "subject": "rp-x", "report": "y", "evidence": "z", "kind": "pay"}
FIELDS |= {"obligations": "ob-x"}


def test_every_address_has_a_rule_and_every_rule_an_address(browser):
    found = {(method, route.path) for route in routes_of(browser.http.app) for method in route.methods}
    assert found == set(RULES)


def ask(who: Browser, method: str, path: str, token: str) -> object:
    address = path.replace("{digest}", "abcdef1234").replace("{number}", "1")
    for name in ("{token}", "{key}", "{key:path}", "{run_id}"):
        address = address.replace(name, "x")
    if method == "GET":
        return who.http.get(address)
    return who.http.post(address, data=FIELDS | {"token": token}, headers={"Origin": ORIGIN})


@pytest.fixture
def people(at_desk) -> dict[Role, tuple[Browser, str]]:
    """Somebody for each role, and for no other, with the token of their forms."""
    found = {role: at_desk(f"only {role}", role) for role in Role}
    return {role: (who, who.token("/doubts")) for role, who in found.items()}


def test_nobody_goes_where_they_have_to_sign_in(browser):
    for (method, path), rule in RULES.items():
        if rule not in {ANYBODY, THE_SERVICE}:
            code = 401 if method == "POST" or path.endswith("/live") else 303
            assert ask(browser, method, path, "").status_code == code, path


@pytest.mark.long
def test_each_role_does_what_it_may_and_nothing_else(people):
    for (method, path), rule in RULES.items():
        if rule in {ANYBODY, THE_SERVICE} or path in {"/sign-out", "/settle"}:
            continue
        for role, (who, token) in people.items():
            answer = ask(who, method, path, token)
            refused = answer.status_code == 403 and "papel" in words_of(answer.text)
            assert refused == (isinstance(rule, Role) and rule is not role), (path, role)
            assert answer.status_code not in {401, 500}, (path, role)


def test_nothing_is_done_by_a_look_or_by_a_way_nobody_wrote(people):
    who, token = people[Role.APPROVER]
    for method, path in RULES:
        address = path.replace("{digest}", "abcdef1234").replace("{token}", "x").replace("{run_id}", "x")
        for other in ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"):
            acts = other in {"PUT", "DELETE", "PATCH"}
            assert not acts or who.http.request(other, address.replace("{key}", "x")).status_code == 403
            ours = {"headers": {"Origin": ORIGIN}, "data": {"token": token}} if acts else {}
            answer = who.http.request(other, address.replace("{key}", "x"), **ours)
            assert answer.status_code == 405, (other, path)
            assert answer.headers["allow"] in {"GET", "POST"}
            assert answer.headers["x-frame-options"] == "DENY"
        if method == "POST" and ("GET", path) not in RULES:
            assert who.http.get(address).status_code == 405, path


ACTS = [path for (method, path), rule in RULES.items() if method == "POST" and rule is not THE_SERVICE]


@pytest.mark.parametrize("kind", ["a form", "an upload", "nothing"])
@pytest.mark.parametrize("missing", ["origin", "token", "both", "another's token"])
def test_no_act_is_done_without_the_desks_origin_and_the_sessions_token(at_desk, desk, kind, missing):
    """Whoever walks all addresses with somebody's cookies, and every role, from a page that is not the desk's."""
    ana, bia = at_desk("ana", *Role), at_desk("bia", *Role)
    before = changes_of(desk)
    own = {"token": "" if missing in {"token", "both"} else ana.token("/doubts")}
    own |= {"token": bia.token("/doubts")} if missing == "another's token" else {}
    headers = {} if missing in {"origin", "both"} else {"Origin": ORIGIN}
    for path in ACTS:
        address = path.replace("{digest}", "abcdef1234").replace("{table}", "payees").replace("{place}", "0")
        for name in ("{token}", "{run_id}"):
            address = address.replace(name, "x")
        sent = {"a form": {"data": FIELDS | own}, "nothing": {}}.get(kind)
        sent = sent if sent is not None else {"files": [*((name, (None, text)) for name, text in own.items())]}
        answer = ana.http.post(address, headers=headers, **sent)
        if kind != "nothing" or missing != "origin":
            assert answer.status_code == 403, (path, kind, missing)
        assert answer.status_code >= 400
    assert changes_of(desk) == before


def changes_of(desk):
    key_types = [desk.ledger.pix_key_types.known(job.name) for job in desk.jobs.list()]
    return desk.unresolved.stop(), desk.ledger.runs.list(None), key_types, desk.ledger.desk_users.list()


def test_an_act_that_somebody_adds_and_forgets_to_guard_is_guarded_all_the_same(at_desk):
    ana = at_desk("ana")
    done = []
    ana.http.app.post("/forgotten")(lambda: done.append("done"))
    token = ana.token("/doubts")
    for headers, data in (({}, {"token": token}), ({"Origin": ORIGIN}, {}), ({"Origin": "http://x"}, {"token": token})):
        assert ana.http.post("/forgotten", headers=headers, data=data).status_code == 403
    assert done == []
    assert ana.http.post("/forgotten", headers={"Origin": ORIGIN}, data={"token": token}).status_code == 200
    assert done == ["done"]
