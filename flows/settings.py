"""Settings from the environment, read once per command, and environments in which nothing may run."""

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

from schemas.egress import DIRECT, Egress
from schemas.errors import ConfigurationError
from schemas.messages import Message

EMBEDDED: Final = "sandbox"
SMTP_SCHEMES: Final = frozenset({"smtp", "smtp+starttls", "smtps"})
UPLOADS: Final = "uploads"
POLICY: Final = "policy.yaml"
APPROVAL_KEY: Final = "approval.key"
SHORTEST_KEY: Final = 32


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The payout service.

    Attributes:
        url: Base URL with its prefix, or the word "sandbox" for the embedded one; also the service's identity.
        api_key: Value of the Authorization header, as it is.
    """

    url: str
    api_key: str = field(repr=False)

    @property
    def embedded(self) -> bool:
        """Whether play money is meant."""
        return self.url == EMBEDDED

    @property
    def key_fingerprint(self) -> str:
        """What the ledger remembers of the key."""
        return sha256(f"repasse api key {self.api_key}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """Who is told when somebody is wanted, and how; what is "" or empty is not used.

    Attributes:
        email_to: Addresses that get an e-mail.
        smtp_url: The mail server: smtp+starttls://name:password@host:587 (nothing without STARTTLS), smtps://host:465,
            or smtp://host:587 (STARTTLS where offered, and always before a password).
        webhook_url: Address that is sent a JSON document.
        night_hours: After so many hours a night that has not ended is told of.
        egress: How it leaves the house.
    """

    email_to: tuple[str, ...] = ()
    email_from: str = ""
    smtp_url: str = field(default="", repr=False)
    webhook_url: str = field(default="", repr=False)
    night_hours: float = 6.0
    egress: Egress = DIRECT

    @property
    def sends_mail(self) -> bool:
        """Whether there is a mail server, and an address to write from."""
        return bool(self.email_from and self.smtp_url)

    @property
    def any(self) -> bool:
        """Whether anybody is told."""
        return bool(self.email_to or self.webhook_url)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a run takes from its environment.

    Attributes:
        home: Folder of the ledger, uploads and the embedded sandbox.
        ledger_url: SQLAlchemy URL.
        service: The payout service; None where the environment names none.
        timeout_s: Total deadline of one POST.
        log_format: text for people, json for collectors.
        policy: File that says whose yes every plan needs at least, whatever its job says; that of the home folder where
            none is named, and None where there is none.
        approval_key: Seals approvals, users and sessions; "" where the home folder keeps it.
        desk_url: Where people reach the desk, without a slash at its end; "" where nobody has said.
        alerts: Who is told when somebody is wanted.
        egress: How requests leave the house.
        launch: Who starts the runs that the desk asks for, where Prefect is there: a worker, or the desk itself.
    """

    home: Path
    ledger_url: str
    service: ServiceSettings | None
    timeout_s: float
    log_format: Literal["text", "json"]
    assumptions: Mapping[str, str]
    policy: Path | None = None
    approval_key: str = field(default="", repr=False)
    desk_url: str = ""
    alerts: AlertSettings = AlertSettings()
    egress: Egress = DIRECT
    launch: Literal["here", "worker"] = "worker"

    def require_policy_outside(self, folder: Path) -> None:
        """Refuse a policy that whoever writes jobs could write too.

        The home folder is the program's own, closed to others, wherever it lies.

        Raises:
            ConfigurationError: the file is in a folder of jobs.
        """
        if self.policy == self.home / POLICY and self.home != folder.absolute():
            return
        if self.policy is not None and self.policy.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(Message("error.policy_place", folder=str(folder)))

    def key_of_approvals(self) -> bytes:
        """Return the key that seals what people say: that of the environment, or of the home folder, made when missing.

        Raises:
            ConfigurationError: the home folder's key cannot be read or made.
        """
        if self.approval_key:
            return self.approval_key.encode()
        path = self.home / APPROVAL_KEY
        try:
            if not path.exists():
                _make_key(path)
            return path.read_bytes()
        except OSError as error:
            facts = {"path": str(path), "kind": error.strerror}
            raise ConfigurationError(Message("error.file_unreadable", **facts)) from None

    def require_service(self) -> ServiceSettings:
        """Return the service, or refuse to guess one.

        Raises:
            ConfigurationError: REPASSE_API_URL is absent, so that a lost variable never reports play money as paid.
        """
        if self.service is None:
            raise ConfigurationError(Message("error.no_api_url"))
        return self.service


