"""What a drafted layout says to the person who finishes it."""

from typing import Final

_EN: Final = {
    "head": "A draft, made from the first rows of a file. What says CONFIRM is a guess: look at the file, correct the\n"
    "line, and take the comment away. Then name this file in the job: layout: {name}.yaml",
    "title": "CONFIRM: which sender, and which of its exports",
    "table": "CONFIRM: one row, one payment",
    "recognise": "CONFIRM: headers that together only this sender has",
    "sheet": "CONFIRM: the only sheet with the money, and no other repeats it",
    "column": "CONFIRM",
    "rivals": "CONFIRM: or is it {others}?",
    "money": "CONFIRM: what is left for you; also money: {others}",
    "only_money": "CONFIRM: that this is what is left for you, after the sender's part",
    "no_amount": "no column looks like the money to be paid; it is required",
    "decoy": "other layouts do not read it",
    "rival": "could be {column}",
    "maybe_money": "CONFIRM: looks like money; not what is left for you?",
    "unknown": "not known: put each under columns, or under ignored",
    "decimal": "CONFIRM: the first rows show it",
    "dates": "CONFIRM: the first rows show it",
    "dates_open": "CONFIRM: the first rows read both ways; day_first or month_first?",
    "currency": "CONFIRM: named in the header {header}",
    "no_currency": "CONFIRM: no column and no header names the currency",
    "totals": "CONFIRM: rows that begin with these words are totals",
    "header_row": "the header was found in row {row}",
    "nothing": "no row of this file looks like a header above numbers",
}

_PT: Final = {
    "head": "Rascunho, feito das primeiras linhas de um arquivo. O que diz CONFIRMAR é palpite: olhe o arquivo,\n"
    "corrija a linha e apague o comentário. Depois indique este arquivo no trabalho: layout: {name}.yaml",
    "title": "CONFIRMAR: qual remetente, e qual dos relatórios dele",
    "table": "CONFIRMAR: uma linha, um pagamento",
    "recognise": "CONFIRMAR: cabeçalhos que, juntos, só este remetente tem",
    "sheet": "CONFIRMAR: é a única aba com o dinheiro, e nenhuma outra o repete",
    "column": "CONFIRMAR",
    "rivals": "CONFIRMAR: ou é {others}?",
    "money": "CONFIRMAR: o que sobra para você; também são dinheiro: {others}",
    "only_money": "CONFIRMAR: que isto é o que sobra para você, depois da parte do remetente",
    "no_amount": "nenhuma coluna parece o dinheiro a pagar; ela é obrigatória",
    "decoy": "outros leiautes não a leem",
    "rival": "poderia ser {column}",
    "maybe_money": "CONFIRMAR: parece dinheiro; não é o que sobra para você?",
    "unknown": "desconhecidos: ponha cada um em columns ou em ignored",
    "decimal": "CONFIRMAR: é o que mostram as primeiras linhas",
    "dates": "CONFIRMAR: é o que mostram as primeiras linhas",
    "dates_open": "CONFIRMAR: as primeiras linhas se leem dos dois modos; day_first ou month_first?",
    "currency": "CONFIRMAR: está no cabeçalho {header}",
    "no_currency": "CONFIRMAR: nenhuma coluna e nenhum cabeçalho diz a moeda",
    "totals": "CONFIRMAR: linhas que começam com estas palavras são totais",
    "header_row": "o cabeçalho foi encontrado na linha {row}",
    "nothing": "nenhuma linha deste arquivo parece um cabeçalho acima de números",
}


def say(key: str, language: str, **details: object) -> str:
    """Return a sentence of a draft, in one line or two.

    >>> say("rival", "en", column="period")
    'could be period'
    """
    return (_PT if language == "pt-BR" else _EN)[key].format(**details)
