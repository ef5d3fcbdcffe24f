"""Payments jobs of any size, for tests that need many payments, not particular ones. All people are synthetic."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sample_data.making.payments import COMPANY_KINDS, HEADERS, PEOPLE_KINDS, SHEET, Payment
from sample_data.making.people import Payee, Registry, masked
from sample_data.making.workbooks import write_workbook
from schemas.plan import JobIdentity

PAYER = "12ABC34501DE35"
PERIOD = "2026-10"
JOB = """\
job: {name}
payer: {{tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}}
period: 2026-10
sources:
  - {{files: payments.xlsx, layout: payments}}
rules: {{max_payments_per_batch: {per_batch}}}
account_checks: {{when: {checks}, budget: "100000.00"}}
settle: {{every_s: "0.5", for_s: "{settle_for_s}"}}
outputs: {{folder: out, formats: [{formats}], statements: false}}
"""


@dataclass(frozen=True, slots=True)
class PaymentsJob:
    """A payments job on disk.

    Attributes:
        name: Of the job.
        path: The job file.
        workbook: Its one source.
        owed: Obligation key -> centavos.
        rows: The payments, as the workbook has them at first.
    """

    name: str
    path: Path
    workbook: Path
    owed: dict[str, int]
    rows: tuple[Payment, ...]

    def retype(self, rows: Sequence[Payment], payer: str = PAYER) -> None:
        """Write workbook and job file anew, with these rows and this payer."""
        write_workbook(self.workbook, SHEET, HEADERS, [row.cells() for row in rows])
        job = self.path.read_text(encoding="utf-8")
        self.path.write_text(re.sub(r"tax_id: [^,]+", f"tax_id: {masked(payer)}", job, count=1), encoding="utf-8")


def write_payments_job(  # each is named at the call
    folder: Path,
    payments: int,
    *,
    name: str = "many",
    per_batch: int = 500,
    checks: str = "never",
    formats: str = "json",
    settle_for_s: int = 30,
    first_cents: int = 1_000,
) -> PaymentsJob:
    """Write a job of so many payments to as many payees: people and companies, Pix keys and accounts, all sound.

    No two are of one amount, so that an amount tells whose payment it is, whatever it came under.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = [Payment(payee, first_cents + 7 * number) for number, payee in enumerate(_payees(name, payments))]
    workbook = folder / "payments.xlsx"
    write_workbook(workbook, SHEET, HEADERS, [row.cells() for row in rows])
    path = folder / "job.yaml"
    words = {"name": name, "per_batch": per_batch, "checks": checks, "formats": formats, "settle_for_s": settle_for_s}
    path.write_text(JOB.format(**words), encoding="utf-8")
    identity = JobIdentity(name, PAYER, PERIOD, "BRL")
    owed = {identity.payment_key(row.payee.tax_id, row.reference): row.amount_cents for row in rows}
    return PaymentsJob(name, path, workbook, owed, tuple(rows))


def _payees(seed: str, count: int) -> list[Payee]:
    registry = Registry(seed)
    companies = count // 5
    people = [registry.person(PEOPLE_KINDS[n % len(PEOPLE_KINDS)]) for n in range(count - companies)]
    return people + [
        registry.company(f"Estúdio {n} Ltda", COMPANY_KINDS[n % len(COMPANY_KINDS)], registry.cnpj(letters=n % 2 == 0))
        for n in range(companies)
    ]
