"""What only a probe asks: questions under names and ids of its own choice. Nothing here costs or moves anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from io_adapters.split_api.client import SplitApi
from io_adapters.split_api.connections import path_part
from io_adapters.split_api.errors import NotThere, QuestionRefused
from io_adapters.split_api.validation_error import ValidationError, read_validation_errors
from schemas.errors import NotSent
from schemas.wire import ContactDelete, InstitutionPage, SplitReport, body_of, canonical_json

ANSWER_TIME: Final = 3  # a question may be asked three times


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer said in a word that names nobody.

    Attributes:
        status: HTTP status; None when no whole answer came.
        errors: What a documented 422 finds fault with.
    """

    status: int | None
    errors: tuple[ValidationError, ...] = ()


class ProbeApi(SplitApi):
    """The payout service, for somebody who finds out how it is."""

    def institutions_page(self, params: Mapping[str, str]) -> InstitutionPage | None:
        """Ask for one page of institutions with this query; None when the service refuses the query (422).

        Raises:
            NotSent: no answer, or not the documented one.
        """
        try:
            data = self._questions.ask(
                "/pix/financial_institutions", params, deadline_s=ANSWER_TIME * self._questions.timeout_s
            )
        except QuestionRefused:
            return None
        if not isinstance(data, dict):
            raise NotSent("the payout service's list of institutions is not one")
        return InstitutionPage.model_validate(data)

    def report_by(self, any_id: str) -> SplitReport | None:
        """Ask for a report by whatever id; None when the service finds none, or finds fault with the id.

        Raises:
            NotSent: no answer.
        """
        path = f"/split/{path_part(any_id)}/get"
        try:
            data = self._questions.ask(path, deadline_s=ANSWER_TIME * self._questions.timeout_s)
        except (NotThere, QuestionRefused):
            return None
        return SplitReport.model_validate(data) if isinstance(data, dict) else None

    def favorite_nobody(self, params: Mapping[str, str]) -> Told:
        """POST /contacts/accounts_favorite with this query, of an account that does not exist."""
        return self._told_by("POST", "/contacts/accounts_favorite", None, params)

    def delete_nobody(self, contact_id: str) -> Told:
        """DELETE /contacts for a contact that does not exist."""
        body = canonical_json(body_of(ContactDelete(contact_id=contact_id)))
        return self._told_by("DELETE", "/contacts", body, None)

    def _told_by(self, method: str, path: str, body: bytes | None, params: Mapping[str, str] | None) -> Told:
        deadline_s = self._questions.timeout_s
        reply = self._orders.send_once(method, path, body, params=params, deadline_s=deadline_s)
        if reply.failure is not None:
            return Told(None)
        return Told(reply.status, read_validation_errors(reply.body) or () if reply.status == 422 else ())
