"""Settings from the environment, read once per command, and environments in which nothing may run."""

import os
import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from schemas.egress import DIRECT, Egress
from schemas.errors import ConfigurationError
from schemas.messages import Message

EMBEDDED: Final = "sandbox"
SMTP_SCHEMES: Final = frozenset({"smtp", "smtp+starttls", "smtps"})
UPLOADS: Final = "uploads"
# In the home folder: the end of the chain of acts, as it was seen last.
ACTS_HEAD: Final = "acts.head"
POLICY: Final = "policy.yaml"
COLUMNS: Final = "columns.yaml"
APPROVAL_KEY: Final = "approval.key"
SHORTEST_KEY: Final = 32
SECRETS: Final = Path("/run/secrets")


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The payout service."""

    url: str
    api_key: str = field(repr=False)

    @property
    def embedded(self) -> bool:
        return self.url == EMBEDDED

    @property
    def key_fingerprint(self) -> str:
        return sha256(f"repasse api key {self.api_key}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """Who is told when somebody is wanted, and how; what is "" or empty is not used."""

    email_to: tuple[str, ...] = ()
    funding_to: tuple[str, ...] = ()
    email_from: str = ""
    smtp_url: str = field(default="", repr=False)
    webhook_url: str = field(default="", repr=False)
    night_hours: float = 6.0
    egress: Egress = DIRECT

    @property
    def sends_mail(self) -> bool:
        return bool(self.email_from and self.smtp_url)

    @property
    def any(self) -> bool:
        return bool(self.email_to or self.funding_to or self.webhook_url)


def _is_local(parts: SplitResult) -> bool:
    return parts.hostname in {"127.0.0.1", "localhost", "::1"}


def _plain_url(text: str, error: str, schemes: Collection[str] = ("http", "https")) -> SplitResult:
    parts = urlsplit(text)
    if parts.scheme not in schemes or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ConfigurationError(Message(error))
    return parts


def _service_url(text: str) -> str:
    url = text.strip().rstrip("/")
    if url and url != EMBEDDED and _plain_url(url, "error.url_base").scheme == "http" and not _is_local(urlsplit(url)):
        raise ConfigurationError(Message("error.url_https"))
    return url


def _desk_url(text: str) -> str:
    url = text.strip().rstrip("/")
    if url:
        _plain_url(url, "error.desk_url")
    return url


def _api_key(text: str) -> str:
    key = text.strip()
    if not key.isascii() or not key.isprintable():
        raise ConfigurationError(Message("error.api_key_characters"))
    return key


def _approval_key(text: str) -> str:
    if text and len(text) < SHORTEST_KEY:
        raise ConfigurationError(Message("error.approval_key", shortest=SHORTEST_KEY))
    return text


def _certificate(text: str) -> str:
    path = text.strip()
    if path and not Path(path).is_file():
        raise ConfigurationError(Message("error.certificate", path=path, kind="missing"))
    return path


def _proxy(text: str) -> str:
    proxy, parts = text.strip(), urlsplit(text.strip())
    if proxy and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/")):
        raise ConfigurationError(Message("error.proxy"))
    return proxy


def _alert_webhook(text: str) -> str:
    url, hook = text.strip(), urlsplit(text.strip())
    if url and (not hook.hostname or not (hook.scheme == "https" or (hook.scheme == "http" and _is_local(hook)))):
        raise ConfigurationError(Message("error.alert_webhook"))
    return url


def _dask(text: str) -> str:
    address, parts = text.strip(), urlsplit(text.strip())
    if address and (parts.scheme not in {"tcp", "tls"} or not parts.hostname or parts.username or parts.path):
        raise ConfigurationError(Message("error.dask_address"))
    return address


class Folders(BaseSettings):
    """Where things lie, absolute; read apart by what needs no more.

    Attributes:
        jobs: Folder of jobs, for nights and the desk; None where none is named.
    """

    model_config = SettingsConfigDict(
        env_prefix="REPASSE_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
    )

    home: Annotated[Path, AfterValidator(Path.absolute)] = Path(".repasse")
    jobs: Annotated[Path, AfterValidator(Path.absolute)] | None = None
    policy_file: Annotated[Path, AfterValidator(Path.absolute)] | None = Field(None, validation_alias="REPASSE_POLICY")

    @property
    def policy(self) -> Path | None:
        """The house's policy: what is named, or policy.yaml of the home folder, or None where there is none."""
        own = self.home / POLICY
        return self.policy_file or (own if own.is_file() else None)

    @property
    def columns(self) -> Path:
        """What the house has answered of columns in its senders' statements; there need not be such a file."""
        return self.home / COLUMNS

    def require_policy_outside(self, folder: Path) -> None:
        """Refuse a policy that whoever writes jobs could write too.

        The home folder is the program's own, closed to others, wherever it lies.

        Raises:
            ConfigurationError: the file is in a folder of jobs.
        """
        policy = self.policy
        if policy == self.home / POLICY and self.home != folder.absolute():
            return
        if policy is not None and policy.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(Message("error.policy_place", folder=str(folder)))


