"""What people read is in a payments clerk's words: no image, no riddle, no machine's noun.

Held constant: the list of words that once stood there and made somebody stumble, each with what is said instead. What
varies: both catalogues, and the pages that finance people read.
"""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "schemas" / "locale"
# A word that is not said -> what is.
PORTUGUESE = {
    r"obriga(ção|ções)": "pagamento, código do pagamento",
    r"cuida da instalação": "o administrador",
    r"trazid[oa]s?|levad[oa]s? adiante|levar adiante": "saldo anterior, saldo seguinte",
    r"olh(ar|ada|e)": "conferir, consultar",
    r"por si": "automaticamente, separadamente",
    r"livros": "registros",
    r"sim de": "aprovação",
    r"sem dono": "sem participação cadastrada",
    r"à parte(?! do)|palavra de (uma pessoa|alguém)|pasta de trabalhos|um fio a menos": "",
    r"RemoteProtocolError|KeyError|Traceback": "sem resposta do serviço",
}
ENGLISH = {
    r"obligations?(?!\})": "payment, payment code",
    r"looks after the installation": "the administrator",
    r"anew": "again",
    r"meanwhile": "since",
    r"books": "records, accounts",
    r"(person|people|somebody)'s word": "approval, decision",
    r"RemoteProtocolError|KeyError|Traceback": "no answer from the service",
}
PAGES = {"pt_BR": ["docs/guia.md", "docs/regras.md"], "en": []}
WORDS = {"pt_BR": PORTUGUESE, "en": ENGLISH}
FORBIDDEN = [(language, word) for language, words in WORDS.items() for word in words]
# Regulations and rules of allocation have a word of their own there.
LEFT = {"docs/regras.md": {r"à parte(?! do)|palavra de (uma pessoa|alguém)|pasta de trabalhos|um fio a menos"}}


def texts(language):
    """Yield where each text for people stands, and the text without the names of its facts."""
    for message in read_po((LOCALE / f"{language}.po").open("rb")):
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        yield from ((str(message.id), re.sub(r"\{\w+\}", "", form)) for form in forms if message.id)
    for page in PAGES[language]:
        prose = re.sub(r"`[^`\n]+`", "", (ROOT / page).read_text("utf-8"))
        yield from ((page, line) for line in prose.splitlines())


@pytest.mark.parametrize(
    ("language", "word"), [(language, word) for language, words in WORDS.items() for word in words]
)
def test_a_word_that_made_people_stumble_is_said_nowhere(language, word):
    found = re.compile(rf"(?<![\w-])(?:{word})(?![\w-])", re.IGNORECASE)
    said = [(where, text) for where, text in texts(language) if found.search(text) and word not in LEFT.get(where, ())]
    assert said == [], WORDS[language][word]


def test_the_list_finds_what_it_forbids():
    assert sum(1 for _ in texts("pt_BR")) > 2_000
    assert re.search(rf"(?<![\w-])(?:{next(iter(PORTUGUESE))})(?![\w-])", "Chave da obrigação")
