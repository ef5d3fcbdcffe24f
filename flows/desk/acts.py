"""What people do, at the desk: a page's form is read by the fields of its act, done, and answered by the same page."""

from collections.abc import Callable
from typing import Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from flows.acts.act import Done, House, Word
from flows.acts.forms import ActForm, fields_of
from flows.acts.perform import perform
from flows.desk.guard import LONGEST_TEXT, Form, RequestRefused, Signed
from flows.desk.pages import language_of
from schemas.errors import RepasseError
from schemas.messages import for_desk, render


def act_here(
    request: Request,
    signed: Signed,
    form: type[ActForm],
    posted: Form,
    *,
    page: Callable[..., Response],
    then: str | Callable[[Done], str],
    **given: object,
) -> Response:
    """Do what somebody signed in asks for.

    Args:
        page: The page with the form; shown again, with `status` and `problem`, where the act is refused,
            or what follows it cannot be started.
        then: Where to go afterwards.
        given: Fields that do not stand in the form.

    Raises:
        RequestRefused: they have no part in such acts, or a field is longer than anybody writes.
    """
    signed.require(form.act)
    house: House = request.app.state.desk.house
    try:
        done = perform(house, Word((signed.user.name,), is_signed_in=True), fill_in(form, posted, given))
        where = then if isinstance(then, str) else then(done)
    except RepasseError as refused:
        return page(status=422, problem=render(for_desk(refused.content), language_of(request)))
    return RedirectResponse(where, status_code=303)


def fill_in(form: type[ActForm], posted: Form, given: dict[str, object]) -> ActForm:
    """Fill in an act's form with what a page sent; a list is of the boxes that were ticked, a yes or no is one box."""
    values = dict[str, Any](given)
    for field in fields_of(form):
        if field.name in given:
            continue
        text = posted.get(field.name, "").strip()
        if len(text) > LONGEST_TEXT:
            raise RequestRefused(422, "desk.refused.empty")
        if ticked := field.asked.ticked:
            values[field.name] = tuple(box.removeprefix(ticked) for box in posted if box.startswith(ticked))
        elif field.is_box:
            values[field.name] = text == "yes"
        elif text or field.is_wanted:
            values[field.name] = text
    return form(**values)
