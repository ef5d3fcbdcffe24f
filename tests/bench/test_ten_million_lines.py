"""Ten million lines come to the centavo they were made to come to, in the memory that 300,000 take."""

from time import perf_counter

import pytest

from tests.bench.conftest import Figures
from tests.property.test_ten_million_lines import assert_all_lines_come_out

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

LINES = 10_000_000
FEW = 300_000
MOST_MORE = 1.5


def test_ten_million_lines_come_to_the_centavo_they_were_made_to_come_to(figures: Figures):
    few_mb = assert_all_lines_come_out(FEW)
    began = perf_counter()
    taken_mb = assert_all_lines_come_out(LINES)
    figures.add(f"make up and add up {LINES:,} lines, in {taken_mb} MB of memory", perf_counter() - began)
    assert taken_mb < MOST_MORE * few_mb
