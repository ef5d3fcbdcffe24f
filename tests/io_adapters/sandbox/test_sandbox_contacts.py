"""The address book follows the interface; where that is silent, the sandbox's assumptions."""

import httpx
import pytest

ANA = {"name": "Ana Exemplo", "tax_id": "529.982.247-25", "email": "ana@example.com"}
SELO = {"name": "Selo Exemplo", "tax_id": "12ABC34501DE35", "email": "selo@example.com"}
CONTACT_FIELDS = {"id", "tax_id", "tax_id_manager", "name", "email", "has_bank_account", "accounts"}
ACCOUNT_FIELDS = {
    "id",
    "bank_name",
    "bank_code",
    "bank_ispb",
    "agency",
    "account_number",
    "account_type",
    "pix_key",
    "pix_key_type",
    "tax_id",
    "tax_id_manager",
    "contact_id",
    "is_favorite",
}
BANK = {
    "name": "Ana Exemplo",
    "bankCode": "001",
    "pspId": "00000000",
    "agency": "1234",
    "account": "56789-0",
    "accountType": "checking_account",
}


@pytest.fixture
def ana(service):
    return service.post("/contacts", json=ANA).raise_for_status().json()


@pytest.fixture
def book(control):
    return lambda: control.get("/contacts").raise_for_status().json()


@pytest.fixture
def with_account(control):
    def add(contact, **account):
        path = f"/contacts/{contact['id']}/accounts"
        told = control.post(path, json=account or {"pixKeyType": "cpf", "pixKey": "52998224725"}).raise_for_status()
        return told.json()["accounts"][-1]

    return add


def delete(service, path, body):
    return service.request("DELETE", path, json=body)


def places(answer):
    assert answer.status_code == 422, answer.text
    return sorted(".".join(map(str, found["loc"])) for found in answer.json()["detail"])


def changes(audit):
    return [change["change"] for change in audit()["contacts"]]


def test_a_new_contact_answers_every_field_of_the_interface_and_has_no_account(ana):
    assert set(ana) == CONTACT_FIELDS
    assert ANA.items() <= ana.items()
    assert (ana["has_bank_account"], ana["accounts"]) == (False, [])


@pytest.mark.parametrize("field", ["name", "tax_id", "email"])
@pytest.mark.parametrize("value", [None, "", 1])
def test_a_contact_needs_a_name_a_tax_id_and_an_email(service, audit, field, value):
    assert places(service.post("/contacts", json=ANA | {field: value})) == [f"body.{field}"]
    assert changes(audit) == []


def test_a_misspelt_field_is_noticed(service):
    assert places(service.post("/contacts", json=ANA | {"e_mail": "x"})) == ["body.e_mail"]


def test_a_second_contact_of_one_tax_id_is_refused_answered_or_created_as_told(service, ana, behave, book):
    other = ANA | {"tax_id": "52998224725", "name": "Outra"}
    assert service.post("/contacts", json=other).status_code == 409
    behave(known_contact="answer")
    assert service.post("/contacts", json=other).json() == ana
    behave(known_contact="create")
    assert service.post("/contacts", json=other).json()["id"] != ana["id"]
    assert [contact["name"] for contact in book()] == ["Ana Exemplo", "Outra"]


@pytest.mark.parametrize("by", ["contact_id", "tax_id"])
def test_an_email_is_changed_by_id_or_tax_id(service, ana, book, by):
    named = {"contact_id": ana["id"], "tax_id": "52998224725"}[by]
    told = service.put("/contacts", json={by: named, "email": "nova@example.com"}).raise_for_status().json()
    assert told == ana | {"email": "nova@example.com"}
    assert book() == [told]


@pytest.mark.parametrize("named", [{}, {"contact_id": None, "tax_id": None}, {"contact_id": ""}])
def test_an_email_update_without_contact_id_and_tax_id_is_refused(service, ana, named):
    assert places(service.put("/contacts", json={"email": "nova@example.com"} | named)) == ["body"]


def test_an_email_update_without_email_is_refused(service, ana):
    assert places(service.put("/contacts", json={"contact_id": ana["id"]})) == ["body.email"]


def test_whom_the_sandbox_does_not_know_is_not_found(service, ana):
    stranger = {"contact_id": ana["id"], "tax_id": SELO["tax_id"]}
    answers = [
        service.put("/contacts", json=stranger | {"email": "nova@example.com"}),
        delete(service, "/contacts", stranger),
        delete(service, "/contacts/accounts", {"account_id": "none"}),
        service.post("/contacts/accounts_favorite", params={"account_id": "none"}),
    ]
    assert [answer.status_code for answer in answers] == [404] * 4


