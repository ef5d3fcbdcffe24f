"""The one place for what makes a person look twice at a payee before a plan is approved."""

from typing import Final

# "Much above their own history": a period's sum that is at least this many times the median of the payee's last sums
# (as many as there are, up to this number), and above that median by at least this much.
MUCH_ABOVE_TIMES: Final = 3
AMOUNTS_LOOKED_AT: Final = 12
MUCH_ABOVE_BY_CENTS: Final = 100_00

# A decimal mark that was lost: the sum, or one payment, is exactly this many times one of the last period.
SLIP_TIMES: Final = 100
