"""The files of a run: whole or not at all, the same for the same content, and never in anyone's way."""

import csv
import errno
import io
import json
import stat
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.run_folder import payments_csv, write_outputs
from tests.io_adapters.outputs.builder import reconciliation, summary

ALL = ("xlsx", "csv", "parquet", "json")


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_formats_the_job_names_are_written_and_summary_json_comes_last(tmp_path):
    names = [path.name for path in write_outputs(reconciliation(), tmp_path / "aurora" / "run-1", ALL)]
    assert names == ["reconciliation.xlsx", "payments.csv", "payments.parquet", "summary.json"]
    assert [path.name for path in write_outputs(reconciliation(), tmp_path / "other", ["json"])] == ["summary.json"]
    assert names_in(tmp_path / "other") == ["summary.json"]


def test_writing_again_gives_the_same_bytes_and_leaves_nothing_else_behind(tmp_path):
    first = {path.name: path.read_bytes() for path in write_outputs(reconciliation(), tmp_path, ALL)}
    second = {path.name: path.read_bytes() for path in write_outputs(reconciliation(), tmp_path, ALL)}
    assert first == second
    assert names_in(tmp_path) == sorted(first)


def test_only_the_owner_may_read_the_files(tmp_path):
    for path in write_outputs(reconciliation(), tmp_path, ALL):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_summary_json_holds_the_keys_other_programs_rely_on(tmp_path):
    (path,) = write_outputs(reconciliation(), tmp_path, ["json"])
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["totals_cents"]["in"] == 72_307
    assert document == json.loads(reconciliation().summary.to_json())


def test_a_crash_before_the_new_file_takes_its_name_leaves_the_old_one(tmp_path, monkeypatch):
    target = tmp_path / "payments.csv"
    target.write_bytes(b"old")

    def fail(self, name):
        raise OSError(errno.EIO, "the disk is gone")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="the disk is gone"):
        replace_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert names_in(tmp_path) == ["payments.csv"]


def test_a_file_that_is_read_only_is_left_alone_and_the_new_one_is_next_to_it(tmp_path):
    target = tmp_path / "payments.csv"
    target.write_bytes(b"old")
    target.chmod(0o400)
    assert replace_atomically(target, b"new") == tmp_path / "payments (2).csv"
    assert replace_atomically(target, b"newer") == tmp_path / "payments (2).csv"
    assert target.read_bytes() == b"old"
    assert (tmp_path / "payments (2).csv").read_bytes() == b"newer"


def test_a_file_another_program_holds_open_is_left_alone_too(tmp_path, monkeypatch):
    target = tmp_path / "reconciliation.xlsx"
    replace = Path.replace

    def refuse_the_open_one(self, name):
        if Path(name) == target:
            raise PermissionError(errno.EACCES, "in use")
        return replace(self, name)

    monkeypatch.setattr(Path, "replace", refuse_the_open_one)
    assert replace_atomically(target, b"new") == tmp_path / "reconciliation (2).xlsx"


@pytest.mark.parametrize(("language", "delimiter", "amount"), [("pt-BR", ";", "123,45"), ("en", ",", "123.45")])
def test_the_csv_speaks_the_language_of_the_job(language, delimiter, amount):
    content = payments_csv(reconciliation(language=language))
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))
    assert rows[1][6] == amount
    assert {len(row) for row in rows} == {18}


def test_the_csv_holds_every_obligation_so_that_it_adds_up_to_what_came_in():
    rows = list(csv.reader(io.StringIO(payments_csv(reconciliation()).decode("utf-8-sig"), newline=""), delimiter=";"))
    cents = sum(int(row[6].replace(",", "")) for row in rows[1:])
    assert cents == reconciliation().summary.totals_cents.in_ == 72_307


def test_the_parquet_holds_every_obligation_with_types_that_programs_can_add_up(tmp_path):
    (path,) = write_outputs(reconciliation(), tmp_path, ["parquet"])
    table = pq.read_table(path)
    assert sum(table["amount_cents"].to_pylist()) == reconciliation().summary.totals_cents.in_ == 72_307
    first = table.to_pylist()[0]
    assert (first["tax_id"], first["place"], first["row"]) == ("52998224725", "paid", 2)
    assert (first["sent_at"], first["reference"]) == (None, None)
    assert "ana@exemplo.test" not in repr(table.to_pylist())


def test_a_run_that_paid_nothing_still_has_all_its_files(tmp_path):
    empty = reconciliation()
    nothing = reconciliation(
        obligations=[], summary=summary([], batches=[], discrepancies=[]), issues=(), decisions=(),
        rows=empty.rows.iloc[:0], checks=empty.checks.iloc[:0],
    )  # fmt: skip
    assert len(write_outputs(nothing, tmp_path, ALL)) == len(ALL)
