"""The address book: create, change the e-mail, delete; delete an account, mark one as the favourite."""

from typing import Annotated, Final, NoReturn

from fastapi import APIRouter, HTTPException, Query, Response
from pydantic import BaseModel

from io_adapters.sandbox.assumptions import FAVORITE_ACCOUNT, Behaviour
from io_adapters.sandbox.context import CONFLICT, NOT_FOUND, NOTHING, Running
from io_adapters.sandbox.models import (
    AccountName,
    Body,
    ContactCreation,
    ContactName,
    EmailUpdate,
    ExactRoute,
    SandboxContact,
    SandboxContactAccount,
    exact_answer,
)
from io_adapters.sandbox.validation import Endpoint, ValidationProblem, problem, refuse_if_any, unknown_fields

router = APIRouter(route_class=ExactRoute, tags=["Contacts"])
NO_CONTACT: Final = "No such contact"
NO_ACCOUNT: Final = "No such account"


@router.post(Endpoint.CREATE_CONTACT.path, response_model=SandboxContact, responses=CONFLICT)
def create_contact(body: ContactCreation, sandbox: Running) -> Response:
    refuse_if_any(_unknown(body, sandbox.behaviour))
    again = sandbox.behaviour.known_contact == "create"
    contact, created = sandbox.address_book.add(
        sandbox.clock(), name=body.name, tax_id=body.tax_id, email=body.email, again=again
    )
    if not created and sandbox.behaviour.known_contact == "refuse":
        raise HTTPException(409, "A contact with this tax_id exists")
    return _response(contact)


@router.put(Endpoint.UPDATE_CONTACT.path, response_model=SandboxContact, responses=NOT_FOUND)
def update_contact(body: EmailUpdate, sandbox: Running) -> Response:
    refuse_if_any(_unknown(body, sandbox.behaviour) + _unnamed(body))
    contact = sandbox.address_book.change_email(sandbox.clock(), body.contact_id, body.tax_id, body.email)
    return _response(contact or _absent(NO_CONTACT))


@router.delete(Endpoint.DELETE_CONTACT.path, response_model=SandboxContact, responses=NOT_FOUND | NOTHING)
def delete_contact(body: ContactName, sandbox: Running) -> Response:
    refuse_if_any(_unknown(body, sandbox.behaviour) + _unnamed(body))
    contact = sandbox.address_book.delete(sandbox.clock(), body.contact_id, body.tax_id)
    return _deleted(contact or _absent(NO_CONTACT), sandbox.behaviour)


@router.delete(Endpoint.DELETE_ACCOUNT.path, response_model=SandboxContactAccount, responses=NOT_FOUND | NOTHING)
def delete_account(body: AccountName, sandbox: Running) -> Response:
    refuse_if_any(_unknown(body, sandbox.behaviour))
    account = sandbox.address_book.delete_account(sandbox.clock(), body.account_id)
    return _deleted(account or _absent(NO_ACCOUNT), sandbox.behaviour)


@router.post(Endpoint.FAVORITE_ACCOUNT.path, response_model=SandboxContactAccount, responses=NOT_FOUND)
def favorite_account(
    sandbox: Running, account_id: Annotated[str, Query(alias=FAVORITE_ACCOUNT, min_length=1)]
) -> Response:
    """Mark one account as its contact's favourite, which no other of its accounts is then."""
    return _response(sandbox.address_book.mark_favorite(sandbox.clock(), account_id) or _absent(NO_ACCOUNT))


def _unknown(body: Body, behaviour: Behaviour) -> list[ValidationProblem]:
    return unknown_fields(body) if behaviour.known_fields_only else []


def _unnamed(body: ContactName) -> list[ValidationProblem]:
    named = body.contact_id or body.tax_id
    return [] if named else [problem((), "At least one of contact_id or tax_id must be supplied")]


def _absent(detail: str) -> NoReturn:
    raise HTTPException(404, detail)


def _response(found: BaseModel) -> Response:
    return exact_answer(found.model_dump())


def _deleted(found: BaseModel, behaviour: Behaviour) -> Response:
    return Response(status_code=204) if behaviour.delete_answers == "nothing" else _response(found)
