"""Guesses about the service: one place, a default each, a setting each."""

import pytest

from io_adapters.payout_api.assumptions import PREFIX, Assumptions
from schemas.errors import ConfigurationError
from tests.docs.generated import assumed


def test_every_assumption_says_what_it_is_and_how_to_find_out():
    said = assumed()
    for name, field in Assumptions.model_fields.items():
        assert "Probe:" in said[name], name
        assert not field.is_required(), name


def test_the_environment_overrides_and_other_names_are_not_looked_at():
    changed = Assumptions.from_environment(
        {
            "PATH": "/bin",
            "REPASSE_TIMEOUT_S": "3",
            PREFIX + "GET_TAKES": "reportId",
            PREFIX + "CREATE_STATUSES": "200, 201",
            PREFIX + "REPORT_ID_ECHOED": "false",
            PREFIX + "LISTED_WITHIN_S": "5",
        }
    )
    assert (changed.get_takes, changed.report_id_echoed, changed.listed_within_s) == ("reportId", False, 5)
    assert changed.create_statuses == {200, 201}
    assert changed.psp_id_is_ispb is Assumptions().psp_id_is_ispb


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GET_TAKE", "_id"),
        ("GET_TAKES", "id"),
        ("CREATE_STATUSES", "200,500"),
        ("CREATE_STATUSES", "all"),
        ("LISTED_WITHIN_S", "-1"),
        ("INSTITUTIONS_PAGE", "a&b=c"),
    ],
)
def test_a_misspelt_or_impossible_assumption_is_an_error_that_names_it(name, value):
    with pytest.raises(ConfigurationError, match=PREFIX + name):
        Assumptions.from_environment({PREFIX + name: value})


def test_the_id_to_get_a_report_by_follows_the_assumption():
    assert Assumptions().id_for_get(split_id="a", report_id="rp-1") == "a"
    assert Assumptions(get_takes="reportId").id_for_get(split_id="a", report_id="rp-1") == "rp-1"
