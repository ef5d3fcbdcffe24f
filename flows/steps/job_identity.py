"""The identity that every key of a job's obligations rests on."""

from dataclasses import dataclass

from schemas.plan import OWNER_REFERENCE, obligation_key
from schemas.reference import normal_reference

ROYALTIES = "royalties"


@dataclass(frozen=True, slots=True)
class JobIdentity:
    """Whose obligations, for when, in which currency.

    Attributes:
        job: Name of the job.
        payer: Tax id of the payer.
        period: Label of the period.
        currency: Currency of the reports.
    """

    job: str
    payer: str
    period: str
    currency: str

    def key(self, payee: str, reference: str) -> str:
        """Key of what is owed to a payee under a reference."""
        return obligation_key(self.job, self.payer, payee, self.period, self.currency, reference)

    def payment_key(self, payee: str, reference: str, number: int = 1) -> str:
        """Key of a payments row, or of its n-th payment, however its reference is spelled; never one of ours."""
        reference = normal_reference(reference)
        ours = reference.lstrip("=").split("/", maxsplit=1)[0] in {ROYALTIES, OWNER_REFERENCE}
        nth = "" if number == 1 else f"\x1f{number}"  # a sign no cell may hold: people number their references too
        return self.key(payee, (f"={reference}" if ours else reference) + nth)

    def royalty_key(self, payee: str, number: int = 1) -> str:
        """Key of a payee's royalties: the first, or the n-th difference."""
        return self.key(payee, numbered(ROYALTIES, number))

    def owner_key(self, number: int = 1) -> str:
        """Key of the owner's part."""
        return self.key(self.payer, numbered(OWNER_REFERENCE, number))


def numbered(reference: str, number: int) -> str:
    """Name the n-th obligation of one kind: royalties, royalties/2, ..."""
    return reference if number == 1 else f"{reference}/{number}"
