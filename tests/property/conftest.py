"""How many cases are tried: few in every run, many with `pytest tests/property --hypothesis-profile=thorough`."""

import tests.hypothesis_profile  # noqa: F401 - so that a profile can be named on the command line
