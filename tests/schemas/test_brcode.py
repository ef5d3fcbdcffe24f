"""A BR Code is taken apart exactly, and what is wrong with one is told."""

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.messages import render
from schemas.values.brcode import BrCodeProblem, check_brcode, crc16, read_brcode

STATIC = (
    "00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123"
    "5204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***6304"
)
WITH_AMOUNT = STATIC.replace("5802BR", "540510.005802BR")
DYNAMIC = (
    "00020126740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87"
    "5204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***6304"
)
RECURRING = (
    "00020126180014br.gov.bcb.pix5204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***"
    "80780014br.gov.bcb.pix2556payload.psp.com/rec/3ec9d2f9-5f03-4e0e-820d-63a81e769e876304"
)
# From the test suite of pix-utils (MIT), with changes of our own at the end.
CASES = [
    (STATIC + "62CA", []),
    (STATIC.replace("26510014", "26630014").replace("Pedido 123", "Pedido 123030812341234") + "901C", []),
    (DYNAMIC + "42C5", []),
    (RECURRING + "A8B8", []),
    (WITH_AMOUNT + "0DC6", []),
    (WITH_AMOUNT + "0dc6", ["CRC_LOWER_CASE"]),
    (WITH_AMOUNT + "0DC6 ", ["TRAILING"]),
    (WITH_AMOUNT + "0dc6\n", ["CRC_LOWER_CASE", "TRAILING"]),
    (WITH_AMOUNT + "0DC7", ["CRC_DIFFERS"]),
    (
        (
            "00020126330014BR.GOV.BCB.PIX011111438374798520400005303986540510.005802BR5908John Doe6009Sao Paulo"
            "62120508123456786304"
        ),
        ["MALFORMED", "CRC_MISSING"],
    ),
]


def tlv(*fields):
    return "".join(f"{id_}{len(value):02}{value}" for id_, value in fields)


def code(*changed, key="ana@example.com"):
    """A code with some fields changed, or left out where None; its CRC fits."""
    fields = {
        "00": "01", "26": tlv(("00", "br.gov.bcb.pix"), ("01", key)), "52": "0000", "53": "986", "54": "12.34",
        "58": "BR", "59": "ANA", "60": "SAO PAULO", "62": tlv(("05", "***")),
    }  # fmt: skip
    head = tlv(*((id_, value) for id_, value in (fields | dict(changed)).items() if value is not None)) + "6304"
    return head + crc16(head)


def names(problems):
    return [problem.name for problem in problems]


def test_the_check_digits_are_those_of_the_standard():
    assert crc16("123456789") == "29B1"


@pytest.mark.parametrize(("payload", "problems"), CASES)
def test_known_codes_are_judged_as_the_banks_judge_them(payload, problems):
    assert names(read_brcode(payload).problems) == problems


def test_what_a_code_says_is_read():
    found = read_brcode(WITH_AMOUNT + "0DC6").code
    assert (found.key, found.amount, found.amount_cents, found.txid) == ("thalesog@me.com", "10.00", 1000, "***")
    assert (found.currency, found.country, found.merchant_name, found.merchant_city) == (
        "986", "BR", "THALES OGLIARI", "SAO MIGUEL DO O",
    )  # fmt: skip
    dynamic = read_brcode(DYNAMIC + "42C5").code
    assert (dynamic.key, dynamic.url) == (None, "payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87")
    assert read_brcode(RECURRING + "A8B8").code.recurrence_url.startswith("payload.psp.com/rec/")


def test_nothing_of_a_person_is_in_a_codes_repr():
    reading = read_brcode(WITH_AMOUNT + "0DC6")
    assert "thales" not in repr(reading).lower()


@pytest.mark.parametrize("name", ["br.gov.bcb.pix", "BR.GOV.BCB.PIX", "Br.Gov.bcb.Pix"])
@pytest.mark.parametrize("template", ["26", "33", "51"])
def test_pix_is_found_in_any_case_and_template(name, template):
    payload = code(("26", None), (template, tlv(("00", name), ("01", "ana@example.com"))))
    assert check_brcode(payload, pix_key="ana@example.com", amount_cents=1234) == ()


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (("26", tlv(("00", "com.example"), ("01", "x"))), "NOT_PIX"),
        (("26", "no fields"), "NOT_PIX"),
        (("26", None), "NOT_PIX"),
        (("26", tlv(("00", "br.gov.bcb.pix"))), "NO_DESTINATION"),
        (("53", "840"), "NOT_BRL"),
        (("53", None), "NOT_BRL"),
        (("58", "AR"), "NOT_BRAZIL"),
        (("54", "12,34"), "AMOUNT_UNREADABLE"),
        (("54", "-1.00"), "AMOUNT_UNREADABLE"),
        (("54", "1.005"), "AMOUNT_UNREADABLE"),
        (("59", "A" * 26), "TOO_LONG"),
        (("60", "S" * 16), "TOO_LONG"),
        (("62", tlv(("05", "x" * 26))), "TOO_LONG"),
        (("00", None), "MALFORMED"),
        (("00", "02"), "MALFORMED"),
    ],
)
def test_each_rule_of_a_code_is_told_when_it_is_broken(changed, problem):
    assert names(read_brcode(code(changed)).problems) == [problem]


