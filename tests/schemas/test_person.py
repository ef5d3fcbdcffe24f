"""A typed name is one person, however it is written."""

import pytest

from schemas.values.names import different_people, same_person


@pytest.mark.parametrize(
    "written",
    [
        "José da Silva",
        " josé  DA silva ",
        "Jose\u0301 da Silva",
        "JOSÉ\u00a0DA SILVA",
        "José\u200b da Silva",
        "José da Silva\ufeff",
        "\u202aJosé da Silva\u202c",
        "Jo\u00adsé da Silva",
    ],
)
def test_one_person_is_not_two_by_writing_the_name_otherwise(written):
    assert same_person(written) == same_person("José da Silva")
    assert len(different_people(["José da Silva", written])) == 1


def test_a_blank_name_is_nobody():
    assert different_people(["", "  ", "Ana"]) == {"ana"}
    assert len(different_people(["Ana", "Bia", "ANA"])) == 2
