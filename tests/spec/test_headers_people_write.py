"""What finance people write over their columns, and which column it is.

A row of a table is what stands in the header cell, and the column it is read as; "-" means that it is none, so that
nobody's second thought is paid.
"""

from collections import Counter
from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import fold

PAYMENTS = """
name: Nome | NOME COMPLETO | Nome do favorecido | Favorecido(a) | Beneficiário | Beneficiária | Razão social |
    Nome/Razão Social | Nome / Razão Social | Credor | Recebedor | Fornecedor | Payee | Payee Name | Beneficiary |
    Full name | Legal name | Nombre | Nombre completo | Beneficiario | Razón social | Nome (completo)
tax_id: CPF | CNPJ | CPF/CNPJ | CPF / CNPJ | CNPJ/CPF | CPF ou CNPJ | CPF/CNPJ do favorecido | CPF do Beneficiário |
    Doc. | Documento | Documento (CPF/CNPJ) | Doc (CPF) | Nº do CPF | CPF (somente números) | Tax ID |
    Tax ID (CPF/CNPJ) | Documento fiscal | Documento do favorecido
amount: Valor | Valor a pagar | VALOR A RECEBER | Valor (R$) | Valor - R$ | Valor R$ | R$ Valor | Valor [BRL] |
    Valor em R$ | Valor (em reais) | Vlr líquido | Vlr. Líquido (R$) | Valor líquido | Valor (líquido) |
    Líquido a receber | Total a receber | Total líquido | A pagar | Cachê | Cachê (R$) | Montante | Amount |
    Amount due | Amount (BRL) | Net amount | Total due | Importe | Monto | Monto neto | Importe neto
artist_name: Nome artístico | Artista | Nome do artista | Artist | Stage name | Nombre artístico
email: E-mail | Email | e-mail do favorecido | E-mail p/ contato | E-mail para contato | Mail | Correo electrónico
pix_key: PIX | Pix | Chave | Chave PIX | Chave Pix | CHAVE PIX (CPF/e-mail/celular) | Chave do PIX |
    Chave Pix (opcional) | Chave PIX (CPF, CNPJ, e-mail, celular ou aleatória) | Pix key |
    Clave Pix | PIX do favorecido | Llave Pix
pix_key_type: Tipo da chave | Tipo de chave | Tipo chave PIX | Tp chave | Tp. de chave | Tipo de Pix | Key type |
    Pix key type | Tipo de clave | Tipo de chave (CPF/CNPJ/E-mail/Celular/Aleatória)
bank_code: Banco | Banco (código) | Cod. banco | Cód. do banco | Código do Banco | Nº do banco | COMPE | Bank code |
    Número do banco (3 dígitos) | Código de banco
psp_id: ISPB | Código ISPB | ISPB do banco | ISPB (8 dígitos)
agency: Agência | AGENCIA | Ag. | Ag | Agência (sem dígito) | Agência (s/ dígito) | Nº da agência |
    Branch | Branch number | Sucursal
account: Conta | C/C | Conta corrente | Nº da conta | N° da conta | Número da conta | Conta com dígito |
    Conta (com dígito) | Conta c/ dígito | Conta bancária | Account number | Bank account | Cuenta | Número de cuenta
account_digit: Dígito | DV | Dígito da conta | Conta (dígito) | Dígito verificador | Account digit
account_type: Tipo de conta | Tipo da conta | TIPO CONTA | Tp conta | Account type | Tipo de cuenta
account_holder: Titular | Titular da conta | Nome do titular | Account holder | Titular de la cuenta
reference: Referência | Ref. | Nota fiscal | Nº da NF | Invoice number | Reference
advance: Adiantamento | É adiantamento?
withhold: Reter | Reter?
-: Observações | Vencimento | Tipo | Nome do banco | Banco (nome) | Agência (dígito) | Dígito da agência |
    Valor (parcela) | Valor bruto | Valor (bruto) | Desconto | IRRF | Retenção | CPF do titular | Nome da mãe | Saldo |
    Valor de referência |
    Valor unitário | Nome (CPF) | Data | Telefone | %
"""
SHARES = """
tax_id: CPF/CNPJ | CPF ou CNPJ | Documento | Tax ID | CPF/CNPJ do favorecido
share: Participação | Participação (%) | % | Percentual | Percentual (%) | % Participação | Porcentagem | Part. (%) |
    Share | Share (%) | Split | Split % | Porcentaje | Participación
role: Função | Papel | Role | Rol
valid_from: Vigência de | Vigência (de) | Início da vigência | Válido desde | Valid from
tier_from: A partir de | Desde | From
tier_to: Até | Hasta | To
cap: Teto | Cap
reserve: Reserva | Reserva (%)
given_back: Liberar em
valid_to: Vigência até | Vigência (até) | Fim da vigência | Válido até | Valid until
isrc: ISRC | Código ISRC
upc: UPC | EAN | Código de barras
artist: Artista | Intérprete | Artist
release: Álbum | Lançamento | Album
title: Faixa | Música | Título
-: Nome | Beneficiário | Nome completo | Observações | Valor
"""
ADVANCES = """
tax_id: CPF/CNPJ | CPF | Documento | Tax ID
amount: Valor | Valor do adiantamento | Adiantamento | Adiantamento (R$) | Amount | Anticipo
date: Data | Data do adiantamento | Data de pagamento | Pago em | Date | Fecha | Data (dd/mm/aaaa)
reference: Referência | Ref.
-: Nome | Favorecido | Valor bruto
"""


