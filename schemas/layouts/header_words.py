"""What headers usually mean, beside what known layouts say: words for columns, and for money that is not the money."""

import re
from typing import Final

from schemas.layouts.headers import fold

# Canonical column -> headers of senders, banks and people in Portuguese, English and Spanish.
_USUAL: Final[dict[str, tuple[str, ...]]] = {
    "period": (
        *("Mês", "Mês de venda", "Competência", "Data", "Date", "Data da venda", "Período de vendas", "Mes", "Fecha"),
        *("Month", "Sale Date", "Sales Date", "Sale Period", "Usage Period", "Transaction Date", "Transaction Month"),
    ),
    "platform": (
        *("Serviço", "Canal", "DSP", "Provider", "Service", "Service Provider", "Digital Service Provider", "Shop"),
        *("Source", "Tienda", "Retailer", "Partner", "Store Name", "Platform Name"),
    ),
    "territory": ("Country", "Country Code", "Region", "Pais de venda", "Country of Sale", "Territorio"),
    "isrc": ("Código ISRC", "ISRC Code", "Track ISRC", "Asset ISRC"),
    "upc": ("EAN", "EAN/UPC", "UPC/EAN", "UPC Code", "Código UPC", "Código de barras", "Barcode", "GTIN"),
    "release": ("Lançamento", "Disco", "Produto", "Album", "Album Title", "Release Title", "Product", "Product Title"),
    "title": ("Música", "Obra", "Canção", "Fonograma", "Track", "Track Name", "Song", "Work Title", "Canción", "Pista"),
    "artist": ("Intérprete", "Artist Name", "Main Artist", "Track Artist", "Track Artists", "Performer", "Artists"),
    "units": ("Qtd", "Qtde", "Unidades", "Streams", "Plays", "Reproduções", "Execuções", "Qty", "Count", "Cantidad"),
    "currency": ("Divisa", "Payment Currency", "Currency Code", "Account Currency"),
    "name": ("Beneficiário", "Titular do pagamento", "Payee"),
    "email": ("Correio eletrônico", "Mail"),
    "reference": ("Observação", "Descrição", "Histórico", "Note"),
}

# What a header says of money: what is left for the client counts for it, what comes before or beside against it.
_WEIGHTS: Final[tuple[tuple[re.Pattern[str], int], ...]] = tuple(
    (re.compile(words), weight)
    for words, weight in (
        ("net|liquid|neto", 4),
        ("apagar|payable|devido|due", 3),
        ("afterfees|afterdeductions|aposdescontos|apostaxas", 6),
        ("royalt|direitos|regalia", 2),
        ("earn|revenue|receipts|receita|amount|valor|importe|montante|share|total", 1),
        ("extended", 1),
        ("gross|brut|retail|preco|price|unit|sale|venda", -4),
        ("rate|percent|share.*in.*out|exchange|conversion|cambio|cotacao", -4),
        ("tax|imposto|vat|fee|taxa|tarifa|commission|comissao|deduc|discount|desconto|shipping|frete", -4),
        ("withh|reti|recoup|advance|adiant|balance|saldo|minimum|minimo|previous|anterior", -4),
        ("original|base|price", -2),
    )
)
_CODE: Final = re.compile(r"\b(?:id|code|number|c[oó]digo|n[uú]mero|n[ºo°])\b|#", re.IGNORECASE)
_CURRENCY: Final = re.compile(
    r"\b(USD|EUR|BRL|GBP|ARS|MXN|CLP|COP|CAD|JPY|CHF)\b|(US\$|\$US)|(R\$)|(€)|(£)", re.IGNORECASE
)
_SIGNS: Final = ("USD", "BRL", "EUR", "GBP")


def usual_columns() -> dict[str, str]:
    """Return folded header -> canonical column, for headers that no known layout need have."""
    return {fold(header): column for column, headers in _USUAL.items() for header in headers}


def money_weight(header: str) -> int:
    """Weigh how much a header sounds like what is left to be paid to the client; 0 when it says nothing of money.

    >>> money_weight("Net Revenue") > money_weight("Gross Revenue"), money_weight("Artist")
    (True, 0)
    """
    if _CODE.search(header):
        return 0
    folded = fold(header)
    return sum(weight for words, weight in _WEIGHTS if words.search(folded)) + (1 if currency_in(header) else 0)


def currency_in(header: str) -> str | None:
    """Return the currency that a header names.

    >>> currency_in("Earnings (USD)"), currency_in("Royalty ($US)"), currency_in("Valor (R$)"), currency_in("Price")
    ('USD', 'USD', 'BRL', None)
    """
    found = _CURRENCY.search(header)
    if found is None:
        return None
    code, *signs = found.groups()
    return code.upper() if code else next(name for sign, name in zip(signs, _SIGNS, strict=True) if sign)
