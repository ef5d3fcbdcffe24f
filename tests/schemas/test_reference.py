"""References: however one is typed, it stays the same; and what people mean as two stays two."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.values.names import normal_reference

ALIKE = [
    (
        "Nota 17",
        ["nota 17", "NOTA 17", "Nota  17", " Nota 17 ", "Nota\u00a017", "Nota\u202f17", "Nota\t17", "Nota 17."],
    ),
    ("Nota 17", ["Nota nº 17", "Nota n° 17", "Nota no 17", "Nota no. 17", "Nota n.º 17", "Nota Nº17", "Nota № 17"]),
    ("Nota 17", ["Nota número 17", "Nota num. 17", "Nota nr. 17", "Nota n. 17", "Nota #17", "Nota 017", "Nota 17;"]),
    ("17", ["17.0", "17,0", "17,00", "17,", "17.", "017", "nº 17", "'17", "１７", "\u200b17", "17\u00ad"]),
    ("1234", ["1.234", "1,234", "1234.0", "01234"]),
    ("17.5", ["17,5", "17,50", "17.50"]),
    ("NF-17", ["NF–17", "NF—17", "NF − 17", "nf - 17", "NF‑17", "NF‐17", "NF－17"]),
    ("Gravação", [unicodedata.normalize("NFD", "Gravação"), "GRAVAÇÃO", "grava\u200dção", "Gravação \ufe0f"]),
    ("D'Ávila", ["D’Ávila", "d´ávila", "D`Ávila"]),
    ("parcela 01/12", ["Parcela 1/12", "parcela 1 / 12", "parcela 1⁄12"]),
    ("Straße", ["STRASSE", "strasse"]),
    ("", [" ", "\u00a0", "\u200b", "."]),
]


@pytest.mark.parametrize(("typed", "again"), [(typed, again) for typed, others in ALIKE for again in others])
def test_a_reference_that_is_typed_otherwise_is_the_same(typed, again):
    assert normal_reference(again) == normal_reference(typed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nota 17", "Nota 18"),
        ("Nota 17", "Nota 170"),
        ("", "17"),
        ("show", "show 2"),
        ("show 1", "show 1/2"),
        ("1.05", "1.5"),
        ("2026-10", "2026-1"),
        ("avô", "avó"),
        ("17", "-17"),
        ("piano 17", "pia 17"),
        ("lote n17", "lote 17"),
        ("2.0.1", "2.1"),
        ("Acústico 2.0", "Acústico 2"),
    ],
)
def test_what_people_mean_as_two_references_stays_two(one, other):
    assert normal_reference(one) != normal_reference(other)


@given(st.text(max_size=30))
def test_the_normal_form_of_a_normal_form_is_itself(text):
    form = normal_reference(text)
    assert normal_reference(form) == form


BLANKS = st.sampled_from([" ", "  ", "\u00a0", "\u2009", "\t", " \u200b "])
DASHES = st.sampled_from(["-", "–", "—", "−", "‐", "‑", " - "])
SPELLINGS = st.sampled_from([str.upper, str.lower, str.title, str])
FORMS = st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"])
WORDS = st.lists(st.sampled_from(["nota", "gravação", "show", "são", "nf", "17", "2026", "nº", "abc"]), max_size=4)


@given(WORDS, WORDS, st.data())
def test_respelling_never_changes_the_normal_form(before, after, data):
    plain = " ".join(before) + "-" + " ".join(after)
    spelled = data.draw(DASHES).join(data.draw(BLANKS).join(words) for words in (before, after))
    respelled = unicodedata.normalize(data.draw(FORMS), data.draw(SPELLINGS)(spelled))
    padded = data.draw(BLANKS) + respelled + data.draw(st.sampled_from(["", ".", " ", ",", "\u00ad"]))
    assert normal_reference(padded) == normal_reference(plain)