def test_a_deleted_contact_takes_its_accounts_along(service, ana, with_account, book, audit):
    account = with_account(ana)
    answer = delete(service, "/contacts", {"tax_id": ANA["tax_id"]}).raise_for_status().json()
    assert answer["id"] == ana["id"]
    assert book() == []
    assert service.post("/contacts/accounts_favorite", params={"account_id": account["id"]}).status_code == 404
    assert delete(service, "/contacts", {"contact_id": ana["id"]}).status_code == 404
    assert changes(audit) == ["created", "account_learned", "deleted"]


def test_a_deletion_that_names_nobody_is_refused(service, ana, book):
    assert places(delete(service, "/contacts", {})) == ["body"]
    assert len(book()) == 1


def test_deletions_answer_nothing_where_told_so(service, ana, with_account, behave):
    behave(delete_answers="nothing")
    account = delete(service, "/contacts/accounts", {"account_id": with_account(ana)["id"]})
    contact = delete(service, "/contacts", {"contact_id": ana["id"]})
    assert [(answer.status_code, answer.content) for answer in (account, contact)] == [(204, b"")] * 2


def test_an_account_is_deleted_alone(service, ana, with_account, book):
    gone, kept = with_account(ana), with_account(ana, **BANK)
    assert delete(service, "/contacts/accounts", {"account_id": gone["id"]}).json()["id"] == gone["id"]
    (contact,) = book()
    assert (contact["has_bank_account"], contact["accounts"]) == (True, [kept])


def test_a_contact_has_one_favourite_at_most(service, ana, with_account, book, audit):
    first, second = with_account(ana), with_account(ana, **BANK)
    assert not first["is_favorite"]
    for account in (first, second, second):
        answer = service.post("/contacts/accounts_favorite", params={"account_id": account["id"]}).json()
        assert answer == account | {"is_favorite": True}
    assert [account["is_favorite"] for account in book()[0]["accounts"]] == [False, True]
    assert changes(audit)[-3:] == ["account_favored"] * 3


@pytest.mark.parametrize("query", [{}, {"account_id": ""}, {"id": "x"}, {"account_id": "x", "id": "x"}])
def test_marking_a_favourite_needs_the_account_and_nothing_else(service, query):
    assert service.post("/contacts/accounts_favorite", params=query).status_code == 422


def test_a_contact_learns_its_accounts_from_the_reports_that_name_its_tax_id(service, ana, create, payment, book):
    create(payment("a", 1, taxId="52998224725", bankAccount=BANK), payment("b", 1, taxId=SELO["tax_id"]))
    (contact,) = book()
    (account,) = contact["accounts"]
    assert set(account) == ACCOUNT_FIELDS
    assert (
        account.items()
        >= {
            "bank_name": "Banco do Brasil S.A.",
            "bank_code": "001",
            "bank_ispb": "00000000",
            "agency": "1234",
            "account_number": "56789-0",
            "account_type": "checking_account",
            "pix_key": None,
            "tax_id": "52998224725",
            "tax_id_manager": "12ABC34501DE35",
            "contact_id": ana["id"],
            "is_favorite": False,
        }.items()
    )


def test_a_destination_is_learned_once_and_kept_with_its_mark(service, ana, create, payment, book):
    create(payment("a", 1, bankAccount=BANK))
    account = book()[0]["accounts"][0]
    service.post("/contacts/accounts_favorite", params={"account_id": account["id"]}).raise_for_status()
    create(payment("b", 1, bankAccount=BANK | {"account": "567890"}), payment("c", 1))
    bank, pix = book()[0]["accounts"]
    assert bank == account | {"is_favorite": True}
    assert (pix["pix_key"], pix["pix_key_type"]) == ("c@example.com", "email")


def test_the_audit_counts_changes_and_names_nobody(service, ana, control):
    service.put("/contacts", json={"contact_id": ana["id"], "email": "nova@example.com"})
    answer = control.get("/audit")
    assert [change["contact_id"] for change in answer.json()["contacts"]] == [ana["id"]] * 2
    for private in (ANA["name"], ANA["email"], "nova@", "52998224725", ANA["tax_id"]):
        assert private not in answer.text


def test_contacts_outlive_the_sandbox(tmp_path):
    from io_adapters.sandbox import EmbeddedSandbox

    told = []
    for _ in range(2):
        with EmbeddedSandbox(tmp_path / "sandbox.sqlite") as sandbox:
            headers = {"Authorization": sandbox.api_key}
            httpx.post(f"{sandbox.url}/contacts", json=ANA, headers=headers)
            told.append(httpx.get(f"{sandbox.control_url}/contacts").json())
            requests = httpx.get(f"{sandbox.control_url}/audit").json()["requests"]
    assert told[0] == told[1] != []
    assert requests == {"POST /contacts": 2}