class Settings(Folders):
    """Everything a run takes from its environment; `docs/operations.md` says what each variable means."""

    api_url: Annotated[str, AfterValidator(_service_url)] = ""
    api_key: Annotated[str, AfterValidator(_api_key)] = Field("", repr=False)
    ledger: str = Field("", validation_alias="REPASSE_LEDGER_URL", repr=False)
    timeout_s: float = Field(60.0, gt=0, le=3600)
    approval_key: Annotated[str, AfterValidator(_approval_key)] = Field("", repr=False)
    desk_url: Annotated[str, AfterValidator(_desk_url)] = ""
    launch: Literal["here", "worker"] = "worker"
    dask: Annotated[str, AfterValidator(_dask)] = ""
    uncaged_workbooks: Literal["refuse", "read"] = "refuse"
    alert_email: str = ""
    alert_funding: str = ""
    alert_from: str = ""
    smtp_url: str = Field("", repr=False)
    alert_webhook: Annotated[str, AfterValidator(_alert_webhook)] = Field("", repr=False)
    night_hours: float = Field(6.0, gt=0, le=24)
    ca_file: Annotated[str, AfterValidator(_certificate)] = ""
    client_cert: Annotated[str, AfterValidator(_certificate)] = ""
    proxy: Annotated[str, AfterValidator(_proxy)] = Field("", repr=False)

    @property
    def ledger_url(self) -> str:
        """SQLAlchemy URL of the ledger; a file of the home folder where none is named."""
        return self.ledger or f"sqlite:///{self.home / 'ledger.db'}"

    @property
    def service(self) -> ServiceSettings | None:
        """The payout service; None where the environment names none."""
        if self.api_url == EMBEDDED:
            return ServiceSettings(EMBEDDED, "sandbox-key")
        return ServiceSettings(self.api_url, self.api_key) if self.api_url else None

    @property
    def egress(self) -> Egress:
        return Egress(ca_file=self.ca_file, proxy=self.proxy, client_cert=self.client_cert)

    @property
    def alerts(self) -> AlertSettings:
        everybody, payers = (
            tuple(filter(None, map(str.strip, text.split(",")))) for text in (self.alert_email, self.alert_funding)
        )
        sender, mail = self.alert_from.strip(), self.smtp_url.strip()
        return AlertSettings(everybody, payers, sender, mail, self.alert_webhook, self.night_hours, self.egress)

    @property
    def assumptions(self) -> Mapping[str, str]:
        """What the environment assumes of the service: see `io_adapters.payout_api.assumptions`."""
        return {name: value for name, value in os.environ.items() if name.startswith("REPASSE_ASSUME_")}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.api_url and self.api_url != EMBEDDED:
            if not self.api_key:
                raise ConfigurationError(Message("error.no_api_key"))
            if not self.ledger and "home" not in self.model_fields_set:
                raise ConfigurationError(Message("error.ledger_place"))
        alerts, mail = self.alerts, urlsplit(self.smtp_url.strip())
        to = (*alerts.email_to, *alerts.funding_to)
        named = [address for address in (*to, alerts.email_from) if address]
        if any("@" not in address or not address.isprintable() for address in named) or (
            to and not (alerts.email_from and mail.scheme in SMTP_SCHEMES and mail.hostname)
        ):
            raise ConfigurationError(Message("error.alert_mail"))
        if self.jobs:
            self.require_policy_outside(self.jobs)
        return self

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


# Name in the environment -> that of the field, as it is given.
VARIABLES: Final = {
    str(field.validation_alias or f"REPASSE_{name.upper()}"): str(field.validation_alias or name)
    for name, field in Settings.model_fields.items()
}
# Of numbers and words; addresses and paths say themselves what is wrong with them.
_WRONG: Final = {
    "timeout_s": "error.timeout_s",
    "night_hours": "error.night_hours",
    "launch": "error.launch",
    "uncaged_workbooks": "error.uncaged_workbooks",
}


def _places_of_secrets(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the folders in which this system keeps secrets for its programs: those of containers, and of systemd.

    A file there is called like its variable, `repasse_approval_key`; what the environment says goes before it.
    """
    places = (SECRETS, Path(environment.get("CREDENTIALS_DIRECTORY", "/nowhere")))
    return [place for place in places if place.is_dir()]


def read_settings(more: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the environment.

    Raises:
        ConfigurationError: a variable is missing or has no sense; the message names it and says what would be right.
    """
    given = {VARIABLES[name]: value for name, value in (more or {}).items() if name in VARIABLES}
    try:
        return Settings(_secrets_dir=_places_of_secrets(), **given)  # type: ignore[arg-type]  # texts, as there
    except ValidationError as error:
        raise ConfigurationError(Message(_WRONG[str(error.errors()[0]["loc"][0])])) from None


_REFUSED: Final = (
    ("PANDERA_VALIDATION_ENABLED", {"false", "0"}, "tables would pass unchecked"),
    ("PANDERA_VALIDATION_DEPTH", {"schema_only"}, "values would pass unchecked"),
    (
        "PREFECT_RESULTS_PERSIST_BY_DEFAULT",
        {"true", "1"},
        "a second equal task would be skipped, and people's data kept",
    ),
)


def check_environment(environment: Mapping[str, str] = os.environ) -> None:
    """Stop when a variable, or a foreign package of the same name, would change what a run means.

    Raises:
        ConfigurationError: names the variable or package, what it would do, and the remedy.
    """
    for name, refused, consequence in _REFUSED:
        if environment.get(name, "").strip().lower() in refused:
            raise ConfigurationError(
                Message("error.environment", variable=name, value=environment[name], consequence=consequence)
            )
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
