"""A mail server on loopback that keeps what it is sent."""

from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword


class Mailbox:
    """A mail server that keeps what it is sent."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.logins: list[tuple[bytes, bytes]] = []

    async def handle_DATA(self, _server: object, _session: object, envelope: Envelope) -> str:  # noqa: N802
        mail = message_from_bytes(bytes(envelope.content or b""), policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        return "250 taken"

    def authenticate(self, _server, _session, _envelope, _mechanism, given: object) -> AuthResult:
        assert isinstance(given, LoginPassword)
        self.logins.append((given.login, given.password))
        return AuthResult(success=True)

    @property
    def subjects(self) -> list[str]:
        return [str(mail["Subject"]) for mail in self.mails]
