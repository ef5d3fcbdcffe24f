"""Institutions have real names and numbers and come in pages; a QR code says what was asked for."""

import base64
import re

import httpx
import pytest

from io_adapters.sandbox.codes import br_code, crc_16

FIELDS = {
    "created_at",
    "is_active",
    "is_compe_participant",
    "name",
    "str_start_date",
    "compe_number",
    "ispb_number",
}
SURE = {
    "001": "00000000",
    "033": "90400888",
    "077": "00416968",
    "104": "00360305",
    "237": "60746948",
    "260": "18236120",
    "290": "08561701",
    "323": "10573521",
    "336": "31872495",
    "341": "60701190",
}
ASKED = {
    "pix_key": "52998224725",
    "amount": 12.34,
    "receiver_conciliation_id": "RP1",
    "occurrence_type": "registration",
    "payer_document_number": "11144477735",
    "payer_name": "Bruno Exemplo",
    "payer_person_type": "natural",
    "payer_request": "royalties de outubro",
    "qr_code_type": "dynamic",
    "additional_data": [{"key_name": "lote", "value": "1"}],
    "expiration_seconds": 60,
}


@pytest.fixture
def page(service):
    def get(**query):
        return service.get("/pix/financial_institutions", params=query).raise_for_status().json()

    return get


@pytest.fixture
def everyone(page):
    return page(page_size=500)["data"]


def test_there_are_institutions_with_all_fields_of_the_interface(everyone):
    assert len(everyone) >= 60
    assert all(set(institution) == FIELDS for institution in everyone)


def test_their_numbers_are_whole_and_nobody_is_there_twice(everyone):
    ispbs = [institution["ispb_number"] for institution in everyone]
    codes = [institution["compe_number"] for institution in everyone if institution["compe_number"] is not None]
    assert all(re.fullmatch(r"[0-9]{8}", ispb) for ispb in ispbs)
    assert all(re.fullmatch(r"[0-9]{3}", code) for code in codes)
    assert (len(set(ispbs)), len(set(codes))) == (len(ispbs), len(codes))
    assert SURE.items() <= {institution["compe_number"]: institution["ispb_number"] for institution in everyone}.items()


def test_some_are_inactive_and_some_have_no_compe_code(everyone):
    assert {institution["is_active"] for institution in everyone} == {True, False}
    assert {institution["is_compe_participant"] for institution in everyone} == {True, False}
    assert {institution["name"] for institution in everyone if institution["compe_number"] is None} >= {
        "Banco Central do Brasil - Selic"
    }


