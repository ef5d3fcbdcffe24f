"""Matching headers to columns: as a layout declares them, and as people usually write them."""

import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.layouts.layout import Layout, fold
from schemas.raw_table import column_letter

# Canonical column -> headers of people, banks and senders in Portuguese, English and Spanish, written as they write
# them. Units, currencies and hints in brackets may stand beside any of them, see `_spellings`.
_WRITTEN: Final[dict[str, str]] = {
    "name": """
        Nome | Nome completo | Nome/Razão social | Razão social | Nome ou razão social | Favorecido | Favorecido(a) |
        Favorecida | Beneficiário | Beneficiária | Beneficiário(a) | Recebedor | Nome civil |
        Nome do artista (civil) | Titular do pagamento | Credor | Prestador | Fornecedor | Name | Full name |
        Legal name | Payee | Payee name | Beneficiary | Beneficiary name | Recipient | Recipient name | Company name |
        Vendor | Nombre | Nombre completo | Nombre y apellido | Razón social | Titular del pago
    """,
    "tax_id": """
        CPF/CNPJ | CNPJ/CPF | CPF ou CNPJ | CNPJ ou CPF | CPF e CNPJ | CPF | CNPJ | Documento | Doc. |
        CPF do artista | CPF/CNPJ do artista | Nº do CPF | Nº CPF | Número do CPF |
        Número do documento do favorecido | Inscrição (CPF/CNPJ) | CPF/CNPJ favorecido | Documento (CPF/CNPJ) |
        Documento fiscal | Documento federal | Tax ID | Tax number | Taxpayer ID | Document | Document number |
        Tax document | Identificación fiscal | ID fiscal | Número de documento | Documento de identidad | NIF
    """,
    "email": """
        E-mail | E-mail p/ contato | E-mail para contato | E-mail de contato | E-mail contato | Mail |
        Endereço de e-mail | Correio eletrônico | Contato (e-mail) | Email address | Contact email | Correo |
        Correo electrónico | E-mail do artista | E-mail principal
    """,
    "amount": """
        Valor | Valor líquido | Valor a pagar | Valor a receber | Valor total | Valor do pagamento | Vlr | Vl |
        Valor líquido a pagar | Valor líquido a receber | Valor total a pagar | Valor pagamento | Valor devido |
        Vlr líquido | Vl líquido | Vlr total | Vlr a pagar | Líquido | Líquido a pagar | Líquido a receber | A pagar |
        A receber | Total a pagar | Total a receber | Total líquido | Montante | Quantia | Cachê | Valor do cachê |
        Cachê líquido | Valor da transferência | Valor do Pix | Valor final | Total | Amount | Amount due |
        Amount to pay | Amount payable | Net amount | Payment amount | Total amount | Total due | Net payable |
        Payable | Payout | Net payout | Importe | Importe neto | Importe a pagar | Monto | Monto neto |
        Monto a pagar | Neto a pagar | Valor neto | Cantidad a pagar | Value
    """,
    "artist_name": """
        Nome artístico | Artista | Nome do artista | Artista/Banda | Banda | Projeto artístico | Artist |
        Artist name | Stage name | Nombre artístico
    """,
    "pix_key": """
        Chave Pix | Pix | Chave | Chave do Pix | Chave de Pix | Chave p/ Pix | Chave para Pix | Pix chave |
        Dados Pix | Nº do Pix | Pix do favorecido | Pix key | Clave Pix | Llave Pix | Clave
    """,
    "pix_key_type": """
        Tipo da chave | Tipo de chave | Tipo chave | Tipo da chave Pix | Tipo de chave Pix | Tipo chave Pix |
        Tp chave | Tp. de chave | Tp chave Pix | Tipo Pix | Tipo do Pix | Tipo de Pix | Chave Pix (tipo) | Key type |
        Pix key type | Pix type | Type of key | Tipo de clave | Tipo de clave Pix | Tipo de llave
    """,
    "bank_code": """
        Banco | Código do banco | Banco (código) | Cod. banco | Cód. do banco | Código banco | Nº do banco |
        Nº banco | Número do banco | Banco nº | Código COMPE | COMPE | Cód. COMPE | Código de compensação | Bco |
        Cod bco | Bank | Bank code | Bank number | Código de banco | Código del banco
    """,
    "psp_id": """
        ISPB | Código ISPB | Cód. ISPB | ISPB do banco | Nº ISPB | ISPB code | Bank ISPB | PSP | ISPB da instituição |
        ISPB/PSP
    """,
    "agency": """
        Agência | Ag. | Agência bancária | Nº da agência | Nº agência | Número da agência | Agência nº |
        Cód. da agência | Código da agência | Agência s/ dígito | Agência sem dígito | Branch | Bank branch |
        Branch code | Branch number | Agency | Sucursal | Número de agencia
    """,
    "account": """
        Conta | Conta corrente | C/C | Cta | Nº da conta | Nº conta | Número da conta | Conta nº | Conta bancária |
        Conta com dígito | Conta c/ dígito | Conta e dígito | Conta corrente com dígito | Nº da conta com dígito |
        N° da conta | N° conta | Nº da conta corrente | Conta corrente/poupança | Núm. conta | Num. da conta |
        Cta corrente | Conta (com DV) | Account | Account number | Bank account | Account no. | Cuenta |
        Cuenta bancaria | Número de cuenta | Nº de cuenta | Cuenta corriente
    """,
    "account_digit": """
        Dígito da conta | Dígito | DV | Díg. | Dígito conta | DV da conta | DV conta | Conta (dígito) | Conta dígito |
        Conta DV | Dígito verificador | Dígito verificador da conta | Díg. conta | Díg. da conta | Check digit |
        Account digit | Account check digit | Dígito de la cuenta
    """,
    "account_type": """
        Tipo de conta | Tipo da conta | Tipo conta | Tp conta | Tp. de conta | Tipo conta bancária |
        Tipo de conta bancária | Modalidade da conta | Conta (tipo) | Tipo dados bancários | Account type |
        Type of account | Bank account type | Tipo de cuenta
    """,
    "account_holder": """
        Titular | Titular da conta | Nome do titular | Nome titular | Nome do titular da conta | Correntista |
        Nome titular da conta | Titular da conta bancária | Account holder | Account holder name | Holder |
        Account owner | Titular de la cuenta
    """,
    "advance": "Adiantamento | É adiantamento | Advance | Is advance",
    "withhold": "Reter | Reter pagamento | Withhold | Retener",
    "recurring": "Recorrente | Pagamento recorrente | Recurring | Recurrente",
    "reference": """
        Referência | Ref | Referência do pagamento | Nota fiscal | NF | Nº da NF | Nº da nota fiscal | Reference |
        Payment reference | Invoice | Invoice number | Factura
    """,
    "role": "Função | Papel | Função/Papel | Atuação | Role | Contribution | Rol | Función",
    "share": """
        Participação | Part. | Percentual | Porcentagem | Porcentual | % | Perc. | Percentual de participação |
        Participação percentual | Cota | Quota | Fatia | Split | Share | Share percentage | Percent | Percentage |
        Royalty share | Participación | Porcentaje
    """,
    "base": "Base | Base da participação | Incide sobre | Share base",
    "valid_from": """
        Vigência de | Vigência desde | Início da vigência | Vigência início | Vigência inicial | Início |
        Data inicial | Data de início | Válido de | Válido desde | Válido a partir de | A partir de | De |
        Valid from | From | Start date | Effective from | Since | Desde | Vigente desde | Fecha de inicio
    """,
    "valid_to": """
        Vigência até | Fim da vigência | Término da vigência | Vigência fim | Vigência final | Fim | Término |
        Data final | Data de término | Válido até | Até | Valid to | Valid until | To | Until | End date |
        Effective to | Hasta | Vigente hasta | Fecha de fin
    """,
    "date": """
        Data | Data do adiantamento | Data do pagamento | Data de pagamento | Data pagamento | Pago em | Dt |
        Dt. pagamento | Date | Payment date | Paid on | Fecha | Fecha de pago
    """,
    "period": """
        Período | Mês | Mês de venda | Competência | Data | Date | Data da venda | Período de vendas | Month |
        Period | Sale Date | Sales Date | Sale Period | Usage Period | Transaction Date | Fecha | Transaction Month |
        Mês de competência | Mês/Ano
    """,
    "platform": """
        Plataforma | Loja | Serviço | Canal | DSP | Provider | Service | Service Provider | Shop | Store |
        Digital Service Provider | Source | Tienda | Retailer | Partner | Store Name | Platform | Platform Name
    """,
    "territory": "Território | País | Country | Country Code | Region | Pais de venda | Country of Sale | Territory",
    "isrc": "ISRC | Código ISRC | Cód. ISRC | ISRC Code | Track ISRC | Asset ISRC",
    "upc": "UPC | EAN | EAN/UPC | UPC/EAN | UPC Code | Código UPC | Cód. UPC | Código de barras | Barcode | GTIN",
    "release": "Álbum | Lançamento | Disco | Produto | Album Title | Release | Release Title | Product | Product Title",
    "title": """
        Título | Faixa | Música | Obra | Canção | Fonograma | Title | Track | Track Name | Track Title | Song |
        Work Title | Canción | Pista | Título da faixa | Nome da faixa | Nome da música
    """,
    "artist": """
        Artista | Intérprete | Artist | Artist Name | Main Artist | Track Artist | Track Artists | Artists |
        Performer | Artista principal | Nome do artista
    """,
    "units": """
        Quantidade | Qtd | Qtde | Unidades | Streams | Plays | Reproduções | Execuções | Qty | Quantity | Units |
        Count | Cantidad
    """,
    "currency": "Moeda | Divisa | Currency | Payment Currency | Currency Code | Account Currency | Moneda",
    "rate": "Cotação | Taxa | Taxa de câmbio | Câmbio | Valor da cotação | Rate | Exchange rate | Cotización",
    "source": "Fonte | Fonte da cotação | Source | Fuente",
    "minimum": "Mínimo | Valor mínimo | Pagamento mínimo | Mínimo para pagamento | Minimum | Minimum payout",
    "frequency": "Periodicidade | Frequência | Frequência de pagamento | Frequency | Payment frequency | Periodicidad",
    "language": "Idioma | Língua | Language",
    "hold": "Bloqueio | Bloqueado | Motivo do bloqueio | Reter por | Hold | On hold | Hold reason | Bloqueado por",
    "hold_until": "Bloqueado até | Bloqueio até | Reter até | Hold until | On hold until | Bloqueado hasta",
    "previous_tax_id": """
        CPF anterior | CPF/CNPJ anterior | CNPJ anterior | Documento anterior | Previous tax ID | Former tax ID |
        Documento previo
    """,
    "must_invoice": "Exige nota fiscal | Exige NF | Emite nota fiscal | Emite NF | Must invoice",
    "recoup_from": "Recuperar de | Recuperação de | Recoup from",
    "kind": "Tipo | Tipo de saldo | Kind | Type",
}
_USUAL: Final = {column: tuple(map(str.strip, headers.split("|"))) for column, headers in _WRITTEN.items()}

