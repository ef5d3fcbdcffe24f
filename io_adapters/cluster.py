"""Running functions on a Dask cluster, and merging their results in a tree.

Workers run the same program on other machines. What they are given and what they return is sealed: schedulers and
workers log, display and spill what they hold, and it may be people's. No task ever fails there, since a failed task's
arguments and exception would be logged: what went wrong is returned, and raised here.
"""

import pickle
import platform
import threading
import traceback
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, reduce
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from schemas.errors import ConfigurationError, RepasseError
from schemas.messages import Listed, Message

if TYPE_CHECKING:
    from distributed import Client, Future

_CONNECT_S: Final = 20
_LOOK_EVERY_S: Final = 2.0
# So long a cluster may be without any worker, which may be about to be started again.
PATIENCE_S: Final = 60.0
_JOINED_AT_ONCE: Final = 8
# Large enough to be worth a task, small enough that a worker that dies costs little.
RANGE_BYTES: Final = 32 * 2**20

# What may change a byte of what comes out, or the way tasks are handed over.
_PACKAGES: Final = (
    *("repasse", "duckdb", "pandas", "pandera", "pyarrow", "numpy", "pydantic", "python-calamine"),
    *("dask", "distributed", "cloudpickle", "msgpack"),
)

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


@cache
def versions() -> Mapping[str, str]:
    """Return what this process runs: package -> version; of our own also what its sources hash to."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "-"
    root = Path(__file__).parents[1]
    digest = sha256()
    for package in ("flows", "io_adapters", "schemas"):
        for source in sorted((root / package).rglob("*.py")):
            digest.update(source.read_bytes())
    found["repasse"] += f"+{digest.hexdigest()[:8]}"
    return found


class _Sealed:
    """Something given to a worker or returned by one, which shows nothing of what it holds."""

    __slots__ = ("content",)

    def __init__(self, content: object) -> None:
        self.content = pickle.dumps(content)

    def __repr__(self) -> str:
        return "<sealed>"

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + len(self.content)

    def open(self) -> Any:  # noqa: ANN401
        """Return it, another copy each time: what is joined may be joined again after a worker is lost."""
        return pickle.loads(self.content)  # noqa: S301 - whoever is in the cluster runs our program anyway


class _OtherVersions(Exception):
    """A worker runs another program than the one that asks."""


def _work(sealed: _Sealed) -> _Sealed:
    """Do a task; runs on a worker."""

    def do() -> object:
        task_versions, work, item = sealed.open()
        if task_versions != versions():
            raise _OtherVersions(dict(versions()))
        return work(item)

    return _outcome(do)


def _join(join: Callable[[Any, Any], Any], *parts: _Sealed) -> _Sealed:
    """Join what tasks have returned, in order; runs on a worker."""
    opened = [part.open() for part in parts]
    failed = next((part for part, (_, error) in zip(parts, opened, strict=True) if error is not None), None)
    return failed or _outcome(lambda: reduce(join, (made for made, _ in opened)))


def _outcome(do: Callable[[], object]) -> _Sealed:
    """Do something; return what it makes, or why it made nothing."""
    try:
        return _Sealed((do(), None))
    except (RepasseError, _OtherVersions) as error:
        return _Sealed((None, error))
    except Exception as error:  # noqa: BLE001 - raised again where the run is
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{'/'.join(Path(frame.filename).parts[-3:])}:{frame.lineno}"
        return _Sealed((None, RepasseError(Message("cli.bug", kind=type(error).__name__, place=place))))


class Cluster:
    """A cluster that is connected; any thread may give it work.

    Attributes:
        range_bytes: How large the ranges are that large texts are cut into.
    """

    range_bytes = RANGE_BYTES

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._address = address
        self._one_fetches = threading.Lock()

    def merged(
        self, work: Callable[[_Item], _Made], items: Sequence[_Item], join: Callable[[_Made, _Made], _Made]
    ) -> _Made:
        """Let workers do something with each of some items, and join what they make, in the items' order.

        Args:
            work: A function of a module, which depends on its item alone.
            items: Plain data; at least one.
            join: Puts two neighbours together, in whatever order of pairs.

        Raises:
            RepasseError: whatever `work` raises of the first item it fails for.
            ConfigurationError: the cluster is gone, has no workers, runs other versions, or loses one worker after the
                other over the same item.
        """
        known = dict(versions())
        futures = [self._submit(_work, _Sealed((known, work, item))) for item in items]
        while len(futures) > 1:
            starts = range(0, len(futures), _JOINED_AT_ONCE)
            futures = [self._submit(_join, join, *futures[start : start + _JOINED_AT_ONCE]) for start in starts]
        made, error = self._result(futures[0]).open()
        if isinstance(error, _OtherVersions):
            raise _versions_differ(known, error.args[0])
        if error is not None:
            raise error
        result: _Made = made
        return result

    def _submit(self, function: Callable[..., _Sealed], *args: object) -> "Future[_Sealed]":
        return self._client.submit(function, *args, key=f"repasse-{uuid.uuid4().hex}", pure=False)

    def _result(self, future: "Future[_Sealed]") -> _Sealed:
        """Wait for a task, and fetch what it returned.

        Threads that fetch at once share one answer of the scheduler, and one whose time is up cancels it for all: the
        others see an UnboundLocalError (as in dask/distributed#8514). So looks fetch nothing, and one thread fetches
        at a time.
        """
        from distributed import CancelledError, KilledWorker  # noqa: PLC0415

        alone_s = 0.0
        try:
            while alone_s < PATIENCE_S:
                with suppress(TimeoutError):
                    future.exception(timeout=_LOOK_EVERY_S)  # type: ignore[no-untyped-call]
                    with self._one_fetches:
                        outcome: _Sealed = future.result(timeout=PATIENCE_S)
                    return outcome
                alone_s = 0.0 if self._client.scheduler_info()["workers"] else alone_s + _LOOK_EVERY_S
        except KilledWorker:
            raise ConfigurationError(Message("error.dask_killed")) from None
        except (ImportError, RuntimeError):  # a worker's, or the scheduler's, as Dask tells it
            raise ConfigurationError(Message("error.dask_without_repasse")) from None
        except (CancelledError, OSError):
            raise ConfigurationError(Message("error.dask_lost", address=self._address)) from None
        raise ConfigurationError(Message("error.dask_no_workers", address=self._address, seconds=int(PATIENCE_S)))


@contextmanager
def opened_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address (tcp:// or tls://).

    Raises:
        ConfigurationError: the extra is not installed, nobody answers, or scheduler and workers run other versions.
    """
    try:
        from distributed import Client  # noqa: PLC0415 - takes half a second, for runs that use it alone
    except ImportError:
        raise ConfigurationError(Message("error.dask_not_installed")) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions, which are held against each other below
        try:
            connect: Any = Client
            client = connect(address, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            message = Message("error.dask_unreachable", address=address, reason=type(error).__name__)
            raise ConfigurationError(message) from None
    with client:
        there = client.sync(client.scheduler.versions)["packages"]  # workers are held against us with every task
        packages = {name: str(there.get(name)) for name in ("dask", "distributed", "cloudpickle", "msgpack")}
        own = {name: versions()[name] for name in packages}
        if packages != own:
            raise _versions_differ(own, packages)
        yield Cluster(client, address)


def _versions_differ(here: Mapping[str, str], there: Mapping[str, str]) -> ConfigurationError:
    differing = sorted(name for name in here if here[name] != there.get(name))
    parts = tuple(
        Message("error.dask_version", name=name, here=here[name], there=there.get(name, "-")) for name in differing
    )
    return ConfigurationError(Message("error.dask_versions", packages=Listed(parts)))
