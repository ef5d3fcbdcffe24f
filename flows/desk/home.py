"""The first page of the desk: what waits for whom, the jobs, and the latest runs."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from flows.desk.guard import SignedIn, ledger_of
from flows.desk.jobs import jobs_of
from flows.desk.pages import language_of, show
from flows.desk.plans import PlanPages, PlanState, plans_of
from flows.desk.runs import runs_of
from flows.desk.unresolved import Doubt, Unresolved, unresolved_of
from flows.nights.due import last_night
from flows.payables.waits import gather_waits
from flows.reports.funding import unsettled_fundings
from io_adapters.ledger.account_checks import CheckRequest
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.acts import acts_grid
from schemas.funding import WANTS_PAYER, FundingState, ReportFunding
from schemas.messages import Listed, Message, Money, catalogue_in
from schemas.plan import HOME_CURRENCY
from schemas.states import FUNDINGS, PLANS, REPORTS, State
from schemas.submission import Submission, SubmissionState
from schemas.values.money import SignedSums
from schemas.waits import Matter, WaitKind, matters

S = SubmissionState
LATEST: Final = 8

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Waits:
    approvals: tuple[PlanState, ...]
    checks: tuple[CheckRequest, ...]
    doubts: tuple[Doubt, ...]
    undetermined: tuple[Submission, ...]
    unsent: tuple[Submission, ...]
    fundings: tuple[ReportFunding, ...]
    left: tuple[Matter, ...]


def what_waits(ledger: Ledger, plans: PlanPages, unresolved: Unresolved, now: dt.datetime) -> Waits:
    states = {S.PLANNED, S.APPROVED, S.NOT_SENT}
    found = ledger.submissions.list(states=states, bodies=False)
    digests = dict.fromkeys(submission.plan_digest for submission in found if submission.state is S.PLANNED)
    reviews = [plans.state_of(ledger.plans.get(digest)) for digest in digests]
    return Waits(
        approvals=tuple(review for review in reviews if review.state == "waiting"),
        checks=tuple(ledger.check_requests.waiting(now)),
        doubts=unresolved.list(),
        undetermined=unresolved.undetermined(),
        unsent=tuple(submission for submission in found if submission.state in {S.APPROVED, S.NOT_SENT}),
        fundings=tuple(unsettled_fundings(ledger)),
        left=matters(gather_waits(ledger, now), across_periods=True),
    )


@dataclass(frozen=True, slots=True)
class Card:
    """What waits of one job and one kind: its sum, how many, whose turn it is, and the page on which it goes on."""

    stands: State
    href: str
    title: Message
    job: str
    periods: tuple[str, ...]
    sums: tuple[Money, ...]
    lines: tuple[Message | Listed, ...]


def cards(waits: Waits) -> list[Card]:
    """Tell all that waits, each job and kind once: people's decisions first, then what goes on by itself."""
    return [
        *map(_of_plan, waits.approvals),
        *map(_of_checks, waits.checks),
        *_by_job(waits.doubts, "doubts", REPORTS[S.IN_DOUBT], lambda _run: "/doubts"),
        *_by_job(waits.undetermined, "undetermined", REPORTS[S.PARTIAL], lambda _run: "/doubts#decide"),
        *_by_job(waits.unsent, "unsent", REPORTS[S.NOT_SENT], lambda run: f"/runs/{run}"),
        *_of_fundings(waits.fundings),
        *map(_of_matter, waits.left),
    ]


def _of_plan(review: PlanState) -> Card:
    plan, counted = review.stored, Message("count.payments", count=review.stored.payees)
    if review.missing:
        said = Message("desk.home.approval_counts", payments=counted, missing=review.missing)
    else:
        said = Message("desk.job.broken" if review.job_problem else "desk.home.approved_counts", payments=counted)
    title, total = Message("desk.home.approval"), Money(plan.total_cents, plan.currency)
    return Card(review.stands, f"/plans/{plan.digest}", title, plan.job, (plan.period,), (total,), (said,))


