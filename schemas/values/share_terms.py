"""Why a share gives another part in one period than its row states: the tier it has of the lines, and its cap.

Tables keep it as one text beside the part that it came to: "100000|1/52||100000|" is 10 % of 1/52 of the lines, which
is how much of them fell below 100,000.
"""

from fractions import Fraction
from typing import NamedTuple

from schemas.values.millionths import OF_PRICE, number_text


class ShareTerms(NamedTuple):
    """What a share states, and what of it a period gives.

    Attributes:
        stated: Millionths, or money a unit behind "@", as the row has it; of a price, the part and the price that lines
            have in the job's currency, with "@" between ("%100000@20*5.4" is 10 % of 20 at a rate of 5.4).
        part: How much of that the period gives.
        tier_from, tier_to, cap: As `schemas.tables.royalties.Shares` has them.
    """

    stated: str
    part: Fraction = Fraction(1)
    tier_from: str = ""
    tier_to: str = ""
    cap: str = ""

    @property
    def text(self) -> str:
        return "|".join((self.stated, number_text(self.part), self.tier_from, self.tier_to, self.cap))


def read_terms(text: str) -> ShareTerms | None:
    """Read what tables keep; None for a share that gives what it states."""
    if not text:
        return None
    stated, part, *bounds = text.split("|")
    return ShareTerms(stated, Fraction(part), *bounds)


def stated_share(text: str, share_ppm: str) -> str:
    """Return what a share states, in whatever part of it a period gives, and of whatever price."""
    terms = read_terms(text)
    if terms is None:
        return share_ppm
    return terms.stated.split("@")[0] if terms.stated.startswith(OF_PRICE) else terms.stated
