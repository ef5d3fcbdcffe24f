"""E-mailing the statements of a run to their payees, on a person's decision, each once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from flows.royalties.rules.statements import statement_token
from flows.run_document import RunDocument
from flows.settings import AlertSettings
from io_adapters.alerts import NotAlerted, send_email
from io_adapters.ledger.ledger import Ledger
from schemas.messages import Message, period_text, render
from schemas.obligation import Payee

# A mail server that refuses so many in a row refuses all of them.
MOST_FAILURES: Final = 3


@dataclass(frozen=True, slots=True)
class Addressed:
    """A payee's statement, and where it is to go.

    Attributes:
        token: Names it.
        path: The file.
        payee: Whose it is; without an address where the tables have none.
        language: The payee's.
    """

    token: str
    path: Path
    payee: Payee
    language: str


def mail_statements(ledger: Ledger, settings: AlertSettings, run_id: str, paths: Mapping[str, Path], *, by: str) -> int:
    """Send each statement of a run to its payee that was not sent yet as it is now.

    Args:
        ledger: Where it is written down, before and after.
        settings: The mail server, and who writes.
        run_id: The run.
        paths: Where its statements lie, by token.
        by: Who asked for it.

    Returns:
        How many the mail server took. It stops where the server has refused a few in a row.
    """
    stored = ledger.runs.document(run_id)
    if stored is None:
        return 0
    document, sent, failures = RunDocument.from_bytes(stored), 0, 0
    for addressed in addressed_statements(document, run_id, paths):
        content = addressed.path.read_bytes()
        digest = sha256(content).hexdigest()
        if not addressed.payee.email or not ledger.statement_mails.begin(run_id, addressed.token, digest, by):
            continue
        facts = {
            "payer": document.payer_name,
            "period": period_text(document.period, addressed.language),
            "name": addressed.payee.name,
        }
        subject, text = (render(f"mail.statement.{part}", addressed.language, **facts) for part in ("subject", "text"))
        attached = (addressed.path.name, content)
        try:
            send_email(settings.smtp_url, settings.email_from, (addressed.payee.email,), subject, text, attached)
        except NotAlerted as error:
            ledger.statement_mails.end(run_id, addressed.token, digest, failure=_why(error))
            failures += 1
            if failures == MOST_FAILURES:
                break
            continue
        ledger.statement_mails.end(run_id, addressed.token, digest)
        sent, failures = sent + 1, 0
    return sent


def addressed_statements(document: RunDocument, run_id: str, paths: Mapping[str, Path]) -> Iterator[Addressed]:
    """Pair the statements of a run with their payees, by name."""
    payees = {owed.payee.tax_id: owed.payee for owed in document.obligations if owed.kind in {"royalty", "payment"}}
    languages = document.statements.languages if document.statements else {}
    for tax_id, payee in sorted(payees.items(), key=lambda known: known[1].name):
        token = statement_token(run_id, tax_id)
        if path := paths.get(token):
            yield Addressed(token, path, payee, languages.get(tax_id, document.language))


def token_in(name: str) -> str:
    """Return what tells a statement's file from those of namesakes."""
    return name.removesuffix(".pdf").partition(" (")[0].rpartition("-")[2]


def _why(error: NotAlerted) -> str:
    """Return the kind of failure alone: what a mail server says repeats addresses."""
    return str(error.content.facts["why"]) if isinstance(error.content, Message) else type(error).__name__