def test_the_pages_together_are_the_list_and_the_last_has_no_next(page, everyone):
    seen, number = [], 1
    while number is not None:
        told = page(page_number=number, page_size=7)
        seen += told["data"]
        pagination = told["pagination"]
        assert pagination["current_page"] == number
        assert pagination["rows_per_page"] == 7
        number = pagination["next_page"]
    assert seen == everyone
    assert (pagination["total_rows"], pagination["total_pages"]) == (len(everyone), -(-len(everyone) // 7))


def test_a_page_beyond_the_last_is_empty(page, everyone):
    told = page(page_number=1000)
    assert (told["data"], told["pagination"]["next_page"]) == ([], None)


def test_the_page_size_that_nobody_asked_for_can_be_set(page, behave):
    assert len(page()["data"]) == 20
    behave(institutions_page_size=3)
    assert len(page()["data"]) == 3


def test_a_name_is_found_whatever_its_case_and_accents(page):
    found = page(name="ITAU")["data"]
    assert {"Itaú Unibanco S.A.", "Banco Itaú BBA S.A."} <= {one["name"] for one in found}
    assert all("Itaú" in one["name"] for one in found)


def test_institutions_are_filtered_by_their_start(page):
    found = page(min_str_start_date="2019-01-01", max_str_start_date="2019-06-24", page_size=500)["data"]
    assert {one["compe_number"] for one in found} >= {"336", "323"}
    assert all("2019-01-01" <= one["str_start_date"] <= "2019-06-24" for one in found)
    assert page(min_str_start_date="2999-01-01")["pagination"]["total_rows"] == 0


@pytest.mark.parametrize(
    "query",
    [
        {"page_number": 0},
        {"page_size": 0},
        {"page_size": 501},
        {"min_str_start_date": "01/01/2019"},
        {"max_str_start_date": "0"},
        {"page": 2},
    ],
)
def test_a_query_that_makes_no_sense_is_refused(service, query):
    answer = service.get("/pix/financial_institutions", params=query)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["query", next(iter(query))]


def test_an_unknown_query_name_is_let_in_where_told_so(page, behave):
    behave(known_fields_only=False)
    assert page(page=2)["pagination"]["current_page"] == 1


def test_an_institution_can_be_made_inactive(page, behave):
    behave(inactive_institutions=["00000000"])
    (one,) = [one for one in page(name="Banco do Brasil")["data"] if one["compe_number"] == "001"]
    assert one["is_active"] is False


def fields_of(payload):
    """Read EMV tag-length-value, independently of how it was written."""
    found = {}
    while payload:
        tag, length = payload[:2], int(payload[2:4])
        found[tag] = payload[4 : 4 + length]
        payload = payload[4 + length :]
    return found


def crc_by_the_book(text):
    register = 0xFFFF
    for bit in (int(bit) for byte in text.encode() for bit in f"{byte:08b}"):
        carried = (register >> 15) ^ bit
        register = (register << 1) & 0xFFFF ^ (0x1021 if carried else 0)
    return f"{register:04X}"


def test_a_qr_code_answers_every_field_and_its_payload_says_what_was_asked(service):
    answer = service.post("/create_pix_qrcode", json=ASKED).raise_for_status().json()
    assert set(answer) == {"amount", "receiver_conciliation_id", "pix_key", "qr_code_key", "base_64", "image"}
    assert (answer["amount"], answer["receiver_conciliation_id"], answer["pix_key"]) == (12.34, "RP1", "52998224725")
    payload = base64.b64decode(answer["base_64"], validate=True).decode("ascii")
    assert payload[-4:] == crc_by_the_book(payload[:-4])
    fields = fields_of(payload)
    account = fields_of(fields["26"])
    assert account == {"00": "br.gov.bcb.pix", "01": "52998224725", "02": "royalties de outubro"}
    assert (fields["53"], fields["54"], fields["58"], fields["01"]) == ("986", "12.34", "BR", "12")
    assert fields_of(fields["62"]) == {"05": "RP1"}


def test_a_qr_code_needs_only_a_key(service, audit):
    told = service.post("/create_pix_qrcode", json={"pix_key": "a" * 77, "qr_code_type": "static"}).json()
    fields = fields_of(base64.b64decode(told["base_64"]).decode())
    assert fields_of(fields["26"])["01"] == "a" * 77
    assert not {"01", "54"} & set(fields)
    assert fields_of(fields["62"]) == {"05": "***"}
    (code,) = audit()["qr_codes"]
    assert code == {
        "at": code["at"],
        "qr_code_key": told["qr_code_key"],
        "amount_cents": None,
        "expiration_seconds": 86_400,
    }


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"pix_key": None}, "pix_key"),
        ({"pix_key": "a" * 78}, "pix_key"),
        ({"pix_key": "chave é"}, "pix_key"),
        ({"amount": 0}, "amount"),
        ({"amount": 10_000_000_000}, "amount"),
        ({"amount": 1.001}, "amount"),
        ({"expiration_seconds": 0}, "expiration_seconds"),
        ({"expiration_seconds": 1.5}, "expiration_seconds"),
        ({"key": "x"}, "key"),
    ],
)
def test_a_qr_code_of_something_impossible_is_refused(service, audit, change, place):
    answer = service.post("/create_pix_qrcode", json=ASKED | change)
    assert answer.status_code == 422
    assert {tuple(found["loc"]) for found in answer.json()["detail"]} == {("body", place)}
    assert audit()["qr_codes"] == []


def test_the_central_banks_own_example_has_the_checksum_it_prints():
    example = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR"
    example += "5913Fulano de Tal6008BRASILIA62070503***6304"
    assert f"{crc_16(example.encode()):04X}" == "1D3D"
    written = br_code(
        "123e4567-e12b-12d1-a456-426655440000",
        None,
        txid="",
        description="",
        reusable=True,
        name="Fulano de Tal",
        city="BRASILIA",
    )
    assert written == f"{example}1D3D"


def test_the_page_says_that_the_qr_code_is_deprecated(sandbox):
    described = httpx.get(sandbox.control_url.replace("/_sandbox", "/openapi.json")).json()
    assert described["paths"]["/external/create_pix_qrcode"]["post"]["deprecated"] is True
