"""What slow answers add beside the waits that no order of the work avoids, and whether many payees are dearer each."""

import os
import subprocess
import sys
from math import ceil
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from schemas.errors import ExitCode
from schemas.values.tax_id import check_digits
from tests.bench.conftest import Figures, cpu_s
from tests.crash.payday import Payday, opened_payday

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

REPASSE = str(Path(sys.executable).with_name("repasse"))
ANSWER_S = 0.2
PER_BATCH = 500
# The list before anything is sent, the list after the first accepted batch, and one look at what became of them all.
LISTS = 3


def unavoidable_s(batches: int, checks: int = 0, at_a_time: int = 1) -> float:
    """Count the answers that must be waited for one after the other.

    A batch is sent once the answer to the one before is written down: what that answer says may stop all further ones.
    """
    return (LISTS + batches + ceil(checks / at_a_time)) * ANSWER_S


def pay(payday: Payday) -> tuple[float, float]:
    """Run the job as people do; returns the seconds that took, and those of CPU."""
    began_s, began_cpu_s = perf_counter(), cpu_s()
    environment = os.environ | payday.environment
    done = subprocess.run(
        [REPASSE, "run", str(payday.job.path), "--yes"], check=False, env=environment, stdout=subprocess.DEVNULL
    )
    assert done.returncode == ExitCode.DONE
    return perf_counter() - began_s, cpu_s() - began_cpu_s


def answer_after(payday: Payday, seconds: float) -> None:
    payday.control.post("/settings", json={"latency_s": seconds}).raise_for_status()


def write_many(payday: Payday, payees: int) -> None:
    """Write so many payments to as many people in the place of the job's own, as CSV."""
    job = payday.job.path.read_text(encoding="utf-8")
    payday.job.path.write_text(job.replace("payments.xlsx", "payments.csv"), encoding="utf-8")
    with (payday.job.path.parent / "payments.csv").open("w", encoding="utf-8") as rows:
        print("Nome;CPF;E-mail;Valor;Chave Pix;Tipo de chave Pix", file=rows)
        for number in range(payees):
            body = f"{100_000_000 + number}"
            email = f"pessoa-{number}@example.com"
            cents = 1_000 + number % 977
            cpf = body + check_digits(body)
            print(f"Pessoa {number};{cpf};{email};{cents // 100},{cents % 100:02d};{email};E-mail", file=rows)


def test_what_slow_answers_add(figures: Figures, tmp_path: Path):
    """Seconds in which an answer is waited for, whatever else the machine has to do."""
    waited_s = []
    for number in range(3):
        with opened_payday(tmp_path / f"{number}", 10_000, per_batch=PER_BATCH, timeout_s=60) as payday:
            answer_after(payday, ANSWER_S)
            command = [
                sys.executable,
                str(Path(__file__).with_name("waiting.py")),
                "run",
                str(payday.job.path),
                "--yes",
            ]
            environment = os.environ | payday.environment
            done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
            assert done.returncode == ExitCode.DONE
            waited_s.append(float(done.stderr.splitlines()[-1]))
    beside = {"baseline": "waits it cannot avoid", "baseline_median": unavoidable_s(20)}
    figures.add("10,000 payees in 20 batches, answers after 200 ms: waiting", median(waited_s), **beside, at_most=1.2)


def test_a_first_night_of_ten_thousand_payees_with_slow_answers(figures: Figures, tmp_path: Path):
    at_a_time = 50
    with opened_payday(
        tmp_path, 10_000, per_batch=PER_BATCH, checks="new_or_changed", formats="xlsx, csv, json", timeout_s=60
    ) as payday:
        job = payday.job.path.read_text(encoding="utf-8")
        many = job.replace("account_checks: {", f"account_checks: {{at_a_time: {at_a_time}, ")
        payday.job.path.write_text(many, encoding="utf-8")
        answer_after(payday, ANSWER_S)
        taken_s, _ = pay(payday)
        assert len(payday.audit()["account_checks"]) == 10_000
    beside = {"baseline": "waits it cannot avoid", "baseline_median": unavoidable_s(20, 10_000, at_a_time)}
    figures.add(
        f"10,000 payees in 20 batches, {at_a_time} account checks at a time, answers after 200 ms: all of it",
        taken_s,
        **beside,
        at_most=1.2,
    )


def test_a_hundred_thousand_payees_are_no_dearer_each(figures: Figures, tmp_path: Path):
    each_s = {}
    for payees in (10_000, 100_000):
        folder = tmp_path / f"{payees}"
        with opened_payday(folder, 1, per_batch=PER_BATCH, formats="xlsx, csv, json", timeout_s=60) as payday:
            write_many(payday, payees)
            _, taken_cpu_s = pay(payday)
            assert payday.posts() == payees / PER_BATCH
        each_s[payees] = taken_cpu_s / payees
    beside = {"baseline": "10,000", "baseline_median": each_s[10_000]}
    figures.add("pay 100,000 people from end to end, CPU of each", each_s[100_000], **beside, at_most=1.1)