def test_a_code_may_be_as_long_as_the_specification_lets_it_be():
    longest = code(("59", "A" * 25), ("60", "S" * 15), ("62", tlv(("05", "x" * 25))))
    assert read_brcode(longest).problems == ()


@pytest.mark.parametrize(("text", "cents"), [("10", 1000), ("10.", 1000), ("10.5", 1050), ("0.01", 1)])
def test_an_amount_may_be_written_with_fewer_decimals(text, cents):
    assert read_brcode(code(("54", text))).code.amount_cents == cents


def test_a_field_that_stands_twice_is_no_code():
    head = tlv(("00", "01"), ("53", "986"), ("53", "986")) + "6304"
    assert names(read_brcode(head + crc16(head)).problems) == ["MALFORMED"]


@pytest.mark.parametrize("unseen", ["\x1b", "\x07", "\n", "\u202e", "\u200b", "\udc80"])
def test_a_code_that_holds_what_nobody_sees_is_no_code(unseen):
    head = STATIC.replace("THALES OGLIARI", f"THALES{unseen}OGLIARI")
    assert names(read_brcode(head + crc16(head)).problems) == ["MALFORMED"]


def test_a_code_that_pays_another_key_or_amount_is_told():
    payload = code()
    assert check_brcode(payload, pix_key="ana@example.com", amount_cents=1234) == ()
    assert names(check_brcode(payload, pix_key="eva@example.com", amount_cents=1234)) == ["KEY_DIFFERS"]
    assert names(check_brcode(payload, pix_key="ana@example.com", amount_cents=1235)) == ["AMOUNT_DIFFERS"]
    assert names(check_brcode(code(("54", None)), amount_cents=1234)) == ["AMOUNT_NOT_SHOWN"]
    assert names(check_brcode(DYNAMIC + "42C5", pix_key="a")) == ["KEY_NOT_SHOWN"]
    assert check_brcode(payload) == ()


@pytest.mark.parametrize(
    ("shown", "asked"),
    [("ANA@example.com", "ana@example.com"), ("52998224725", "529.982.247-25"), ("12ABC34501DE35", "12abc34501de35")],
)
def test_one_key_written_in_two_ways_is_one_key(shown, asked):
    assert check_brcode(code(key=shown), pix_key=asked) == ()


def test_only_what_cannot_be_compared_leaves_something_open():
    assert {problem.name for problem in BrCodeProblem if problem.leaves_open} == {"KEY_NOT_SHOWN", "AMOUNT_NOT_SHOWN"}


@given(st.integers(0, len(WITH_AMOUNT) + 3), st.sampled_from(string.ascii_letters + string.digits + " .-"))
def test_no_changed_character_goes_unnoticed(at, character):
    whole = WITH_AMOUNT + "0DC6"
    changed = whole[:at] + character + whole[at + 1 :]
    assert changed == whole or check_brcode(changed)


@given(st.text() | st.text(alphabet="0123456789", max_size=40).map(lambda text: "000201" + text))
def test_no_text_makes_reading_fail(text):
    for payload in (text, text + "6304" + crc16(text + "6304")):
        reading = read_brcode(payload)
        assert reading.code is not None or reading.problems


def render_in(problem, language):
    return render(f"brcode.{problem.name.lower()}", language)


@pytest.mark.parametrize(("problem", "language"), list(itertools.product(BrCodeProblem, ["pt-BR", "en"])))
def test_every_problem_has_words_of_its_own(problem, language):
    assert render_in(problem, language).endswith(".")
    other = {render_in(one, language) for one in BrCodeProblem if one is not problem}
    assert render_in(problem, language) not in other | {render_in(problem, "en" if language == "pt-BR" else "pt-BR")}
