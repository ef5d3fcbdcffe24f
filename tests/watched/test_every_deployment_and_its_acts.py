"""Every deployment leaves the acts that are listed here and no others, and what it refuses leaves none.

Held constant: one house on SQLite, one list of payments, Prefect's own server. Varied: the deployment, what its form is
given, and what is wrong with it. A deployment without a line fails.
"""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from prefect import Flow
from ruamel.yaml import YAML

from flows.house_ledger import open_ledger_of
from flows.run_options import RunOptions
from flows.runner import run_payout
from flows.settings import read_settings
from schemas.acts import ActKind
from schemas.values.money import format_cents
from tests.flows.label import digest_of

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("prefect_database")]

K = ActKind
Given = dict[str, Any]
DECLARED = YAML(typ="safe").load((resources.files("flows.prefect_ui") / "declared" / "deployments.yaml").read_text())


def deployed(name: str) -> Flow[..., Any]:
    entrypoint = next(one["entrypoint"] for one in DECLARED["deployments"] if one["name"] == name)
    module, _, function = entrypoint.rpartition(".")
    flow: Flow[..., Any] = getattr(__import__(module, fromlist=[function]), function)
    return flow


def nothing(_job: Path) -> Given:
    return {}


def a_job(job: Path) -> Given:
    return {"job": str(job)}


def a_plan(job: Path) -> Given:
    digest = digest_of(run_payout(job, RunOptions()))
    with open_ledger_of(read_settings()) as ledger:
        plan = ledger.plans.get(digest)
    return {"digest": plan.digest, "total": format_cents(plan.total_cents, "pt-BR"), "name": "Bia"}


# Of each deployment: what is there before, what its form is given beside that, and the acts that it leaves.
ACTS: list[tuple[str, Callable[[Path], Given], Given, set[ActKind]]] = [
    ("nightly", nothing, {}, {K.PREPARE}),
    ("payout", a_job, {}, {K.RUN, K.PREPARE}),
    ("payout", a_job, {"yes": True}, {K.RUN, K.PREPARE, K.APPROVE}),
    ("settle", nothing, {}, set()),
    ("approve", a_plan, {"decision": "approve"}, {K.APPROVE}),
    ("approve", a_plan, {"decision": "reject", "why": "another month's"}, {K.REJECT}),
    ("contacts", a_job, {}, set()),
    ("contacts", a_job, {"mode": "apply"}, {K.CHANGE_CONTACTS}),
]
# What is wrong in place of what was right.
WRONG: list[tuple[str, Callable[[Path], Given], Given]] = [
    ("nightly", nothing, {"jobs": "/"}),
    ("payout", a_job, {"job": "/etc/job.yaml"}),
    ("payout", a_job, {"job": "nobody's"}),
    ("payout", a_job, {"period": "last month"}),
    ("settle", nothing, {"job": "nobody's"}),
    ("approve", a_plan, {"decision": "approve", "total": "1,00"}),
    ("approve", a_plan, {"decision": "approve", "digest": "sha256:00000000"}),
    ("approve", a_plan, {"decision": "approve", "name": "  "}),
    ("approve", a_plan, {"decision": "reject"}),
    ("approve", a_plan, {"decision": "both"}),
    ("contacts", a_job, {"job": "../../etc", "mode": "apply"}),
    ("contacts", a_job, {"mode": "everything"}),
]


def kinds() -> list[ActKind]:
    with open_ledger_of(read_settings()) as ledger:
        return [told.act.kind for told in ledger.acts.since()]


def test_every_deployment_has_a_line():
    assert (
        {one["name"] for one in DECLARED["deployments"]} == {name for name, *_ in ACTS} == {name for name, *_ in WRONG}
    )


@pytest.mark.parametrize(("name", "setup", "form", "expected"), ACTS)
def test_what_a_deployment_does_is_on_record(payments_job: Path, name, setup, form, expected):
    given = setup(payments_job)
    before = len(kinds())
    state = deployed(name)(**given | form, return_state=True)
    assert not state.is_failed(), state.message
    assert set(kinds()[before:]) == expected


@pytest.mark.parametrize(("name", "setup", "form"), WRONG)
def test_what_a_deployment_refuses_leaves_no_act(payments_job: Path, name, setup, form):
    given = setup(payments_job)
    before = kinds()
    state = deployed(name)(**given | form, return_state=True)
    assert not state.is_completed()
    assert kinds() == before
