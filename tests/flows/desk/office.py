"""A desk with everything behind it: a real ledger, the embedded sandbox, the real stages, and people at browsers."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep

from argon2 import PasswordHasher
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from flows.desk.app import Desk, create_app
from flows.desk.guard import DeskSettings
from flows.run import SYSTEM_CLOCK, Clock
from flows.run_options import RunOptions
from flows.runner import run_payout, run_settle
from schemas.approval import Role

PASSWORD = "correct horse battery"  # noqa: S105
ORIGIN = "http://127.0.0.1"
ALL_ROLES = tuple(Role)


class RunsHere:
    """Starts runs by running them, here and now; a key that was used before starts nothing."""

    is_queued = False

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.periods: list[str] = []

    def payout(self, job_path: Path, options: RunOptions, *, key: str) -> None:
        if key not in self.keys:
            self.keys.append(key)
            self.periods.append(options.period)
            run_payout(job_path, options)

    def settle(self, *, key: str) -> None:
        self.keys.append(key)
        run_settle(None)

    def close(self) -> None:
        pass


class MovingClock:
    """The system's time, and as much later as it is told."""

    def __init__(self) -> None:
        self.later = dt.timedelta(0)

    def move(self, **by: float) -> None:
        self.later += dt.timedelta(**by)

    def as_clock(self) -> Clock:
        return Clock(lambda: SYSTEM_CLOCK.now() + self.later, SYSTEM_CLOCK.monotonic_s, SYSTEM_CLOCK.sleep)


COMMANDS = "run|plan|approve|reject|decide|returned|resolve|settle|unfreeze|release|hold|desk|doctor"
COMMAND = re.compile(rf"\brepasse ({COMMANDS})\b")


# Forms that only look, or say how something is to be looked at: no act of theirs is recorded.
LOOKS = re.compile(
    r"/language|/settle|/doubts/look|/previews/[^/]+/(answer|key-types)|/new-job.*|.*/columns/[^/]+/sample"
)


class Browser:
    """Somebody at a browser that runs no script."""

    def __init__(self, desk: Desk, settings: DeskSettings) -> None:
        self.http = TestClient(create_app(desk, settings), base_url=ORIGIN, follow_redirects=False)
        self.seen: list[str] = []

    def get(self, path: str, code: int = 200) -> str:
        self.seen.append(path)
        answer = self.http.get(path)
        assert answer.status_code == code, (path, answer.status_code, words_of(answer.text))
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert not COMMAND.search(answer.text), f"people at the desk have no terminal: {words_of(answer.text)}"
        return answer.text

    def token(self, path: str) -> str:
        found = re.search(r'name="token" value="([0-9a-f]+)"', self.get(path))
        assert found, f"{path} has no form"
        return found[1]

    def post(
        self,
        path: str,
        *,
        code: int = 303,
        at: str = "/",
        token: str | None = None,
        does: bool | None = True,
        **fields: str,
    ) -> str:
        """Send a form of a page; returns where it leads, or what is said. Whatever it does is on record.

        Args:
            does: Whether it does something; None where nobody is there to do it.
        """
        data = fields | {"token": self.token(at) if token is None else token}
        acts = self.http.app.state.desk.ledger.acts
        before = len(acts.since())
        answer = self.http.post(path, data=data, headers={"Origin": ORIGIN})
        assert answer.status_code == code, (path, answer.status_code, words_of(answer.text))
        if code == 303 and does is not None and not LOOKS.fullmatch(path):
            assert (len(acts.since()) > before) == does, f"{path}: what it does, and its acts, are not the same"
        self.seen.append(answer.headers.get("location", ""))
        return answer.headers["location"] if code == 303 else words_of(answer.text)

    def sign_in(self, name: str, password: str = PASSWORD, code: int = 303) -> str:
        return self.post("/sign-in", at="/sign-in", code=code, name=name, password=password)

    def bring(self, job: str, files: Sequence[Path], *, source: str = "payments", code: int = 303) -> str:
        """Upload files for a job; returns where that leads."""
        token = self.token(job)
        parts = [("token", (None, token)), *((f"file:{source}", (path.name, path.read_bytes())) for path in files)]
        answer = self.http.post(f"{job}/preview", files=parts, headers={"Origin": ORIGIN})
        assert answer.status_code == code, words_of(answer.text)
        return answer.headers["location"] if code == 303 else words_of(answer.text)

    def wait_for(self, path: str, words: str) -> str:
        """Load a page again until it says something."""
        deadline = monotonic() + 120
        while words not in (text := words_of(self.get(path))):
            assert monotonic() < deadline, text
            sleep(0.05)
        return text

    def follow(self, path: str) -> str:
        """Go where a launch leads: to its run."""
        answer = self.http.get(path)
        assert answer.status_code == 303, words_of(answer.text)
        self.seen.append(answer.headers["location"])
        return answer.headers["location"]


def prepare(who: Browser, job: str, files: Sequence[Path] = ()) -> str:
    """Look at a job and launch it; returns the run's page."""
    return start(who, who.bring(job, files))


def start(who: Browser, look: str) -> str:
    """Launch what a preview shows; returns the run's page."""
    who.wait_for(look, "O que foi reconhecido")
    nonce = re.search(r'name="launch" value="([^"]+)"', who.get(look))[1]
    return who.follow(who.post(f"{look}/launch", at=look, launch=nonce))


def plan_of(who: Browser, run: str) -> str:
    """The page of the plan that a run's page leads to."""
    return re.search(r'href="(/plans/sha256:[0-9a-f]{64})"', who.get(run))[1]


def bring_and_take(who: Browser, job: str, table: str, name: str, content: bytes) -> int:
    """Bring a file for a table, and take it whatever was said of it; returns the last answer's status."""
    parts = [("token", (None, who.token(f"{job}/files"))), (f"file:{table}", (name, content))]
    page = who.http.post(f"{job}/tables/{table}", files=parts, headers={"Origin": ORIGIN})
    fields = {"sha256": sha256(content).hexdigest(), "name": name, "before": "", "adds": "no"}
    if page.status_code == 200:
        fields |= dict(re.findall(r'name="(sha256|name|before|adds)" value="([^"]*)"', page.text))
    fields["token"] = who.token(f"{job}/files")
    return who.http.post(f"{job}/tables/{table}/take", data=fields, headers={"Origin": ORIGIN}).status_code


def routes_of(router: object) -> Iterator[APIRoute]:
    """Every address of a desk that is a route of its own."""
    for route in router.routes:
        if isinstance(route, APIRoute):
            yield route
        elif hasattr(route, "original_router"):
            yield from routes_of(route.original_router)
        else:
            assert getattr(route, "path", None) == "/static", route


def words_of(html: str) -> str:
    """What a person reads of a page."""
    text = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text.replace("&#34;", '"').replace("&#39;", "'")).strip()


def hashed() -> str:
    """A hash of everybody's password that is quick to judge: each hash carries what it costs."""
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
