"""Keys: whatever people write as a reference, no two obligations share one, and none is taken for one of ours."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.plan import JobIdentity, numbered
from schemas.values.names import normal_reference

ANA, PAYER = "10100000126", "12ABC34501DE35"
HERE = JobIdentity("selo", PAYER, "2026-10", "BRL")
WORDS = st.sampled_from(["royalties", "owner", "=", "/", "2", "", "Royalties", " ", "disco"])
REFERENCES = st.lists(WORDS, max_size=4).map("".join)
NUMBERS = st.integers(min_value=1, max_value=40)


@given(REFERENCES, REFERENCES)
def test_two_references_are_two_keys_unless_they_differ_in_spelling_alone(one, other):
    alike = normal_reference(one) == normal_reference(other)
    assert (HERE.payment_key(ANA, one) == HERE.payment_key(ANA, other)) == alike


@given(REFERENCES, NUMBERS)
def test_a_respelled_reference_is_the_same_payment_and_so_is_its_second_one(reference, number):
    again = f" {reference.upper()}\u00a0"
    assert HERE.payment_key(ANA, again, number) == HERE.payment_key(ANA, reference, number)


@given(REFERENCES, NUMBERS)
def test_no_reference_of_a_payments_row_reaches_royalties_or_the_owner_s_part(reference, number):
    # The payer may be paid by a row too, and may have royalties.
    for payee in (ANA, PAYER):
        key = HERE.payment_key(payee, reference)
        assert key not in {HERE.royalty_key(payee, number), HERE.owner_key(number)}


@given(NUMBERS, NUMBERS)
def test_royalties_and_the_owner_s_part_are_numbered_apart(one, other):
    assert (HERE.royalty_key(PAYER, one) == HERE.royalty_key(PAYER, other)) == (one == other)
    assert HERE.royalty_key(PAYER, one) != HERE.owner_key(other)


def test_a_key_is_of_one_job_payer_period_currency_and_payee():
    elsewhere = [
        replace(HERE, job="outro"),
        replace(HERE, payer=ANA),
        replace(HERE, period="2026-11"),
        replace(HERE, currency="USD"),
    ]
    keys = {identity.royalty_key(ANA) for identity in (HERE, *elsewhere)} | {HERE.royalty_key(PAYER)}
    assert len(keys) == 6


def test_a_key_never_changes_from_one_version_to_the_next():
    # Keys are in ledgers and in the service for good: whoever changes this line pays everybody twice.
    assert HERE.payment_key(ANA, "") == "ob-oird42b3dm7maaqyah4f5td56i"
    assert HERE.royalty_key(ANA) == "ob-xwmw4dupop2k7eeinqforcngkc"
    assert HERE.owner_key(2) == "ob-dsa6bthy55uribqn6njwpw7zb4"


def test_the_first_of_its_kind_bears_no_number():
    assert [numbered("royalties", n) for n in (1, 2, 10)] == ["royalties", "royalties/2", "royalties/10"]
