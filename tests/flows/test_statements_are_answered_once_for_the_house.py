"""A column that a known sender's layout does not know is asked about once, for all jobs of the house.

Held constant: a DistroKid statement with one more column. What varies: what stands in it, who answers and where (the
remedy written by hand, `new`, the job alone), which job reads the sender, by its name or recognised, and what a person
may write wrongly.
"""

import csv
import json

import pytest

from flows.settings import Folders
from tests.flows.test_new_jobs_and_sheets_without_one import PAYER, repasse, taken_in

pytestmark = pytest.mark.usefixtures("home")
KNOWN = (
    "Reporting Date", "Sale Month", "Store", "Artist", "Title", "ISRC", "UPC", "Quantity", "Team Percentage",
    "Country of Sale", "Earnings (USD)",
)  # fmt: skip
LINE = ("2026-10-15", "2026-09", "Pandora", "Cacto", "Via", "BRAUR2600031", "7899990000076", "4", "100", "BR")
BESIDE = {
    "Valor do artista": ("3.10", "2.05"),
    "Repassar?": ("sim", "não"),
    "Zona": ("norte", "sul"),
}
ASKED = pytest.mark.parametrize("header", BESIDE)


def statement(folder, header, texts=None):
    folder.mkdir(exist_ok=True)
    path = folder / "distrokid.tsv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, delimiter="\t")
        rows.writerow((*KNOWN, header))
        for amount, text in zip(("6.20", "4.10"), texts or BESIDE[header], strict=True):
            rows.writerow((*LINE, amount, text))
    return path


def job_of(folder, header, source="layout: distrokid", texts=None):
    path = statement(folder, header, texts)
    job = folder / "job.yaml"
    job.write_text(
        f"""job: {folder.name}
payer: {{tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}}
period: 2026-10
sources:
  - {{files: {path.name}, {source}, exchange: {{USD: {{rate: "5.00", date: 2026-10-31, source: PTAX}}}}}}
account_checks: {{when: never}}
""",
        encoding="utf-8",
    )
    return job


def answer(text):
    Folders().home.mkdir(exist_ok=True)
    Folders().columns.write_text(text, encoding="utf-8")


def asked_of(job):
    checked = json.loads(repasse("check", job, "--json").stdout)
    return [issue for issue in checked["issues"] if issue["code"] == "COLUMN_UNANSWERED"]


def sum_of(job):
    (lines,) = taken_in(job).inputs.statements
    return sum(lines.totals.by_territory["amount"])


@ASKED
def test_who_writes_what_is_told_where_it_is_told_is_asked_by_no_other_job(tmp_path, header):
    first = job_of(tmp_path / "um", header)
    (issue,) = asked_of(first)
    assert "columns.yaml" in issue["accepts"]
    answer(issue["accepts"].split("`")[1] + "\n")
    for job in (first, job_of(tmp_path / "dois", header), job_of(tmp_path / "tres", header, "layout: auto")):
        assert asked_of(job) == []
        assert str(sum_of(job)).startswith("10.3")


def test_what_was_answered_is_asked_again_where_other_things_stand_below_it(tmp_path):
    answer("distrokid: {Zona: {ignored: text}}\n")
    assert asked_of(job_of(tmp_path / "um", "Zona")) == []
    assert len(asked_of(job_of(tmp_path / "dois", "Zona", texts=("3,10", "2,05")))) == 1


def test_a_job_says_otherwise_for_itself_alone(tmp_path):
    answer("distrokid: {Valor do artista: {ignored: money}}\n")
    source = "layout: distrokid, columns: {valor do ARTISTA: amount, Earnings (USD): ignored}"
    assert str(sum_of(job_of(tmp_path / "um", "Valor do artista", source))).startswith("5.15")
    assert str(sum_of(job_of(tmp_path / "dois", "Valor do artista"))).startswith("10.3")


@ASKED
def test_new_asks_once_and_writes_it_for_the_house(tmp_path, header):
    made = repasse("new", statement(tmp_path / "um", header), *PAYER, "--column", f"{header}=ignored")
    assert made.exit_code == 0, made.output
    assert str(Folders().columns) in made.output
    assert header not in (tmp_path / "um" / "job.yaml").read_text("utf-8")
    assert asked_of(tmp_path / "um" / "job.yaml") == []
    again = repasse("new", statement(tmp_path / "dois", header), *PAYER)
    assert again.exit_code == 0, again.output
    assert header not in again.output
    assert asked_of(tmp_path / "dois" / "job.yaml") == []


def test_what_people_wrote_beside_the_answers_stays(tmp_path):
    kept = "# agreed with Bia\nbelieve:\n  Zona: ignored   # their warehouse\n"
    answer(kept)
    repasse("new", statement(tmp_path / "um", "Zona"), *PAYER, "--column", "Zona=ignored")
    text = Folders().columns.read_text("utf-8")
    assert text.startswith(kept)
    assert "Zona: {ignored: text}" in text[len(kept) :]


def test_a_remark_on_lines_is_seen_by_nobody_so_that_it_is_asked_about(tmp_path):
    assert asked_of(job_of(tmp_path / "um", "Zona", "layout: distrokid, columns: {Zona: remark}"))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("distrokit: {Zona: ignored}", "distrokid"),
        ("payments: {Obs: ignored}", "payments"),
        ("distrokid: {Zona: remark}", "remark"),
        ("distrokid: {Zona: amonut}", "amonut"),
        ("distrokid: {Zona: {ignored: zonas}}", "whole_number"),
        ("distrokid: Zona", "columns.yaml:1"),
        ("- Zona", "columns.yaml"),
    ],
)
def test_what_nobody_can_read_of_the_answers_is_said_with_its_place(tmp_path, written, says):
    job = job_of(tmp_path / "um", "Zona")
    answer(written)
    refused = repasse("check", job)
    assert refused.exit_code == 10
    assert says in refused.output
    assert "columns.yaml" in refused.output
