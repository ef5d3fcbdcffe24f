"""A statement sent in several files is read when all of them are there."""

import pytest

from schemas.issues import IssueCode, Severity
from schemas.layouts.layout import MissingPart, missing_parts, part_of

NAME = "DSR_Aurora_Onda_Premium_2026-09_BR_{part}of{parts}_{time}.tsv"


def name(part, parts, time="20261012T090000", packing=""):
    return NAME.format(part=part, parts=parts, time=time) + packing


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (name(2, 3), (2, 3)),
        (name(2, 3, packing=".gz"), (2, 3)),
        ("vendas_1of2.csv", (1, 2)),
        ("DSR_Aurora_Onda_Premium_2026-09_BR__20261012T090000.tsv", None),
        ("2of3rds_of_it.csv", None),
        ("a1of2_b.csv", None),
    ],
)
def test_a_name_says_which_part_it_is(file, expected):
    assert part_of(file) == expected


def test_each_part_that_is_missing_is_named():
    assert missing_parts([name(2, 4), "other.csv", name(4, 4)]) == [
        MissingPart(name(2, 4), 1, 4),
        MissingPart(name(2, 4), 3, 4),
    ]


def test_nothing_is_missing_when_all_parts_are_there_in_any_order_and_packing():
    assert missing_parts([name(2, 2, packing=".gz"), name(1, 2), name(1, 1, time="20261013T100000")]) == []


def test_parts_of_another_report_do_not_stand_in():
    other = name(2, 2).replace("Premium", "Gratis")
    assert [(missing.file, missing.part) for missing in missing_parts([name(1, 2), other])] == [
        (name(1, 2), 2),
        (other, 1),
    ]


def test_a_report_sent_again_must_be_complete_by_itself():
    first = [name(1, 2), name(2, 2)]
    again = name(1, 2, time="20261020T120000")
    assert missing_parts([*first, again]) == [MissingPart(again, 2, 2)]
    assert missing_parts([*first, again, name(2, 2, time="20261020T120000")]) == []


def test_parts_stamped_as_they_were_written_belong_together():
    assert missing_parts([name(1, 2), name(2, 2, time="20261012T090107", packing=".gz")]) == []


def test_a_name_that_counts_wrong_asks_for_nothing():
    assert missing_parts([name(3, 2), name(0, 2)]) == []


def test_what_is_missing_is_an_error_that_names_the_part():
    (missing,) = missing_parts([name(1, 2)])
    issue = missing.issue()
    assert (issue.code, issue.severity, issue.file) == (IssueCode.FILE_PART_MISSING, Severity.ERROR, name(1, 2))
    assert str(issue.message) == "part 2 of 2 of this statement is missing"
