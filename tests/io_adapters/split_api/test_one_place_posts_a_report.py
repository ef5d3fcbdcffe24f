"""Nothing but `SplitApi.create_report` can POST /split: proven on the source and on the wire."""

import ast
from pathlib import Path

import httpx
import pytest

from schemas.wire import AccountValidation

ROOT = Path(__file__).parents[3]
SERVES_IT = ROOT / "io_adapters" / "sandbox"
CLIENT = ROOT / "io_adapters" / "split_api" / "client.py"
HTTP_CLIENTS = {"httpx", "httpcore", "requests", "urllib3", "aiohttp", "http.client", "urllib.request", "pycurl"}


def production_files():
    files = [p for top in ("flows", "io_adapters", "schemas") for p in (ROOT / top).rglob("*.py")]
    assert CLIENT in files
    return [path for path in files if SERVES_IT not in path.parents]


def calls_with(tree, *constants):
    """Yield each call that has all these constants among its arguments, with the function it stands in."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for call in ast.walk(function):
                if isinstance(call, ast.Call):
                    given = {arg.value for arg in call.args if isinstance(arg, ast.Constant)}
                    if given >= set(constants):
                        yield function.name


@pytest.mark.parametrize("path", production_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_client_speaks_http(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    spoken = {name for name in imported if any(name == known or name.startswith(known + ".") for known in HTTP_CLIENTS)}
    assert not spoken or path.parent == CLIENT.parent


@pytest.mark.parametrize("path", production_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_client_names_the_path(path):
    named = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant) and n.value == "/split"]
    assert not named or path == CLIENT


def test_within_the_client_only_create_report_posts_to_it():
    tree = ast.parse(CLIENT.read_text())
    assert list(calls_with(tree, "POST", "/split")) == ["create_report"]
    assert list(calls_with(tree, "/split")) == ["list_reports", "create_report"]  # the one is a GET: see below
    assert sorted(calls_with(tree, "POST")) == ["_post_once", "create_report"]
    for path in sorted(CLIENT.parent.glob("*.py")):
        names = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
        assert not names & {"post", "put", "patch", "delete"}, path


@pytest.mark.parametrize(("method", "stage"), [("create_report", "send.py"), ("update_exchange_rate", "set_rate.py")])
def test_what_moves_money_is_called_in_one_place(method, stage):
    callers = [
        path.relative_to(ROOT).as_posix()
        for path in production_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == method
    ]
    assert callers == [f"flows/stages/{stage}"]


def test_no_other_method_posts_to_it_on_the_wire(open_api):
    asked = []

    def answer(request):
        asked.append((request.method, request.url.path))
        return httpx.Response(200, json=[] if request.url.path == "/split" else {"_id": "a", "valid": True})

    api = open_api("https://pay.example", transport=httpx.MockTransport(answer))
    api.list_all_reports()
    api.get_report("a")
    api.validate_account(AccountValidation(pixKey="a@example.com", pixKeyType="email", taxId="1"))
    api.update_exchange_rate("a", b"{}", was_in_doubt=False, deadline_s=5, before_connect=lambda: None)
    assert ("POST", "/split") not in asked
    methods = {name for name in dir(api) if not name.startswith("_")}
    # A method that is not named here has not been tried above.
    assert methods == {
        "close",
        "create_report",
        "find_report",
        "get_report",
        "list_all_reports",
        "list_reports",
        "update_exchange_rate",
        "validate_account",
    }
