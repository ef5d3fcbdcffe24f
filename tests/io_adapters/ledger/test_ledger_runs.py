"""Runs, leases, files, and the service a ledger belongs to."""

import dataclasses
import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from sqlalchemy import String

from io_adapters.ledger.leases import Owner
from io_adapters.ledger.run_tables import run_discrepancies, run_quotes, run_results, run_rows
from schemas.errors import AnotherRun, BrokenInvariant, ConfigurationError
from schemas.line_sketch import sketch_of
from schemas.sources import FileUse, WhoseMoney
from schemas.stated_sums import SUMS, WHOLE


def test_a_ledger_belongs_to_the_first_service_it_was_used_with(ledger):
    ledger.service.bind_or_check("https://one.example", "key-1")
    ledger.service.bind_or_check("https://one.example", "key-1")
    with pytest.raises(ConfigurationError, match=r"belongs to https://one\.example"):
        ledger.service.bind_or_check("https://two.example", "key-1")


def test_a_new_key_is_accepted_on_a_persons_word(ledger):
    ledger.service.bind_or_check("https://one.example", "key-1")
    with pytest.raises(ConfigurationError, match="doctor --accept-key --by NAME") as caught:
        ledger.service.bind_or_check("https://one.example", "key-2")
    assert "key-2" not in str(caught.value)
    ledger.service.accept_key("key-2", "Ana")
    ledger.service.bind_or_check("https://one.example", "key-2")
    bound = ledger.service.current()
    assert (bound.tag, bound.url, bound.key_fingerprint) == (ledger.tag, "https://one.example", "key-2")


def begin(ledger, run_id, job="aurora", period="2026-10"):
    return ledger.runs.begin(run_id, job, period, "run", "Ana", "aurora.yaml")


def test_a_run_is_found_again_when_its_flow_starts_over(ledger, clock):
    first = begin(ledger, "run-1")
    clock.move(minutes=5)
    assert begin(ledger, "run-1") == first
    assert (first.state, first.exit_code, first.finished_at) == ("running", None, None)
    with pytest.raises(BrokenInvariant):
        begin(ledger, "run-1", job="another")


def test_a_run_says_how_it_ended(ledger, clock):
    begin(ledger, "run-1")
    clock.move(minutes=5)
    ledger.runs.finish("run-1", "Done", 0, '{"run": "run-1"}')
    run = ledger.runs.get("run-1")
    assert (run.state, run.exit_code, run.summary_json, run.finished_at) == ("Done", 0, '{"run": "run-1"}', clock())
    assert ledger.runs.get("run-2") is None
    with pytest.raises(BrokenInvariant):
        ledger.runs.finish("run-2", "Done", 0, None)


def test_the_newest_runs_come_first(ledger, clock):
    for number, job in enumerate(["aurora", "boreal", "aurora"], start=1):
        begin(ledger, f"run-{number}", job=job)
        clock.move(minutes=1)
    assert [run.run_id for run in ledger.runs.list(limit=2)] == ["run-3", "run-2"]
    assert ledger.runs.latest("boreal").run_id == "run-2"
    assert ledger.runs.latest("aurora").run_id == "run-3"
    assert ledger.runs.latest("none") is None


def row_of(file, rows=1):
    return {"number": 0, "file": file, "sheet": "", "first_row": 2, "last_row": 2, "rows": rows} | {
        "disposition": "used",
        "reasons": "",
    }


def test_what_a_run_keeps_takes_the_place_of_what_it_kept_before_and_of_nothing_else(ledger):
    begin(ledger, "run-1")
    begin(ledger, "run-2")
    assert ledger.runs.kept(run_rows, ["run-1"]) == []
    ledger.runs.keep("run-1", {run_rows: [row_of("a.csv"), row_of("b.csv") | {"number": 1}], run_quotes: []})
    ledger.runs.keep("run-2", {run_rows: [row_of("c.csv")]})
    ledger.runs.keep("run-1", {run_rows: [row_of("d.csv", rows=7)]})
    kept = [(row.run_id, row.file, row.rows) for row in ledger.runs.kept(run_rows, None)]
    assert kept == [("run-1", "d.csv", 7), ("run-2", "c.csv", 1)]
    assert ledger.runs.kept(run_rows, ["run-1", "run-2"], run_rows.c.file == "c.csv")[0].run_id == "run-2"


def test_what_is_seen_later_is_kept_behind_what_was_seen_before(ledger):
    begin(ledger, "run-1")
    for kinds in (["withheld"], [], ["amount", "status"]):
        seen = [{"kind": kind, "report_id": None, "message": "", "expected": None, "found": None} for kind in kinds]
        ledger.runs.keep_discrepancies("run-1", seen)
    kept = ledger.runs.kept(run_discrepancies, ["run-1"])
    assert [(row.number, row.kind) for row in kept] == [(0, "withheld"), (1, "amount"), (2, "status")]


def result_of(job, period):
    texts = {column.name: "" if isinstance(column.type, String) else 0 for column in run_results.c}
    return {**texts, "job": job, "period": period, "readings": None}


