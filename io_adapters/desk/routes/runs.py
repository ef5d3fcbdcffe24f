"""A run: followed live, and what it left behind."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, RedirectResponse

from io_adapters.desk.guard import Posted, Refused, SignedIn, ports_of
from io_adapters.desk.pages import Pages
from io_adapters.desk.paging import page_of
from io_adapters.desk.ports import RunStanding
from schemas.desk_people import Role

router = APIRouter()
STATEMENTS_A_PAGE = 100
BATCHES_SHOWN = 200


def _standing(request: Request, run_id: str) -> RunStanding:
    standing = ports_of(request).runs.get(run_id)
    if standing is None:
        raise Refused(404, "refused.nothing")
    return standing


@router.get("/runs/{run_id}")
def run(request: Request, run_id: str, _signed: SignedIn) -> Response:
    """Show how a run stands."""
    pages: Pages = request.app.state.pages
    return pages.show(request, "run.html", run=_standing(request, run_id), most=BATCHES_SHOWN)


@router.get("/runs/{run_id}/live")
def live(request: Request, run_id: str, _signed: SignedIn) -> Response:
    """Return the part of the run's page that changes."""
    pages: Pages = request.app.state.pages
    return pages.show(request, "run_live.html", run=_standing(request, run_id), most=BATCHES_SHOWN)


@router.get("/runs/{run_id}/statements")
def statements(request: Request, run_id: str, _signed: SignedIn, page: int = 1) -> Response:
    """List the statements a run has left."""
    pages: Pages = request.app.state.pages
    standing = _standing(request, run_id)
    rows = page_of(ports_of(request).runs.statements(run_id), page, STATEMENTS_A_PAGE)
    return pages.show(request, "statements.html", run=standing, rows=rows)


@router.get("/runs/{run_id}/files/{token}")
def download(request: Request, run_id: str, token: str, _signed: SignedIn) -> Response:
    """Hand over one of the run's outputs, and nothing else."""
    path = ports_of(request).runs.file(run_id, token)
    if path is None:
        raise Refused(404, "refused.nothing")
    kind = "application/octet-stream"
    return FileResponse(path, media_type=kind, filename=path.name, content_disposition_type="attachment")


@router.post("/runs/{run_id}/go-on")
def go_on(request: Request, run_id: str, signed: SignedIn, _form: Posted) -> Response:
    """Start the same payout again, to finish what is left; pays nothing twice."""
    signed.require(Role.PREPARER)
    name = ports_of(request).launches.go_on(run_id, by=signed.user.name)
    return RedirectResponse(f"/launches/{name}", status_code=303)
