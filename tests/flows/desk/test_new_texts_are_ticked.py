"""At the desk, whoever approves ticks what was written beside the payments: each text, or a column at once."""

import re

import pytest

from io_adapters.spreadsheets.declarations import with_columns_of
from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.jobs import payment, people, write_sheet

ANA, BIA, CAIO = people(3)
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("service")]


@pytest.fixture
def plan(ana, bia, the_job, tmp_path):
    (job,) = tmp_path.rglob("jobs/aurora/job.yaml")
    job.write_text(with_columns_of(job.read_text("utf-8"), "1", {"Obs": "remark"}), "utf-8")
    texts = {ANA: "combinar com o Zé", BIA: "metade depois", CAIO: ""}
    rows = [payment(who, "10,00", f"r{at}", Obs=text) for at, (who, text) in enumerate(texts.items())]
    return plan_of(bia, prepare(ana, the_job, [write_sheet(tmp_path / "pagamentos.xlsx", rows)]))


def boxes(page: str) -> dict[str, str]:
    """Tell the boxes of the form: what stands beside each -> its name."""
    found = re.findall(r'name="((?:text|column):[^"]+)">\s*(.*?)</label>', page, re.DOTALL)
    return {words_of(beside).strip(): name for name, beside in found}


def test_a_plan_with_new_texts_is_approved_once_each_of_them_is_ticked(bia, plan, service):
    page = bia.get(plan)
    assert "Para conferir antes de aprovar" in words_of(page)
    shown = boxes(page)
    each = [shown["Obs: combinar com o Zé"], shown["Obs: metade depois"]]
    for ticked in ([], each[:1]):
        refused = bia.post(f"{plan}/approve", at=plan, code=422, total="30,00", **dict.fromkeys(ticked, "on"))
        assert "marque cada um" in words_of(refused)
        assert service.posts == 0
    bia.follow(bia.post(f"{plan}/approve", at=plan, total="30,00", **dict.fromkeys(each, "on")))
    assert service.paid == [1000, 1000, 1000]


def test_a_column_is_ticked_at_once(bia, plan, service):
    whole = boxes(bia.get(plan))["Obs: todos os 2 textos"]
    bia.follow(bia.post(f"{plan}/approve", at=plan, total="30,00", **{whole: "on"}))
    assert service.paid == [1000, 1000, 1000]


def test_a_tick_of_something_else_ticks_nothing(bia, plan, service):
    for name in ("text:0123456789abcdef", "column:column Outra", "text:", "column:"):
        bia.post(f"{plan}/approve", at=plan, code=422, total="30,00", **{name: "on"})
    assert service.posts == 0