# What the amount is called in a table of advances alone; elsewhere the first of them is a yes or no.
_USUAL_ADVANCES: Final = ("Adiantamento", "Valor do adiantamento", "Valor adiantado", "Advance", "Anticipo")

# Headers of money that is not always what is paid: beside an amount, or in its place, a person says which is meant.
_RIVALS: Final = (
    *("Valor bruto", "Bruto", "Vlr bruto", "Vl bruto", "Total bruto", "Cachê bruto", "Montante bruto", "Valor base"),
    *("Valor original", "Valor do contrato", "Valor contratado", "Valor previsto", "Valor sem desconto"),
    *("Valor com desconto", "Valor com impostos", "Valor sem impostos", "Valor pago", "Valor antes dos descontos"),
    *("Gross", "Gross amount", "Gross payable", "Amount paid", "Importe bruto", "Monto bruto", "Valor bruto a pagar"),
)

# Headers that would pass for a column once their group's title or their brackets are gone, and are none.
_NEITHER: Final = (
    *("CPF titular", "CPF titular da conta", "CNPJ titular", "CPF/CNPJ titular", "CPF/CNPJ titular da conta"),
    *("Nome banco", "Nome do banco", "Nome dados bancários", "Nome agência", "Tipo", "Dígito agência"),
)