def _make_key(path: Path) -> None:
    """Make a key that is whole as soon as it is there; of several that are made at once, the first one stays."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    made = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    made.touch(mode=0o600, exist_ok=False)
    try:
        made.write_text(secrets.token_hex(SHORTEST_KEY), encoding="ascii")
        with suppress(FileExistsError):
            os.link(made, path)
    finally:
        made.unlink()


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings.

    Raises:
        ConfigurationError: a variable is missing or has no sense; the message names it and says what would be right.
    """
    service = _service(environment)
    home_given, ledger_given = environment.get("REPASSE_HOME"), environment.get("REPASSE_LEDGER_URL")
    if service and not service.embedded and not home_given and not ledger_given:
        raise ConfigurationError(Message("error.ledger_place"))
    home = home_folder(environment)
    settings = Settings(
        home=home,
        ledger_url=ledger_given or f"sqlite:///{home / 'ledger.db'}",
        service=service,
        timeout_s=_timeout_s(environment.get("REPASSE_TIMEOUT_S", "60")),
        log_format=_log_format(environment.get("REPASSE_LOG_FORMAT", "text")),
        assumptions={name: value for name, value in environment.items() if name.startswith("REPASSE_ASSUME_")},
        policy=policy_file(environment),
        approval_key=_approval_key(environment.get("REPASSE_APPROVAL_KEY", "")),
        desk_url=_desk_url(environment.get("REPASSE_DESK_URL", "")),
        alerts=_alerts(environment),
        egress=_egress(environment),
        launch=_launch(environment.get("REPASSE_LAUNCH", "worker")),
    )
    if jobs := jobs_folder(environment):
        settings.require_policy_outside(jobs)
    return settings


def home_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the home folder, absolute."""
    return Path(environment.get("REPASSE_HOME") or ".repasse").absolute()


def policy_file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file of the house's policy: what REPASSE_POLICY names, or policy.yaml of the home folder, or None."""
    named = environment.get("REPASSE_POLICY", "").strip()
    policy = Path(named).absolute() if named else home_folder(environment) / POLICY
    return policy if named or policy.is_file() else None