def test_the_last_run_that_kept_anything_is_named_for_each_job_and_period(ledger, clock):
    for number, (job, period) in enumerate([("aurora", "2026-10"), ("aurora", "2026-10"), ("boreal", "2026-11")]):
        begin(ledger, f"run-{number}", job=job, period=period)
        ledger.runs.keep(f"run-{number}", {run_results: [result_of(job, period)]})
        clock.move(hours=1)
    ended = clock()
    begin(ledger, "run-9", job="aurora", period="2026-10")  # left none

    def last(**which):
        return [run.run_id for run in ledger.runs.last_with_results(**which)]

    assert last() == ["run-2", "run-1"]
    assert last(job="aurora") == ["run-1"]
    assert last(job="aurora", other_than="run-1") == ["run-0"]
    assert last(before=ended - dt.timedelta(hours=1)) == ["run-1"]


def test_payees_are_called_what_they_were_called_last_and_found_by_every_name(ledger, clock):
    for name in ("Ana Lima", "Ana L. Prado", "Ana Lima"):
        ledger.payee_names.note({"52998224725": name})
        clock.move(hours=1)
    ledger.payee_names.note({"52998224725": "Ana Lima", "11144477735": "Bia Reis"})
    assert ledger.payee_names.latest() == {"52998224725": "Ana Lima", "11144477735": "Bia Reis"}
    assert sorted(name for _, name in ledger.payee_names.all()) == ["Ana L. Prado", "Ana Lima", "Bia Reis"]


def test_a_lease_is_held_by_one_and_names_the_holder(ledger, me):
    other = dataclasses.replace(me, run_id="run-2")
    lease = ledger.leases.take("job", me, ttl_s=60)
    with pytest.raises(AnotherRun, match=rf"run run-1 on .* \(pid {me.pid}\) since 2026-11-20 09:00:00 UTC"):
        ledger.leases.take("job", other, ttl_s=60)
    assert ledger.leases.take("job", me, ttl_s=60).since == lease.since
    ledger.leases.release("job", other)
    assert ledger.leases.current("job").owner == me
    ledger.leases.release("job", me)
    assert ledger.leases.take("job", other, ttl_s=60).owner == other


def test_a_lease_that_ran_out_is_taken_over_and_the_late_owner_is_told(ledger, me, clock):
    elsewhere = Owner("elsewhere", 1, "boot", "1", "run-9")
    ledger.leases.take("job", elsewhere, ttl_s=60)
    clock.move(seconds=59)
    ledger.leases.renew("job", elsewhere, ttl_s=60)
    clock.move(seconds=59)
    with pytest.raises(AnotherRun):
        ledger.leases.take("job", me, ttl_s=60)
    clock.move(seconds=1)
    ledger.leases.take("job", me, ttl_s=60)
    with pytest.raises(AnotherRun, match="taken over"):
        ledger.leases.renew("job", elsewhere, ttl_s=60)


def test_a_file_that_was_used_is_recognised_by_bytes_and_by_content_once_its_plan_was_approved(ledger, desk, make_plan):
    for _ in range(2):
        ledger.files.record(
            "run-1", "aurora-royalties", "2026-10", "s1", "oct.xlsx", file_sha256="f1", content_sha256="c1"
        )
    ledger.files.record(
        "run-1", "aurora-royalties", "2026-10", "s1", "copy.xlsx", file_sha256="f2", content_sha256="c1", used=False
    )
    desk.store(make_plan({"ana": 100}))
    assert ledger.files.uses_of(["f1", "c1"]) == []  # its plan was never approved
    desk.approve(make_plan({"ana": 100}))
    whose = WhoseMoney("aurora-royalties", "payer", "2026-10", "BRL")
    use = FileUse(whose, "run-1", "oct.xlsx", "f1", "c1", "s1")
    assert ledger.files.uses_of(["f1"]) == ledger.files.uses_of(["f2", "c1"]) == [use]
    assert ledger.files.uses_of(["f2"]) == ledger.files.uses_of(["c2"]) == ledger.files.uses_of_lines(whose) == []
    assert ledger.files.of_run("run-1") == {"oct.xlsx": "f1", "copy.xlsx": "f2"}


def three_lines(number):
    hashes, weights = np.array([3, 1, 1], np.uint64) + np.uint64(number), np.array([7, 900, 900], np.int64)
    return sketch_of(hashes, weights, (np.array([0, 1, 1], np.int32), ["USD", "BRL"]))


SKETCH = three_lines(0)
KEPT = {"currency": "BRL", "month": "2026-09", "shape": WHOLE, "level": "", "key": 2**64 - 1}
KEPT |= {"amount_micros": -7, "lines": 2}
SUMS_OF_FILE = pa.Table.from_pylist([KEPT, KEPT | {"shape": 5}], SUMS)


def test_the_lines_of_a_file_are_kept_once_for_all_runs_that_read_them(ledger, desk, make_plan):
    for run in ("run-1", "run-2"):
        ledger.files.record(
            run, "aurora-royalties", "2026-10", "s1", "oct.csv", file_sha256="f", content_sha256="c",
            lines=SKETCH, sums=SUMS_OF_FILE,
        )  # fmt: skip
        desk.store(make_plan({"ana": 100}), run_id=run)
    desk.approve(make_plan({"ana": 100}))
    here = WhoseMoney("aurora-royalties", "payer", "2026-10", "BRL")
    (use,) = ledger.files.uses_of_lines(here._replace(period="2026-11"))
    assert (use.whose, use.run_id, use.name, use.layout) == (here, "run-1", "oct.csv", "s1")
    assert (use.lines, use.sums.to_pylist()) == (SKETCH, [KEPT])
    assert [use.run_id for use in ledger.files.uses_of_lines(here)] == ["run-1", "run-2"]
