"""Nothing but `SplitApi.create_report` can POST /split: proven on the source and on the wire."""

import ast
from functools import cache
from pathlib import Path

import httpx
import pytest

from schemas.wire import AccountValidation, QrCodeRequest
from tests.contacts import create_contact

ROOT = Path(__file__).parents[3]
SERVES_IT = ROOT / "io_adapters" / "sandbox"
CLIENT = ROOT / "io_adapters" / "payout_api" / "client.py"
ALERTS = ROOT / "io_adapters/alerts.py"
QUERIES = CLIENT.parent / "queries.py"
HTTP_CLIENTS = {"httpx", "httpcore", "requests", "urllib3", "aiohttp", "http.client", "urllib.request", "pycurl"}


@cache
def trees():
    """Parse every module of the product but the sandbox, which serves what the client asks for."""
    files = [p for top in ("flows", "io_adapters", "schemas") for p in (ROOT / top).rglob("*.py")]
    assert CLIENT in files
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in files if SERVES_IT not in path.parents}


def calls_with(tree, *constants):
    """Yield each call that has all these constants among its arguments, with the function it stands in."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for call in ast.walk(function):
                if isinstance(call, ast.Call):
                    given = {arg.value for arg in call.args if isinstance(arg, ast.Constant)}
                    if given >= set(constants):
                        yield function.name


def test_only_the_client_and_alerts_speak_http():
    """Alerts call people, at an address of theirs."""
    speakers = [path for path, tree in trees().items() if imported_by(tree) and path.parent != CLIENT.parent]
    assert speakers == [ALERTS]


def imported_by(tree):
    """Name the HTTP clients that a module imports, whole or in part."""
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in imported if any(name == known or name.startswith(known + ".") for known in HTTP_CLIENTS)}


def test_only_the_client_names_the_path():
    named = {
        path
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value == "/split"
    }
    assert named == {CLIENT, QUERIES}


def test_within_the_client_only_create_report_posts_to_it():
    sends, asks = ast.parse(CLIENT.read_text()), ast.parse(QUERIES.read_text())
    assert list(calls_with(sends, "POST", "/split")) == list(calls_with(sends, "/split")) == ["create_report"]
    (call,) = [
        call
        for call in ast.walk(asks)
        if isinstance(call, ast.Call) and any(isinstance(a, ast.Constant) and a.value == "/split" for a in call.args)
    ]
    assert isinstance(call.func, ast.Attribute)
    assert call.func.attr == "ask"
    assert [verb for call in ast.walk(ast.parse(QUERIES.read_text())) for verb in _verbs(call)] == ["GET"]
    for path in sorted(CLIENT.parent.glob("*.py")):
        assert not {"post", "put", "patch", "delete"} & set(_called_on_a_client(ast.parse(path.read_text()))), path


def _called_on_a_client(tree):
    """Yield what is taken from anything whose name speaks of an HTTP client."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and "client" in ast.unparse(node.value).lower():
            yield node.attr


def _verbs(node):
    """Yield what a call of `build_request` is given for a method."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "build_request":
        yield node.args[0].value


@pytest.mark.parametrize(
    ("method", "module"), [("create_report", "send.py"), ("update_exchange_rate", "exchange_rates.py")]
)
def test_what_moves_money_is_called_in_one_place(method, module):
    callers = [
        path.relative_to(ROOT).as_posix()
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == method
    ]
    assert callers == [f"flows/sending/{module}"]


def test_no_other_method_posts_to_it_on_the_wire(open_api):
    asked = []

    def answer(request):
        asked.append((request.method, request.url.path))
        one = {"_id": "a", "valid": True, "data": []}
        return httpx.Response(200, json=[] if request.url.path == "/split" else one)

    api = open_api("https://pay.example", transport=httpx.MockTransport(answer))
    api.list_all_reports()
    api.get_report("a")
    api.find_report("a")
    api.validate_account(AccountValidation(pixKey="a@example.com", pixKeyType="email", taxId="1"))
    api.update_exchange_rate("a", b"{}", was_in_doubt=False, deadline_s=5, before_connect=lambda: None)
    create_contact(api.contacts, "Ana", "52998224725", "ana@example.com")
    api.contacts.update_email("ana@example.com", contact_id="c")
    api.contacts.delete("c")
    api.contacts.delete_account("k")
    api.contacts.mark_favorite("k")
    api.pix.institutions()
    with pytest.warns(DeprecationWarning, match="create_dynamic_pix_payment"):
        code = api.pix.create_qr_code(QrCodeRequest(pix_key="ana@example.com"))
    api.pix.check_qr_code(QrCodeRequest(pix_key="ana@example.com"), code)
    api.webhooks.register("https://hooks.example/x")
    api.await_turn()
    assert ("POST", "/split") not in asked
    # What is not named here has not been tried above; many checks at a time have one path, in one constant.
    assert public(api) == {
        "account_calls",
        "await_turn",
        "close",
        "contacts",
        "create_report",
        "find_report",
        "get_report",
        "list_all_reports",
        "list_reports",
        "pix",
        "update_exchange_rate",
        "validate_account",
        "webhooks",
    }
    assert public(api.contacts) == {"create", "delete", "delete_account", "mark_favorite", "update_email"}
    assert public(api.pix) == {"check_qr_code", "create_qr_code", "institutions"}
    assert public(api.webhooks) == {"register"}


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}