# Headers of the account's check digit, but not right of an agency, whose own it is there.
_A_DIGIT: Final = frozenset({"Dígito", "DV", "Díg.", "Dígito verificador", "Check digit"})

# Between the title of a group and the header below it, where both together are the header of a column.
GROUP_MARK: Final = " > "

_BRACKETS: Final = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_MONEY_WORD: Final = re.compile(
    r"(?:\b(?:em|in|en)\s+)?(?:[RU]S?\$|\$|€|£|\b(?:BRL|USD|EUR|GBP|ARS|MXN|CLP|COP|CAD|JPY|CHF|reais)\b)",
    re.IGNORECASE,
)
_OF_THE_PAYEE: Final = re.compile(
    r"\b(?:d[oa]|del|of(?:\s+the)?)\s+(?:favorecid[oa]|benefici[aá]ri[oa]|recebedor|credor|payee|beneficiary|recipient)"
    r"(?:\([ao]\))?\s*$",
    re.IGNORECASE,
)
# Without any of these, a header has no units, hints or payee to be left out.
_ADORNED: Final = re.compile(rf"[(\[{{]|{_MONEY_WORD.pattern}|{_OF_THE_PAYEE.pattern}", re.IGNORECASE)
# What may stand in brackets and says nothing of which column it is.
_HINT: Final = re.compile(
    r"%|em|(?:em)?percentual|percent|"
    r"(?:(?:com|sem|c|s)(?:o)?(?:digito|dv|pontos?|tracos?|hifen|mascara|espacos?)(?:verificador)?)+|"
    r"(?:so|somente|apenas|only)(?:numeros|digitos|numbers|digits)|[0-9]+(?:digitos|digits)|"
    r"obrigatori[oa]|opcional|required|optional|sehouver|setiver|ifany|texto|text|"
    r"(?:dd|mm|aaaa|yyyy|aa|yy)+|(?:ex|exemplo|eg).+"
)
_KINDS_OF_KEY: Final = re.compile(
    r"(?:cpf|cnpj|email|celular|cel|telefone|tel|fone|chavealeatoria|aleatoria|aleatorio|evp|ou|e|or|etc|phone|random)+"
)
_HAVE_KINDS: Final = frozenset({"pix_key", "pix_key_type", "tax_id"})


