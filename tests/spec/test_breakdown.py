"""What a payment of royalties is made of: told to the service in the job's own words, or not at all."""

import json
from decimal import Decimal

import pytest
from pydantic import ValidationError

from flows.payables.rules.obligations import break_down
from schemas.job import Breakdown
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, RECORDINGS, lines, payees, shares

MONTH = """
    | recording | title | store | territory | units | amount |
    | samba     | Samba | Onda  | BR        | 10    | 10.005 |
    | samba     | Samba | Maré  | PT        | 2     | 20.00  |
    | valsa     | Valsa | Onda  | BR        | 5     | -1.00  |
"""
SPLIT = """
    | payee | recording | share |
    | ana   | samba     | 50    |
    | ana   | valsa     | 50    |
    | bia   | samba     | 50    |
"""
PRODUCTS = {
    "products": {"by": "recording", "fields": {"isrc": "isrc", "name": "title", "value": "amount", "n": "units"}}
}
PLATFORMS = {"platforms": {"by": "platform", "fields": {"platform": "platform", "value": "amount"}}}
PLACES = {"details": {"by": "territory", "fields": {"country": "territory", "value": "amount"}}}


def sent(breakdown, office=None):
    """The payments of the first batch, by payee, as JSON that keeps every digit."""
    office = office or Office(job=job(breakdown=breakdown))
    payables = office.compute_payables(
        inputs([statement(lines(MONTH))], payees=payees("ana", "bia"), shares=shares(SPLIT))
    )
    arrays = break_down(office.job.breakdown, payables.obligations, payables.earnings, payables.territories)
    body = json.loads(office.plan(payables, arrays).batches[0].content, parse_float=Decimal)
    return {entry["taxId"]: entry for entry in body["payments"]}


def test_nothing_is_told_that_the_job_does_not_declare():
    for entry in sent({}).values():
        assert not {"products", "platforms", "details"} & entry.keys()


def test_recordings_are_told_under_the_names_the_job_gives_them():
    samba, valsa = sent(PRODUCTS)[CPF["ana"]]["products"]
    assert samba == {"isrc": RECORDINGS["samba"], "name": "Samba", "value": Decimal("15.00"), "n": 12}
    assert valsa == {"isrc": RECORDINGS["valsa"], "name": "Valsa", "value": Decimal("-0.50"), "n": 5}


def test_each_array_adds_up_to_the_payees_part_rounded_once():
    ana = sent(PRODUCTS | PLATFORMS | PLACES)[CPF["ana"]]
    for name in ("products", "platforms", "details"):
        assert sum(one["value"] for one in ana[name]) == Decimal("14.50"), name
    assert [platform["platform"] for platform in ana["platforms"]] == ["Maré", "Onda"]
    assert [detail["country"] for detail in ana["details"]] == ["BR", "PT"]


def test_what_is_declared_is_part_of_what_is_approved():
    came_in = inputs([statement(lines(MONTH))], payees=payees("ana", "bia"), shares=shares(SPLIT))
    digests = set()
    for breakdown in ({}, PRODUCTS, PLATFORMS):
        office = Office(job=job(breakdown=breakdown))
        payables = office.compute_payables(came_in)
        arrays = break_down(office.job.breakdown, payables.obligations, payables.earnings, payables.territories)
        digests.add(office.plan(payables, arrays).digest)
    assert len(digests) == 3


def test_a_field_that_is_not_known_of_such_an_element_is_refused():
    with pytest.raises(ValidationError, match="does not tell isrc"):
        Breakdown.model_validate({"platforms": {"by": "platform", "fields": {"code": "isrc"}}})
