"""Validation of bank accounts and Pix keys, at a centavo and a fee for each call that is not refused."""

import hashlib
from typing import Final

from fastapi import APIRouter, Response

from io_adapters.sandbox.assumptions import Behaviour, account_identity, is_planted
from io_adapters.sandbox.context import Running
from io_adapters.sandbox.models import (
    BANK_ACCOUNT_FIELDS,
    ExactRoute,
    SandboxAccountValidation,
    SandboxAccountVerdict,
    exact_answer,
)
from io_adapters.sandbox.validation import (
    Endpoint,
    ValidationProblem,
    missing,
    problem,
    refuse_if_any,
    unknown_fields,
)

TRANSFER_CENTS: Final = 1

router = APIRouter(route_class=ExactRoute, tags=["Validation"])


@router.post(Endpoint.VALIDATE_ACCOUNT.path, response_model=SandboxAccountVerdict)
async def validate_account(body: SandboxAccountValidation, sandbox: Running) -> Response:
    # Called thousands of times in a row: its one short write costs less here than a way through another thread.
    refuse_if_any(_broken_rules(body, sandbox.behaviour))
    message = _fault_of_account(body, sandbox.behaviour)
    sandbox.store.add_account_check(
        sandbox.clock(),
        _fingerprint(body),
        valid=message is None,
        cost_cents=TRANSFER_CENTS + sandbox.behaviour.account_check_fee_cents,
    )
    return exact_answer({"valid": message is None, "message": message or "account is valid"})


def _broken_rules(body: SandboxAccountValidation, behaviour: Behaviour) -> list[ValidationProblem]:
    found = unknown_fields(body) if behaviour.known_fields_only else []
    if not body.pixKey and not body.account:
        found.append(problem((), "Either pixKey or account must be supplied"))
    elif body.pixKey and body.pixKeyType is None:
        found.append(missing("pixKeyType"))
    elif not body.pixKey:
        found += [missing(name) for name in BANK_ACCOUNT_FIELDS if not getattr(body, name)]
    if body.validateOwnership and not body.taxId:
        found.append(missing("taxId"))
    return found


def _fault_of_account(body: SandboxAccountValidation, behaviour: Behaviour) -> str | None:
    """Return why the account is not valid; None when it is."""
    if is_planted(behaviour.invalid_accounts, body.taxId, body.pixKey, body.account):
        return "account does not exist or cannot receive"
    key_is_a_document = body.pixKeyType in {"cpf", "cnpj"} and body.pixKey
    if body.validateOwnership and key_is_a_document and not _same(body.pixKey, body.taxId):
        return "taxId is not the owner of the account"
    return None


def _same(name: str | None, other: str | None) -> bool:
    return account_identity(name or "") == account_identity(other or "")


def _fingerprint(body: SandboxAccountValidation) -> str:
    parts = (body.pixKeyType, body.pixKey, body.pspId, body.bankCode, body.agency, body.account, body.accountType)
    return hashlib.sha256("|".join(account_identity(part or "") for part in parts).encode()).hexdigest()[:16]