@dataclass(frozen=True, slots=True)
class HeaderMatch:
    """What a header row says about a layout's columns. Positions count from 0, column A.

    Attributes:
        positions: Canonical column -> position; a column that more than one header claims is not in it.
        duplicates: Canonical column -> the positions that claim it, two or more.
    """

    positions: dict[str, int]
    duplicates: dict[str, tuple[int, ...]]
    missing: tuple[str, ...]
    unknown: tuple[int, ...]
    ignored: tuple[int, ...]

    @property
    def claimed(self) -> frozenset[str]:
        return frozenset((*self.positions, *self.duplicates))

    @property
    def claims(self) -> int:
        return len(self.positions) + sum(map(len, self.duplicates.values()))


def match_headers(headers: Sequence[str], layout: Layout) -> HeaderMatch:
    """Tell which header is which column of a layout.

    Args:
        headers: Texts of the header row, from column A; "" for a column without one, which a job names by its letter.

    Returns:
        Every position with a header in exactly one of positions, duplicates, unknown and ignored.
    """
    declared = {fold(alias): column for column, aliases in layout.columns.items() for alias in aliases}
    not_read = set(map(fold, layout.not_columns))
    left_alone, remarks = set(map(fold, layout.ignore_columns)), set(map(fold, layout.remarks))
    claims: dict[str, list[int]] = {}
    rest: dict[str, list[int]] = {_UNKNOWN: [], _IGNORED: [], _RIVAL: []}
    column = ""
    for position, header in enumerate(headers):
        folded = fold(header)
        if not folded:
            rest[_IGNORED] += [position] if fold(column_letter(position)) in left_alone else []
            continue
        left, column = column, declared.get(folded) or (_IGNORED if folded in not_read else "")
        if not column and layout.usual_headers:
            column = _usual_column(header, layout, declared, not_read)
        if left == "agency" and folded in _A_DIGIT_FOLDED:
            column = _IGNORED  # the service takes an agency without it
        if folded in left_alone:
            column = _IGNORED
        elif folded in remarks:
            column = ""
        if column in rest or not column:
            rest[column or _UNKNOWN].append(position)
        else:
            claims.setdefault(column, []).append(position)
    if "amount" in claims:
        claims["amount"] = sorted((*claims["amount"], *rest[_RIVAL]))
        rest[_RIVAL] = []
    return HeaderMatch(
        positions={column: found[0] for column, found in claims.items() if len(found) == 1},
        duplicates={column: tuple(found) for column, found in claims.items() if len(found) > 1},
        missing=tuple(column for column in layout.required if column not in claims),
        unknown=tuple(sorted((*rest[_UNKNOWN], *rest[_RIVAL]))),
        ignored=tuple(rest[_IGNORED]),
    )


_UNKNOWN, _IGNORED, _RIVAL = "?", "-", "?amount"


def _usual_column(header: str, layout: Layout, declared: Mapping[str, str], not_read: set[str]) -> str:
    """Return the column of a header that is not declared as it stands; "" for none, or a mark of another fate."""
    usual = _usual_of(layout.table)
    for spelling in _spellings(header):
        folded = spelling.folded
        if folded in not_read:
            return _IGNORED
        if folded in _RIVALS_FOLDED and "amount" in layout.columns and "amount" not in layout.exact:
            return _RIVAL
        if folded in _NEITHER_FOLDED:
            return ""
        columns = (declared.get(folded, ""), *usual.get(folded, ()))
        open_to = [column for column in columns if column and spelling.may_be(column)]
        for column in open_to:
            if column in layout.columns and column not in layout.exact:
                return column
        if any(column in _columns_of(not_read) for column in open_to):
            return _IGNORED
    return ""