def jobs_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of jobs that REPASSE_JOBS names; None where it names none."""
    text = environment.get("REPASSE_JOBS", "")
    return Path(text).absolute() if text else None


def _service(environment: Mapping[str, str]) -> ServiceSettings | None:
    url = environment.get("REPASSE_API_URL", "").strip().rstrip("/")
    if not url:
        return None
    if url == EMBEDDED:
        return ServiceSettings(EMBEDDED, "sandbox-key")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ConfigurationError(Message("error.url_base"))
    if parts.scheme == "http" and not _is_local(parts):
        raise ConfigurationError(Message("error.url_https"))
    key = environment.get("REPASSE_API_KEY", "").strip()
    if not key:
        raise ConfigurationError(Message("error.no_api_key"))
    if not key.isascii() or not key.isprintable():
        raise ConfigurationError(Message("error.api_key_characters"))
    return ServiceSettings(url, key)


def _approval_key(text: str) -> str:
    if text and len(text) < SHORTEST_KEY:
        raise ConfigurationError(Message("error.approval_key", shortest=SHORTEST_KEY))
    return text


def _egress(environment: Mapping[str, str]) -> Egress:
    files = [environment.get(name, "").strip() for name in ("REPASSE_CA_FILE", "REPASSE_CLIENT_CERT")]
    for path in files:
        if path and not Path(path).is_file():
            raise ConfigurationError(Message("error.certificate", path=path, kind="missing"))
    proxy = environment.get("REPASSE_PROXY", "").strip()
    parts = urlsplit(proxy)
    if proxy and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/")):
        raise ConfigurationError(Message("error.proxy"))
    return Egress(ca_file=files[0], proxy=proxy, client_cert=files[1])


def _launch(text: str) -> Literal["here", "worker"]:
    if text == "here":
        return "here"
    if text == "worker":
        return "worker"
    raise ConfigurationError(Message("error.launch"))


def _is_local(parts: SplitResult) -> bool:
    return parts.hostname in {"127.0.0.1", "localhost", "::1"}


def _desk_url(text: str) -> str:
    url = text.strip().rstrip("/")
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ConfigurationError(Message("error.desk_url"))
    return url


def _alerts(environment: Mapping[str, str]) -> AlertSettings:
    addresses = tuple(filter(None, map(str.strip, environment.get("REPASSE_ALERT_EMAIL", "").split(","))))
    sender = environment.get("REPASSE_ALERT_FROM", "").strip()
    smtp, webhook = (environment.get(name, "").strip() for name in ("REPASSE_SMTP_URL", "REPASSE_ALERT_WEBHOOK"))
    mail = urlsplit(smtp)
    if addresses and not (sender and mail.scheme in SMTP_SCHEMES and mail.hostname):
        raise ConfigurationError(Message("error.alert_mail"))
    if any("@" not in address or not address.isprintable() for address in (*addresses, sender) if address):
        raise ConfigurationError(Message("error.alert_mail"))
    hook = urlsplit(webhook)
    if webhook and (not hook.hostname or not (hook.scheme == "https" or (hook.scheme == "http" and _is_local(hook)))):
        raise ConfigurationError(Message("error.alert_webhook"))
    try:
        hours = float(environment.get("REPASSE_NIGHT_HOURS", "6"))
    except ValueError:
        hours = 0.0
    if not 0 < hours <= 24:
        raise ConfigurationError(Message("error.night_hours"))
    return AlertSettings(addresses, sender, smtp, webhook, hours, _egress(environment))


def _timeout_s(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise ConfigurationError(Message("error.timeout_s"))
    return seconds


def _log_format(text: str) -> Literal["text", "json"]:
    if text == "json":
        return "json"
    if text == "text":
        return "text"
    raise ConfigurationError(Message("error.log_format"))


def cluster_address(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the address of the Dask scheduler whose workers read statements under Prefect; None where there is none.

    Raises:
        ConfigurationError: the address is none.
    """
    address = environment.get("REPASSE_DASK", "").strip()
    parts = urlsplit(address)
    if address and (parts.scheme not in {"tcp", "tls"} or not parts.hostname or parts.username or parts.path):
        raise ConfigurationError(Message("error.dask_address"))
    return address or None


_REFUSED: Final = (
    ("PANDERA_VALIDATION_ENABLED", {"false", "0"}, "tables would pass unchecked"),
    ("PANDERA_VALIDATION_DEPTH", {"schema_only"}, "values would pass unchecked"),
    (
        "PREFECT_RESULTS_PERSIST_BY_DEFAULT",
        {"true", "1"},
        "a second equal task would be skipped, and people's data kept",
    ),
)
_RETRIES: Final = ("PREFECT_TASKS_DEFAULT_RETRIES", "PREFECT_FLOWS_DEFAULT_RETRIES")


def check_environment(environment: Mapping[str, str] = os.environ) -> None:
    """Stop when a variable, or a foreign package of the same name, would change what a run means.

    Raises:
        ConfigurationError: names the variable or package, what it would do, and the remedy.
    """
    for name, refused, consequence in _REFUSED:
        if environment.get(name, "").strip().lower() in refused:
            raise ConfigurationError(
                Message("error.environment", name=name, value=environment[name], consequence=consequence)
            )
    for name in _RETRIES:
        if environment.get(name, "0").strip() not in {"", "0"}:
            raise ConfigurationError(Message("error.retries", name=name, value=environment[name]))
    _check_packages()


def _check_packages() -> None:
    """`flows`, `schemas` and `io_adapters` are common names; make sure that all three are ours."""
    import flows  # noqa: PLC0415
    import io_adapters  # noqa: PLC0415
    import schemas  # noqa: PLC0415

    homes = {Path(str(package.__file__)).parents[1] for package in (flows, io_adapters, schemas)}
    if len(homes) != 1:
        places = ", ".join(sorted(map(str, homes)))
        raise ConfigurationError(Message("error.package_names", places=places))
