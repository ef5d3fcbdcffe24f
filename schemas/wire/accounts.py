"""Bank accounts and Pix keys as they are paid and validated: `bankAccount` and POST /validate/account."""

from typing import Literal

from schemas.wire.fields import Flag, Request, Response, Text

PixKeyType = Literal["random_key", "cnpj", "cpf", "phone_number", "email"]
AccountType = Literal["saving_account", "payment_account", "checking_account", "salary_account"]


class BankAccountData(Request):
    """`bankAccount` of a payment entry."""

    name: str | None = None
    bankCode: str | None = None
    pspId: str | None = None
    agency: str | None = None
    account: str | None = None
    accountType: AccountType | None = None
    pixKeyType: PixKeyType | None = None
    pixDescription: str | None = None
    pixKey: str | None = None


class AccountValidation(BankAccountData):
    """Body of POST /validate/account."""

    taxId: str | None = None
    validateOwnership: bool = True


class AccountVerdict(Response):
    """Answer of POST /validate/account."""

    valid: Flag = None
    message: Text = None
