"""How many cases are tried: few in every run, many with `pytest tests/property --hypothesis-profile=thorough`."""

from hypothesis import settings

settings.register_profile("thorough", max_examples=2_000)
