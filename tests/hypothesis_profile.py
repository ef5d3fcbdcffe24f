"""How hypothesis searches: the same cases in every run, in whatever time the machine takes for them.

`make test` tries 25 cases of each property, `make test-long` a hundred (`--hypothesis-profile=long`).

Derandomized, since a run that failed must fail again for whoever looks into it, and a change must not be stopped by a
case that it did not cause. New cases are looked for on purpose: `pytest tests/property --hypothesis-profile=thorough`.
No deadline, and no check of how quick the making of cases is: both judge the machine.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repasse",
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("repasse"), max_examples=100)
settings.register_profile(
    "thorough", settings.get_profile("repasse"), derandomize=False, max_examples=2_000, print_blob=True
)
