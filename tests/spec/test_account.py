"""What is owed, and a month: in which column a sum stands."""

from schemas.account import GROUPS
from schemas.plan import Inferred
from tests.spec.tables import table

COLUMNS = """
    | column      | where the sum is                                                              |
    | tax         | tax                                                                           |
    | recouped    | recouped                                                                      |
    | carried_out | carried                                                                       |
    | held        | held, conflict, withheld                                                      |
    | open        | planned, not_sent, in_doubt, processing, undetermined, refused, failed, INFERRED |
    | paid        | paid, paid_less_tax                                                           |
    | owner       | owner                                                                         |
    | income_tax  | income_tax                                                                    |
    | excluded    | excluded                                                                      |
    | duplicate   | duplicate                                                                     |
"""


def test_each_place_of_a_sum_has_its_column():
    inferred = ", ".join(value.value for value in Inferred)  # of a partial report, by its figures alone
    columns = COLUMNS.replace("INFERRED", inferred)
    drawn = {row["column"]: set(row["where the sum is"].split(", ")) for row in table(columns)}
    assert drawn == {column: {str(place) for place in places} for column, places in GROUPS.items()}
