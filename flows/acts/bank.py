"""What people say of lines of the bank's statement that the program cannot explain."""

from flows.acts.act import Done, House, Word, report_called
from flows.acts.forms import ExplainLine
from flows.bank.closing import take_back, write_down
from io_adapters.ledger.ledger import Ledger
from schemas.bank import BankLine, BankMatter, Explained
from schemas.errors import ApprovalWanted, DecisionRefused
from schemas.messages import Message, Money
from schemas.plan import HOME_CURRENCY
from schemas.submission import Submission
from schemas.values.names import same_person


def explain_line(house: House, word: Word, said: ExplainLine) -> Done:
    """Write down what a line is; money for a report is recorded with it, or no longer where that is taken back.

    Raises:
        DecisionRefused: there is no such line, it is explained already or not at all, what it is of is unknown, or is
            another sum that came back; or a job counts only words of people who signed in.
        ApprovalWanted: whoever says it has prepared the report.
    """
    line = house.ledger.bank.line(said.line.strip())
    if line is None:
        raise DecisionRefused(Message("bank.no_line", line=said.line))
    matter = BankMatter(said.kind)
    standing = [each for each in house.ledger.bank.explained() if each.line_id == line.id]
    if (matter is BankMatter.OPEN) != bool(standing):
        raise DecisionRefused(Message("bank.explained" if standing else "bank.not_explained", line=line.id))
    if matter is BankMatter.OPEN:
        subjects = [each.subject for each in standing if each.matter is BankMatter.FUNDING]
        came_back = (house.ledger.returns.called(each.subject) for each in standing if each.matter is BankMatter.RETURN)
        subjects += [each.submission_id for each in came_back if each is not None]
        reports = house.ledger.submissions.with_ids(subjects)
        for report in reports:
            _require_no_preparer(house.ledger, word, report)
        word.require_counts(house.ledger, [report.job for report in reports] or [None])
        subject = ""
        take_back(house.ledger, line, by=word.by, evidence=said.evidence)
    else:
        subject, job = _subject(house.ledger, word, matter, said.of.strip(), line)
        word.require_counts(house.ledger, [job])
        explained = Explained(line.id, matter, subject, -line.cents, "person")
        write_down(house.ledger, [explained], by=word.by, evidence=said.evidence)
    facts = {"line": line.id, "matter": matter.value, "of": subject}
    return Done("explained", (Message("bank.said", line=line.id, what=Message(f"bank.matter.{matter}")),), facts)


def _subject(ledger: Ledger, word: Word, matter: BankMatter, of: str, line: BankLine) -> tuple[str, str | None]:
    """Return what a line is of, and whose job that is; None is any."""
    if matter is BankMatter.OTHER:
        return "", None
    if matter is BankMatter.CHECKS:
        day = of or line.day.isoformat()
        costs = {day.isoformat(): cents for day, cents in ledger.bank.checks_by_day().items()}
        if costs.get(day) != -line.cents:
            raise DecisionRefused(Message("bank.no_checks", day=day))
        return day, None
    if matter is BankMatter.RETURN:
        back = ledger.returns.called(of)
        if back is None or not back.counts or back.in_bank or back.is_nobodys or back.amount_cents != line.cents:
            raise DecisionRefused(Message("bank.no_return", obligation=of, sum=Money(line.cents, HOME_CURRENCY)))
        (report,) = ledger.submissions.with_ids([back.submission_id])
        _require_no_preparer(ledger, word, report)
        return back.key, back.job
    report = report_called(ledger, of)
    _require_no_preparer(ledger, word, report)
    return report.id, report.job


def _require_no_preparer(ledger: Ledger, word: Word, report: Submission) -> None:
    run = ledger.runs.get(report.run_id)
    if run is not None and same_person(run.prepared_by) == same_person(word.by):
        raise ApprovalWanted(Message("bank.preparer"))
