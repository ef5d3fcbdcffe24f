"""Mutants of what makes two payments one: each is found out by an office that edits between two runs."""

from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from schemas.errors import ExitCode
from tests.simulation.editing_office import COMPANIES, OTHER_PAYER, PEOPLE, EditingOffice, opened_office
from tests.simulation.mutants import Change, Mutant, Question
from tests.simulation.office import Office

CLAIM, ALIKE = "flows.payables.rules.claims", "flows.payables.rules.paid_before"


def after(edit: Callable[[EditingOffice], object], *, recurring: bool = False, unwatched: bool = False) -> Question:
    """Pay three people, edit, and run with the flag, or where nobody has to look; what of that must not be."""

    def ask(folder: Path, _: Office) -> tuple[str, ...]:
        with opened_office(Path(mkdtemp(prefix="mutant-", dir=folder.parent)), "", "Nota 2", "Nota 3") as office:
            for line in office.rows if recurring else ():
                office.retype(line, Recorrente="sim")
            if office.run().exit_code != ExitCode.DONE:
                return ("nobody is paid at all",)
            words = edit(office)
            office.run_unwatched() if unwatched else office.run()
            return (*office.violations(), *(words() if callable(words) else ()))

    return ask


def each(**cells: Callable[[], str] | str) -> Callable[[EditingOffice], None]:
    """Retype these cells of every row."""

    def edit(office: EditingOffice) -> None:
        for line in office.rows:
            office.retype(line, **{name: cell() if callable(cell) else cell for name, cell in cells.items()})

    return edit


def declare(**changes: object) -> Callable[[EditingOffice], None]:
    """Write this into the job file, and owe one more: a file that was used as it is would be known by its bytes."""

    def edit(office: EditingOffice) -> None:
        office.declare(**changes)
        office.owe(PEOPLE[8], "novo")

    return edit


def respell(office: EditingOffice) -> Callable[[], tuple[str, ...]]:
    """Spell references otherwise, of which nobody need be asked."""
    for line in office.rows:
        office.retype(line, Referência=line.cells["Referência"].upper().replace(" ", "\u00a0"))

    def ask() -> tuple[str, ...]:
        done = office.report is not None and office.report.exit_code == ExitCode.DONE
        return () if done else ("a respelling is another payment",)

    return ask


def new_people_under_another_payer(office: EditingOffice) -> Callable[[], tuple[str, ...]]:
    """Correct the payer, and owe others than before."""
    office.declare(payer={"tax_id": OTHER_PAYER, "name": "Selo Aurora"})
    office.rows.clear()
    office.owe(PEOPLE[7], "novo")
    return lambda: ("sent under another payer without a word",) if len(office.provider.entries()) > 3 else ()


def own_companies_in_another_job(office: EditingOffice) -> None:
    """Rename the job, and pay everybody's own company to the same account."""
    each(CPF=COMPANIES.cnpj)(office)
    office.declare(job="aurora-2")


OTHER_JOB: Final[dict[str, Any]] = {"job": "aurora-2"}
SAME_DAYS: Final[dict[str, Any]] = {"period": {"start": "2026-10-01", "end": "2026-10-30"}}
# Whatever a payee got for the job and period counts as another row of the same list, be it there or not.
ANY_ROW_OF_THE_PAYEE: Final = Change(f"{ALIKE}:_is_of_its_list", " and (claim.base_key, row.source.file) in stands", "")
NO_GONE_ROWS: Final = Change(f"{CLAIM}:claim", "gone.judge(judged, unclaimed)", "pass")

IDENTITY: Final = (
    Mutant(
        "a reference is what was typed, sign by sign",
        "a respelling is another payment",
        after(respell),
        Change(
            "schemas.plan:JobIdentity.payment_key",
            "reference = normal_reference(reference)",
            "reference = str(reference)",
        ),
    ),
    Mutant(
        "a row that is gone is none of a new row's business",
        "DOUBLE",
        after(each(Referência="Nota 17")),
        NO_GONE_ROWS,
        ANY_ROW_OF_THE_PAYEE,
    ),
    Mutant(
        "another account is another payee's",
        "DOUBLE",
        after(each(Chave_Pix="outra.conta@example.com", Referência="Nota 17")),
        Change(
            f"{CLAIM}:_Gone._lost", "(obligation.payee.tax_id, obligation.destination)", "(obligation.destination,)"
        ),
        ANY_ROW_OF_THE_PAYEE,
    ),
    Mutant(
        "another document is another payee",
        "DOUBLE",
        after(each(CPF=COMPANIES.cnpj)),
        Change(
            f"{CLAIM}:_Gone._lost", "(obligation.payee.tax_id, obligation.destination)", "(obligation.payee.tax_id,)"
        ),
        Change(f"{ALIKE}:paid_alike", ", *by_recipient.get(row.destination, ())", ""),
    ),
    Mutant(
        "an account that was paid under another job and document is unknown",
        "DOUBLE",
        after(own_companies_in_another_job),
        Change(f"{ALIKE}:paid_alike", ", *by_recipient.get(row.destination, ())", ""),
    ),
    Mutant(
        "what other jobs and periods have paid is theirs",
        "DOUBLE",
        after(declare(**OTHER_JOB)),
        Change("flows.payables.plan_review:_rows_paid_before", "if not alike:", "if True:"),
    ),
    Mutant(
        "the flag is a person's word for what looks paid",
        "DOUBLE",
        after(declare(**OTHER_JOB)),
        Change("flows.acts.approve:_take_yes", " or needs_review:", ":"),
        Change(
            "flows.acts.approve:_approve",
            "wanted, run.clock.now(), by_flag=not needs_review",
            "wanted, run.clock.now()",
        ),
        Change("flows.acts.approve:_approve", "rule=rule,\n        by_flag=not needs_review,", "rule=rule,"),
    ),
    Mutant(
        "what looks paid may go unwatched where the job wants nobody's word",
        "DOUBLE",
        after(declare(**OTHER_JOB), unwatched=True),
        Change(
            "flows.acts.approve:_approve",
            "approvers_needed(rule, stored, needs_review=needs_review)",
            "approvers_needed(rule, stored)",
        ),
    ),
    Mutant(
        "a payer that changes within a period is nobody's business",
        "under another payer",
        after(new_people_under_another_payer),
        Change("flows.payables.plan_review:_other_series", "in others:", "in ():"),
    ),
    Mutant(
        "what recurs may recur within its period",
        "DOUBLE",
        after(declare(**SAME_DAYS), recurring=True),
        Change(f"{ALIKE}:_months_between", "if first.start <= second.end and second.start <= first.end:", "if False:"),
    ),
    Mutant(
        "what recurs may recur in any job",
        "DOUBLE",
        after(declare(**OTHER_JOB, period="2026-11"), recurring=True),
        Change(f"{ALIKE}:_is_question", "if is_series and recurs and", "if recurs and"),
    ),
)
