"""Destinations: a Pix key of a stated type, or a bank account; and the fingerprint of either."""

from dataclasses import dataclass

from schemas.values.digests import digest_of
from schemas.wire import AccountType, PixKeyType

DESTINATION_COLUMNS = (
    "pix_key",
    "pix_key_type",
    "bank_code",
    "psp_id",
    "agency",
    "account",
    "account_type",
)


@dataclass(frozen=True, slots=True)
class PixKey:
    """A Pix key in canonical form.

    Attributes:
        key: As the wire takes it (`schemas.values.pix_key.read_pix_key`).
        key_type: What it is, as stated.
    """

    key: str
    key_type: PixKeyType

    @property
    def fingerprint(self) -> str:
        """Hex sha256; the same key of the same type always has the same one."""
        return digest_of("pix", self.key_type, self.key)


@dataclass(frozen=True, slots=True)
class BankAccount:
    """A bank account in canonical form (`schemas.values.bank_account`).

    Attributes:
        psp_id: ISPB, eight characters; "" as long as it is to be taken from the list of institutions.
        account: Number and check digit, glued.
        account_type: As the wire says it.
        holder: Name of the holder; not part of the account's identity.
    """

    bank_code: str
    psp_id: str
    agency: str
    account: str
    account_type: AccountType
    holder: str = ""

    @property
    def fingerprint(self) -> str:
        """Hex sha256; the holder's name, which people spell in many ways, is not in it."""
        return digest_of("account", self.bank_code, self.psp_id, self.agency, self.account, self.account_type)


Destination = PixKey | BankAccount


def destination_of(  # noqa: PLR0913  # the columns of a destination
    *,
    pix_key: str = "",
    pix_key_type: str = "",
    bank_code: str = "",
    psp_id: str = "",
    agency: str = "",
    account: str = "",
    account_type: str = "",
    account_holder: str = "",
) -> Destination | None:
    """Build the destination of a checked row from its columns; None when it has none."""
    if pix_key:
        return PixKey(pix_key, pix_key_type)  # type: ignore[arg-type]  # the row was checked
    if account:
        return BankAccount(bank_code, psp_id, agency, account, account_type, account_holder)  # type: ignore[arg-type]
    return None
