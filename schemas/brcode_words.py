"""What there is to say about a QR code, for people."""

from typing import Final

from schemas.brcode import BrCodeProblem

_EN: Final[dict[BrCodeProblem, str]] = {
    BrCodeProblem.MALFORMED: "The code's fields do not add up: it was cut or changed. Do not use it.",
    BrCodeProblem.CRC_MISSING: "The code does not end in its check digits: it was cut. Do not use it.",
    BrCodeProblem.CRC_DIFFERS: "The code's check digits do not fit: it was changed. Do not use it.",
    BrCodeProblem.CRC_LOWER_CASE: "The code's check digits are in lower case; some banks refuse that.",
    BrCodeProblem.TRAILING: "Something, a blank perhaps, stands behind the code; copy it without that.",
    BrCodeProblem.NOT_PIX: "This is a QR code, but not one of Pix.",
    BrCodeProblem.NO_DESTINATION: "The code names neither a Pix key nor the address of a charge.",
    BrCodeProblem.NOT_BRL: "The code's currency is not the real.",
    BrCodeProblem.NOT_BRAZIL: "The code's country is not Brazil.",
    BrCodeProblem.AMOUNT_UNREADABLE: "The code's amount cannot be read.",
    BrCodeProblem.KEY_DIFFERS: "The code pays another Pix key than the one asked for. Do not use it.",
    BrCodeProblem.AMOUNT_DIFFERS: "The code asks for another amount than the one asked for. Do not use it.",
    BrCodeProblem.KEY_NOT_SHOWN: "The code does not show the Pix key, so it could not be compared.",
    BrCodeProblem.AMOUNT_NOT_SHOWN: "The code does not show the amount, so it could not be compared.",
}
_PT: Final[dict[BrCodeProblem, str]] = {
    BrCodeProblem.MALFORMED: "Os campos do código não fecham: foi cortado ou alterado. Não o use.",
    BrCodeProblem.CRC_MISSING: "O código não termina com o seu verificador: foi cortado. Não o use.",
    BrCodeProblem.CRC_DIFFERS: "O verificador do código não confere: foi alterado. Não o use.",
    BrCodeProblem.CRC_LOWER_CASE: "O verificador do código está em minúsculas; alguns bancos recusam.",
    BrCodeProblem.TRAILING: "Há algo depois do código, talvez um espaço; copie sem isso.",
    BrCodeProblem.NOT_PIX: "É um QR code, mas não do Pix.",
    BrCodeProblem.NO_DESTINATION: "O código não traz chave Pix nem o endereço de uma cobrança.",
    BrCodeProblem.NOT_BRL: "A moeda do código não é o real.",
    BrCodeProblem.NOT_BRAZIL: "O país do código não é o Brasil.",
    BrCodeProblem.AMOUNT_UNREADABLE: "O valor do código não pode ser lido.",
    BrCodeProblem.KEY_DIFFERS: "O código paga a outra chave Pix, não à pedida. Não o use.",
    BrCodeProblem.AMOUNT_DIFFERS: "O código cobra outro valor, não o pedido. Não o use.",
    BrCodeProblem.KEY_NOT_SHOWN: "O código não mostra a chave Pix; ela não pôde ser comparada.",
    BrCodeProblem.AMOUNT_NOT_SHOWN: "O código não mostra o valor; ele não pôde ser comparado.",
}
_DEPRECATED: Final = {
    "en": "The service has deprecated this way of making QR codes and names another; it may go away.",
    "pt": "O serviço desaconselha esta forma de gerar QR codes e indica outra; ela pode deixar de existir.",
}
_UNCHECKED: Final = {
    "en": "What came back holds no text of a Pix code (a picture, perhaps): key and amount could not be checked. "
    "Look at them in the bank's app before paying.",
    "pt": "A resposta não traz o texto de um código Pix (talvez uma imagem): chave e valor não puderam ser conferidos. "
    "Confira-os no aplicativo do banco antes de pagar.",
}


def in_words(problem: BrCodeProblem, language: str) -> str:
    """Say a problem in `pt-BR` (or any other pt), else in English."""
    return (_PT if _is_pt(language) else _EN)[problem]


def deprecation_in_words(language: str) -> str:
    """Say that QR codes are made in a way the service has deprecated."""
    return _DEPRECATED["pt" if _is_pt(language) else "en"]


def unchecked_in_words(language: str) -> str:
    """Say that an answer holds nothing to check."""
    return _UNCHECKED["pt" if _is_pt(language) else "en"]


def _is_pt(language: str) -> bool:
    return language.casefold().startswith("pt")