def spellings(table: str) -> list[tuple[str, str]]:
    """Cut a table of this file into pairs of header and column."""
    found = []
    for entry in table.replace("\n    ", " ").strip().splitlines():
        column, _, headers = entry.partition(": ")
        found += [(header.strip(), column) for header in headers.split(" | ")]
    return found


CASES = [
    (layout, header, column)
    for layout, table in (("payments", PAYMENTS), ("shares", SHARES), ("advances", ADVANCES))
    for header, column in spellings(table)
]
# Payees have the columns of payments, but for those of the payment itself.
OF_PAYEES = {"name", "tax_id", "email", "pix_key", "pix_key_type", "bank_code", "agency", "account", "account_type"}
CASES += [("payees", header, column) for name, header, column in CASES if name == "payments" and column in OF_PAYEES]


@pytest.mark.parametrize(("layout", "header", "column"), CASES)
def test_a_header_is_read_as_the_column_its_writer_means(layout, header, column):
    match = match_headers([header], read_layout(layout, Path()))
    assert match.positions == ({} if column == "-" else {column: 0})


def test_at_least_110_spellings_of_the_payment_columns_are_known():
    assert len({fold(header) for header, column in spellings(PAYMENTS) if column != "-"}) >= 110


@pytest.mark.parametrize("layout", ["payments", "payees", "shares", "advances", "opening", "royalties"])
def test_the_columns_of_a_sheet_with_the_first_header_of_each_do_not_meet(layout):
    read = read_layout(layout, Path())
    match = match_headers([headers[0] for headers in read.columns.values()], read)
    assert (match.duplicates, match.unknown, set(match.positions)) == ({}, (), set(read.columns))


@pytest.mark.parametrize(
    "headers",
    [
        ("CPF", "Valor", "Valor líquido"),
        ("CPF", "Valor bruto", "Valor líquido"),
        ("CPF", "Cachê", "Total a receber"),
        ("CPF", "Valor (R$)", "Valor (USD)"),
        ("CPF", "Valor (bruto)", "Valor (líquido)"),
    ],
)
def test_where_two_columns_could_be_the_amount_neither_is_taken(headers):
    match = match_headers(headers, read_layout("payments", Path()))
    assert match.duplicates == {"amount": (1, 2)}


def test_the_headers_of_a_sender_are_matched_as_it_writes_them_and_in_no_other_way():
    distrokid = read_layout("distrokid", Path())
    assert "amount" in match_headers(["Earnings (USD)"], distrokid).positions
    assert match_headers(["Earnings", "Valor", "Earnings (EUR)"], distrokid).positions == {}


def test_no_header_stands_twice_in_the_table_above():
    for table in (PAYMENTS, SHARES, ADVANCES):
        assert [
            header for header, times in Counter(header for header, _ in spellings(table)).items() if times > 1
        ] == []