@dataclass(frozen=True, slots=True)
class _Spelling:
    """One way to read a header: what is left of it, and whether kinds of keys stood beside that in brackets."""

    folded: str
    names_kinds: bool = False

    def may_be(self, column: str) -> bool:
        return not self.names_kinds or column in _HAVE_KINDS


@functools.lru_cache(maxsize=4096)  # each row in which a header is looked for, under each layout
def _spellings(header: str) -> tuple[_Spelling, ...]:
    """Return the ways to read a header, the fullest first: with the title of its group, without units and hints."""
    return tuple(_all_spellings(header))


def _all_spellings(header: str) -> Iterator[_Spelling]:
    group, _, own = header.rpartition(GROUP_MARK)
    for text in (f"{own} {group}", f"{group} {own}", own) if group else (own,):
        yield _Spelling(fold(text))
        if not _ADORNED.search(text):
            continue
        hints = [fold(_MONEY_WORD.sub("", inner)) for inner in _BRACKETS.findall(text)]
        kinds = [hint for hint in hints if hint and not _HINT.fullmatch(hint)]
        if all(_KINDS_OF_KEY.fullmatch(hint) for hint in kinds):
            plain = _OF_THE_PAYEE.sub("", _MONEY_WORD.sub(" ", _BRACKETS.sub(" ", text)))
            yield _Spelling(fold(plain), names_kinds=bool(kinds))


_RIVALS_FOLDED: Final = frozenset(map(fold, _RIVALS))
_NEITHER_FOLDED: Final = frozenset(map(fold, _NEITHER))
_A_DIGIT_FOLDED: Final = frozenset(map(fold, _A_DIGIT))


def is_about_the_amount(header: str) -> bool:
    """Tell whether a header is one that people write over what is paid, or over what is not always that."""
    usual = _usual_of("payments")
    folded = [spelling.folded for spelling in _spellings(header)]
    return any(text in _RIVALS_FOLDED or "amount" in usual.get(text, ()) for text in folded)


@functools.cache
def _usual_of(table: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    of_table = {"amount": (*_USUAL["amount"], *_USUAL_ADVANCES)} if table == "advances" else {}
    for column, headers in (_USUAL | of_table).items():
        for header in headers:
            found[fold(header)] = tuple(dict.fromkeys((*found.get(fold(header), ()), column)))
    return found


def _columns_of(folded: set[str]) -> frozenset[str]:
    """Return the columns that headers usually are: where one of a column's headers is not read, none of them is."""
    return _usual_columns_of(frozenset(folded))


@functools.cache
def _usual_columns_of(folded: frozenset[str]) -> frozenset[str]:
    usual = _usual_of("")
    return frozenset(column for header in folded for column in usual.get(header, ()))


def usual_columns(table: str, columns: Collection[str]) -> dict[str, str]:
    found = {header: [column for column in usual if column in columns] for header, usual in _usual_of(table).items()}
    return {header: usual[0] for header, usual in found.items() if usual}


def with_columns(layout: Layout, chosen: Mapping[str, str]) -> Layout:
    """Return a layout that reads some headers as columns, whatever it says of them itself.

    Args:
        chosen: Header, as the file has it -> canonical column; no other header is then that column.
    """
    if not chosen:
        return layout
    taken = {fold(header) for header in chosen}
    columns = {
        column: [alias for alias in aliases if fold(alias) not in taken]
        for column, aliases in layout.columns.items()
        if column not in chosen.values()
    }
    columns = {column: aliases or [column] for column, aliases in columns.items()}
    for header, column in chosen.items():
        columns.setdefault(column, []).append(header)
    renamed = {
        fold(alias): columns[column][0] for column in chosen.values() for alias in layout.columns.get(column, ())
    }
    deciding = [renamed.get(fold(header), header) for header in layout.recognise.headers]
    return layout.model_copy(
        update={
            "columns": columns,
            "exact": sorted({*layout.exact, *chosen.values()}),
            "ignored": [header for header in layout.ignored if fold(header) not in taken],
            "recognise": layout.recognise.model_copy(update={"headers": deciding}),
        }
    )