def _of_checks(wanted: CheckRequest) -> Card:
    title, counted = Message("desk.home.checks"), Message("desk.home.checks_count", count=wanted.checks)
    cost = Money(wanted.cost_cents, HOME_CURRENCY)
    waiting, page = PLANS["waiting"], f"/checks/{wanted.digest}"
    return Card(waiting, page, title, wanted.job, (wanted.period,), (cost,), (counted,))


def _by_job(
    found: Iterable[Submission | Doubt], kind: str, stands: State, page_of: Callable[[str], str]
) -> Iterator[Card]:
    by_job = defaultdict[str, list[Submission | Doubt]](list)
    for report in found:
        by_job[report.job].append(report)
    for job, own in by_job.items():
        sums = SignedSums[str]()
        for report in own:
            sums[report.currency] += report.amount_cents
        yield Card(
            stands=stands,
            href=page_of(getattr(own[0], "run_id", "")),
            title=Message(f"desk.home.{kind}"),
            job=job,
            periods=tuple(dict.fromkeys(report.period for report in own)),
            sums=tuple(Money(cents, currency) for currency, cents in sums.items() if cents),
            lines=(Message("desk.home.reports", count=len(own)), Message(f"desk.home.{kind}_what")),
        )


def _of_fundings(fundings: Iterable[ReportFunding]) -> Iterator[Card]:
    """Tell what reports at the service wait for, each job and state once; what is the payer's to do goes on there."""
    by_state = defaultdict[tuple[str, FundingState], list[ReportFunding]](list)
    for stands in fundings:
        by_state[stands.report.job, stands.state].append(stands)
    for (job, state), own in sorted(by_state.items(), key=lambda item: list(FundingState).index(item[0][1])):
        sums = SignedSums[str]()
        for stands in own:
            sums[stands.sum.currency] += stands.sum.cents
        yield Card(
            stands=FUNDINGS[state],
            href="/funding" if state in WANTS_PAYER else f"/runs/{own[0].report.run_id}",
            title=Message(f"desk.home.fund.{state}"),
            job=job,
            periods=tuple(dict.fromkeys(stands.report.period for stands in own)),
            sums=tuple(Money(cents, currency) for currency, cents in sums.items() if cents),
            lines=(Message("desk.home.reports", count=len(own)), Message(f"desk.home.fund_what.{state}")),
        )


def _of_matter(matter: Matter) -> Card:
    wait, lines = matter.first, list[Message | Listed]()
    if matter.count:
        rows = "cli.waits.rows" if wait.kind is WaitKind.ROWS else "cli.waits.obligations"
        lines.append(Message(rows, count=matter.count))
    lines += [matter.why, Message(f"desk.home.left.{wait.step}")]
    return Card(
        stands=wait.step.stands,
        href="/doubts#decide" if wait.is_decided_on else f"/runs/{wait.run_id}",
        title=wait.what,
        job=wait.job,
        periods=matter.periods,
        sums=(Money(matter.amount_cents, wait.currency),) if matter.amount_cents else (),
        lines=tuple(line for line in lines if not isinstance(line, Listed) or line.parts),
    )


@router.get("/acts")
def acts(request: Request, _signed: SignedIn) -> Response:
    """Show what people did, the newest first."""
    newest = list(reversed(ledger_of(request).acts.since()))
    return show(request, "acts.html", grid=acts_grid(newest, catalogue_in(language_of(request))))


@router.get("/")
def home(request: Request, _signed: SignedIn, done: str = "") -> Response:
    unresolved, now = unresolved_of(request), request.app.state.desk.clock.now()
    waits = what_waits(ledger_of(request), plans_of(request), unresolved, now)
    facts: dict[str, Any] = {
        "cards": cards(waits),
        "can_settle": bool(waits.fundings or waits.doubts),
        "stop": unresolved.stop(),
        "jobs": jobs_of(request).list(),
        "runs": runs_of(request).list(LATEST),
        "night": last_night(ledger_of(request), now),
        "done": done if done in {"settle", "password"} else "",
    }
    return show(request, "home.html", **facts)
