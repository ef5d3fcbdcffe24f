"""E-mailing the statements of a run to their payees, on a person's decision, each once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from flows.royalties.rules.statements import statement_token
from flows.settings import AlertSettings
from io_adapters.alerts import NotAlerted, send_email
from io_adapters.ledger.approvals_missing import rule_for
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import RunRecord, read_record
from schemas.acts import Act, ActKind
from schemas.job import Job
from schemas.messages import Message, period_text, render
from schemas.obligation import Payee
from schemas.readers import for_people
from schemas.values.masking import mask_email
from schemas.values.names import same_person

# A mail server that refuses so many in a row refuses all of them.
MOST_FAILURES: Final = 3


@dataclass(frozen=True, slots=True)
class Addressed:
    """A payee's statement, and where it is to go.

    Attributes:
        payee: Whose it is; without an address where the tables have none.
    """

    token: str
    path: Path
    payee: Payee
    language: str


def may_write_to_new_addresses(ledger: Ledger, run_id: str, job: Job | None, by: str) -> bool:
    """Whether somebody may be the first to send a statement to an address: nobody who had a part in what names it.

    Not asked where the job and the house let those who prepare approve as well.

    Args:
        job: Its declaration; None where that cannot be read: then it is asked.
    """
    rule = rule_for(ledger, job) if job else None
    if rule is not None and rule.approvers == 1 and rule.other_than_preparer is False:
        return True
    return same_person(by) not in ledger.authors.of_run(run_id)


def new_addresses(ledger: Ledger, record: RunRecord) -> dict[str, str]:
    """Return the payees of a run whose address no statement was sent to yet -> the one used before, masked, or ""."""
    payees = (obligation.payee for obligation in record.obligations if obligation.kind in {"royalty", "payment"})
    return ledger.mail_addresses.before({payee.tax_id: payee.email for payee in payees if payee.email})


def mail_statements(  # each is named at the call
    ledger: Ledger, settings: AlertSettings, run_id: str, paths: Mapping[str, Path], *, by: str, to_new: bool
) -> int:
    """Send each statement of a run to its payee that was not sent yet as it is now.

    Args:
        ledger: Where it is written down, before and after.
        to_new: Whether it is also sent to addresses that none was sent to before.

    Returns:
        How many the mail server took. It stops where the server has refused a few in a row.
    """
    record, sent, failures = read_record(ledger, run_id), 0, 0
    if record is None:
        return 0
    asked = Act(ActKind.MAIL_STATEMENTS, by, run_id, "", ledger.now(), {"statements": str(len(paths))})
    ledger.acts.record(asked)
    unknown = new_addresses(ledger, record)
    for addressed in addressed_statements(record, run_id, paths):
        payee = addressed.payee
        if payee.tax_id in unknown and not to_new:
            continue
        content = addressed.path.read_bytes()
        digest = sha256(content).hexdigest()
        if not addressed.payee.email or not ledger.statement_mails.begin(run_id, addressed.token, digest, by):
            continue
        ledger.mail_addresses.accept(payee.tax_id, payee.email, mask_email(payee.email), run_id=run_id, by=by)
        facts = {
            "payer": record.payer_name,
            "period": period_text(record.period, addressed.language),
            "name": addressed.payee.name,
        }
        with for_people():
            subject = render("mail.statement.subject", addressed.language, **facts)
            text = render("mail.statement.text", addressed.language, **facts)
        attached = (addressed.path.name, content)
        try:
            way = (settings.smtp_url, settings.email_from, (payee.email,))
            send_email(*way, subject, text, attached, egress=settings.egress)
        except NotAlerted as error:
            ledger.statement_mails.end(run_id, addressed.token, digest, failure=_why(error))
            failures += 1
            if failures == MOST_FAILURES:
                break
            continue
        ledger.statement_mails.end(run_id, addressed.token, digest)
        sent, failures = sent + 1, 0
    return sent


def addressed_statements(record: RunRecord, run_id: str, paths: Mapping[str, Path]) -> Iterator[Addressed]:
    """Pair the statements of a run with their payees, by name."""
    payees = {
        obligation.payee.tax_id: obligation.payee
        for obligation in record.obligations
        if obligation.kind in {"royalty", "payment"}
    }
    languages = record.statements.languages if record.statements else {}
    for tax_id, payee in sorted(payees.items(), key=lambda known: known[1].name):
        token = statement_token(run_id, tax_id)
        if path := paths.get(token):
            yield Addressed(token, path, payee, languages.get(tax_id, record.language))


def token_in(name: str) -> str:
    """Return what tells a statement's file from those of namesakes."""
    return name.removesuffix(".pdf").partition(" (")[0].rpartition("-")[2]


def _why(error: NotAlerted) -> str:
    """Return the kind of failure alone: what a mail server says repeats addresses."""
    return str(error.content.facts["why"]) if isinstance(error.content, Message) else type(error).__name__
