"""The texts of every issue in English: (what is wrong, what would be right).

The names in braces are facts that whoever raises the issue gives; none of them is the value itself.
"""

from typing import Final

from schemas.issues import IssueCode

C = IssueCode

TEXTS: Final[dict[IssueCode, tuple[str, str]]] = {
    C.FILE_MISSING: (
        "the file is not there",
        "a path to a file that can be read",
    ),
    C.FILE_EMPTY: (
        "the file is empty",
        "a file with a header and rows",
    ),
    C.FILE_TYPE: (
        "the file is not what its name says",
        "a workbook (.xlsx, .xlsm, .xls, .xlsb, .ods) or text (.csv, .tsv, .txt), packed or not (.gz, .zip)",
    ),
    C.FILE_CORRUPT: (
        "the file is damaged",
        "the file saved again by the program that made it",
    ),
    C.FILE_NO_ROWS: (
        "there is a header and no row below it",
        "at least one row",
    ),
    C.FILE_ENCODING: (
        "the text is in an encoding that cannot be told",
        "a file saved as UTF-8",
    ),
    C.FILE_DUPLICATE: (
        "this file was used before: {found}; nothing of it is paid again",
        "a file not used yet; or, if it must be paid again, `repasse run --again FILE` and a person's approval",
    ),
    C.FILE_AGAIN: (
        "this file was used before: {found}; somebody asked for it to be paid again",
        "a person's approval of the plan, which says that this is meant; --yes does not",
    ),
    C.FILE_OVERLAP: (
        (
            "about {lines} lines of this statement were used before: {found}; it is too large for them to be "
            "told from the others, so all of it is held: {amount}"
        ),
        (
            "the statement without those lines; or, if all of it must be paid, `repasse run --again FILE` and "
            "a person's approval"
        ),
    ),
    C.LINES_USED_BEFORE: (
        "{lines} lines of this statement were used before: {found}; they are held: {amount}",
        (
            "nothing, if they are the same money: the other lines are paid; or, if they must be paid again, "
            "`repasse run --again FILE` and a person's approval"
        ),
    ),
    C.RECEIVED_MISMATCH: (
        (
            "the bank got {currency} {expected} for this source, its lines add up to {found}, the difference "
            "is {difference}; all of {files} is held"
        ),
        "all statements that the amount was paid for, and the amount as the bank tells it, under received in the job",
    ),
    C.FILE_NOT_REGULAR: (
        "a link, a pipe or a device stands where a file should",
        "the file itself",
    ),
    C.FILE_CHANGED: (
        "the file changed while it was read",
        "a file that nobody is writing to; run again when it is complete",
    ),
    C.FILE_ENCRYPTED: (
        "the workbook is locked by a password",
        "the workbook saved without a password",
    ),
    C.FILE_TOO_LARGE: (
        "the file is larger than what is read ({limit})",
        "a smaller file; or the statement cut into several",
    ),
    C.FILE_EXTENT: (
        "the sheet extends over {rows} rows and {columns} columns; {limit} cells are read at most",
        "the cells outside the table deleted, and the file saved again",
    ),
    C.FILE_ZIP: (
        "the ZIP archive is not laid out as one that holds a table",
        "an archive that holds one table and nothing else",
    ),
    C.FILE_XML_FORBIDDEN: (
        "the workbook declares a document type or entities, which no spreadsheet program does",
        "the workbook saved again by a spreadsheet program",
    ),
    C.FILE_PARSER: (
        "reading the workbook was stopped, since it took more than {limit}",
        "the table alone, saved in a new workbook or as CSV",
    ),
    C.FILE_QUOTE: (
        "a quote is opened and not closed, or is closed in the middle of a field",
        "quotes around whole fields, doubled where they are part of the text",
    ),
    C.FILE_PART_MISSING: (
        "part {part} of {parts} of this statement is missing",
        "all parts of the statement, in one source of the job",
    ),
    C.FILE_VALUES_ONLY: (
        (
            "of this kind of workbook only the values are read: errors and formulas never calculated look empty, "
            "and hidden cells, merged cells and percentages like all others"
        ),
        "the file saved as .xlsx, where all of this is seen; or a look at it before approving",
    ),
    C.LAYOUT_UNKNOWN: (
        "no known layout fits; the nearest is {near}, which lacks {missing}",
        "a statement of a known sender; or a layout of your own, drafted by `repasse layouts new FILE`",
    ),
    C.LAYOUT_AMBIGUOUS: (
        "several layouts fit: {found}",
        "the layout named in the job instead of auto",
    ),
    C.SHEET_MISSING: (
        "the sheet is not there",
        "a sheet of the name the layout gives",
    ),
    C.SHEET_AMBIGUOUS: (
        "it is not clear which sheet is meant",
        "one sheet with the expected header, or its name in the layout",
    ),
    C.SHEET_UNREAD: (
        "{rows} row(s) of this sheet were read by nothing",
        "nothing, if no money is in it; or a source of the job that reads this sheet",
    ),
    C.COLUMN_MISSING: (
        "no column for {wanted}; the nearest headers are: {near}",
        "a column with one of these headers: {headers}",
    ),
    C.COLUMN_DUPLICATE: (
        "columns {letters} all say they are {wanted}",
        "one column only",
    ),
    C.COLUMN_UNKNOWN: (
        "the layout does not know this column; it was not read",
        "a header the layout names, or an entry under `ignored`",
    ),
    C.HIDDEN_DATA: (
        "rows or columns are hidden and were read: {found}",
        "nothing hidden; or a look at them before approving",
    ),
    C.TOTAL_MISMATCH: (
        "the file's own total is {expected}, its rows sum up to {found}; nothing of it is paid",
        "a total that agrees with the rows, or no total",
    ),
    C.ROW_WIDTH: (
        "the row has more or fewer fields than the {expected} of the header",
        "as many fields as the header",
    ),
    C.ROW_DUPLICATE: (
        "the same payee, with the same reference or share, is also in row {other}",
        (
            "one row per payee, or a distinct reference in each; case, blanks and dashes tell none apart; "
            "each share and each advance once"
        ),
    ),
    C.ROW_CONFLICT: (
        "another amount or destination than was sent for it in {found}",
        "the row as it was sent; or a word on it: `repasse decide {key} --pay`, `--paid` or `--drop`",
    ),
    C.ROW_RENAMED: (
        "row renamed? The same amount to the same payee or account went out in {found}, for a row that is gone",
        "the row as it was sent; or a word on this one: `repasse decide {key} --pay`, `--paid` or `--drop`",
    ),
    C.ROW_CORRECTED: (
        "the row is as it was when it was put right in {found}, and is read as it stands there",
        "nothing to do; or the row itself put right",
    ),
    C.ROW_PAID_BEFORE: (
        "the same amount went to the same payee or account before: {found}",
        "a row that is still owed; a person's approval says that it is, --yes does not",
    ),
    C.ROW_SECOND_ATTEMPT: (
        "attempt {number}: {found} was to make this payment, and said ERROR",
        "a look at {found} in the service, and then a person's approval; --yes does not give it",
    ),
    C.ROW_CONTRACT: (
        "the row does not hold what the table promises ({rule})",
        "a row that fulfils the table's rules",
    ),
    C.VALUE_NORMALISED: (
        "{count} value(s) of this column were written otherwise and read in their usual form; this is the first",
        "nothing to do",
    ),
    C.CELL_REQUIRED: (
        "the cell is empty",
        "a value",
    ),
    C.CELL_ERROR: (
        "the cell holds a spreadsheet error",
        "the value that the formula should give",
    ),
    C.CELL_MERGED: (
        "the cell is merged with others",
        "one cell per value: undo the merge and fill in each",
    ),
    C.FORMULA_NO_VALUE: (
        "the cell holds a formula that was never calculated",
        "the file opened, calculated and saved by a spreadsheet program",
    ),
    C.FORMULA_STALE: (
        "the workbook asks to be calculated again: the value may be old",
        "the workbook opened, calculated and saved by a spreadsheet program",
    ),
    C.FORMULA_EXTERNAL: (
        "the formula takes its value from another workbook",
        "the value itself",
    ),
    C.NAME_REQUIRED: (
        "the name is missing",
        "the full name or the company's name",
    ),
    C.NAME_LENGTH: (
        "the name has {found} characters",
        "2 to 200 characters",
    ),
    C.NAME_CONTROL: (
        "the name holds an invisible character ({code_point})",
        "the name without it; type it again",
    ),
    C.NAME_FORMULA: (
        "the name starts like a formula",
        "a name that does not start with = + - or @",
    ),
    C.NAME_CONFUSABLE: (
        "the name mixes alphabets: {code_point} looks like a letter of the others and is none",
        "the name typed again on one keyboard; or a look at it before approving",
    ),
    C.NAME_ENCODING: (
        "the name looks damaged by a change of encoding",
        "the name as its owner writes it, accents included",
    ),
    C.TEXT_LENGTH: (
        "the text has {found} characters",
        "{limit} characters at most",
    ),
    C.TEXT_CONTROL: (
        "the text holds an invisible character ({code_point})",
        "the text without it; type it again",
    ),
    C.TAXID_FORMAT: (
        "this is no CPF or CNPJ",
        "999.999.999-99 or XX.XXX.XXX/XXXX-99, with or without marks",
    ),
    C.TAXID_LENGTH: (
        "has {found} digits; 11 or 14 expected; did a leading zero get lost?",
        "a CPF of 11 digits or a CNPJ of 14, in a column formatted as text",
    ),
    C.TAXID_CHECK: (
        "the check digits are wrong",
        "a CPF or CNPJ as its owner's document shows it",
    ),
    C.TAXID_NORMALISED: (
        "was written otherwise and is read as a whole CPF or CNPJ",
        "nothing to do",
    ),
    C.TAXID_UNKNOWN_PAYEE: (
        "this CPF or CNPJ is not among the payees",
        "a CPF or CNPJ of the payees table",
    ),
    C.EMAIL_FORMAT: (
        "this is no e-mail address",
        "one address like name@example.com, without accents",
    ),
    C.AMOUNT_FORMAT: (
        "this is no amount",
        "digits with a decimal mark, such as 1,234.56",
    ),
    C.AMOUNT_TYPE: (
        "the cell holds a date, a percentage or yes/no instead of an amount",
        "a number",
    ),
    C.AMOUNT_AMBIGUOUS: (
        "reads as thousands and as decimals alike",
        "the centavos written too, such as 1,234.56",
    ),
    C.AMOUNT_DECIMALS: (
        "has more than {limit} decimals",
        "at most {limit} decimals; nothing is rounded silently",
    ),
    C.AMOUNT_NOT_POSITIVE: (
        "is zero or negative",
        "an amount above zero",
    ),
    C.AMOUNT_CURRENCY: (
        "is in {found}; {expected} is expected here",
        "an amount in {expected}",
    ),
    C.CURRENCY_UNKNOWN: (
        "the currency is not known",
        "three letters, such as BRL or USD, here or in the layout",
    ),
    C.CURRENCY_NO_RATE: (
        "the job gives no exchange rate for {currency}",
        "a rate under `exchange` of the source",
    ),
    C.PIX_TYPE_REQUIRED: (
        "the Pix key's type is missing; it is never guessed",
        "CPF, CNPJ, Celular, E-mail or Aleatória",
    ),
    C.PIX_TYPE_UNKNOWN: (
        "this is no type of Pix key",
        "CPF, CNPJ, Celular, E-mail or Aleatória",
    ),
    C.PIX_KEY_REQUIRED: (
        "a type of Pix key is given, but no key",
        "the Pix key",
    ),
    C.PIX_CPF: (
        "the Pix key is no valid CPF",
        "a CPF of 11 digits",
    ),
    C.PIX_CNPJ: (
        "the Pix key is no valid CNPJ",
        "a CNPJ of 14 characters",
    ),
    C.PIX_PHONE: (
        "the Pix key is no mobile number",
        "+55, area code and nine digits that start with 9",
    ),
    C.PIX_PHONE_FOREIGN: (
        "the Pix key is a phone number outside Brazil",
        "make sure it is meant",
    ),
    C.PIX_EMAIL: (
        "the Pix key is no e-mail address",
        "one address of at most 77 characters, without accents",
    ),
    C.PIX_EVP: (
        "the Pix key is no random key",
        "36 characters with hyphens, as the bank shows it",
    ),
    C.PIX_AMBIGUOUS: (
        "the Pix key is a mobile number and a valid CPF alike",
        "+55 before the number, if it is a phone",
    ),
    C.PIX_OWNER: (
        "the Pix key is the CPF or CNPJ of somebody else",
        "the payee's own CPF or CNPJ, or a key of another type",
    ),
    C.DESTINATION_MISSING: (
        "there is neither a Pix key nor a bank account",
        "a Pix key with its type, or a bank account",
    ),
    C.DESTINATION_CONFLICT: (
        "there are both a Pix key and a bank account",
        "one of them",
    ),
    C.BANK_CODE: (
        "this is no bank code",
        "three digits, such as 001",
    ),
    C.BANK_PSP: (
        "this is no ISPB",
        "eight characters, such as 00000000",
    ),
    C.BANK_FIELD_REQUIRED: (
        "a bank account needs {missing}",
        "{missing} filled in",
    ),
    C.BANK_UNKNOWN: (
        "the list of Pix institutions knows no institution with this ISPB",
        "the ISPB of the account's institution",
    ),
    C.BANK_INACTIVE: (
        "the institution with this ISPB no longer takes part in Pix",
        "an account at an active institution",
    ),
    C.BANK_MISMATCH: (
        "bank code and ISPB are of different institutions",
        "the code and the ISPB of the same institution",
    ),
    C.AGENCY_FORMAT: (
        "this is no agency",
        "up to four digits, without the check digit, in a column formatted as text",
    ),
    C.ACCOUNT_FORMAT: (
        "this is no account number",
        "digits and the check digit, such as 12345-6",
    ),
    C.ACCOUNT_PRECISION: (
        "the spreadsheet has lost digits of this account",
        "the account typed again, in a column formatted as text",
    ),
    C.ACCOUNT_DIGIT: (
        "the check digit does not fit this bank's usual rule",
        "make sure of the account number",
    ),
    C.ACCOUNT_TYPE: (
        "this is no type of account",
        "Corrente, Poupança, Pagamento or Salário",
    ),
    C.ACCOUNT_INVALID: (
        "the service says that this account cannot be paid",
        "another destination, or a correction",
    ),
    C.ACCOUNT_UNKNOWN: (
        "the account could not be checked",
        "another run, which checks it again",
    ),
    C.ACCOUNT_BUDGET: (
        "the budget for account checks is used up",
        "a higher account_checks.budget, or another run",
    ),
    C.BOOL_FORMAT: (
        "this is neither yes nor no",
        "sim, não, or empty for no",
    ),
    C.DATE_FORMAT: (
        "this is no date, or one that reads two ways",
        "year first, such as 2026-11-20",
    ),
    C.DATE_ORDER: (
        "the last day comes before the first",
        "valid_to on or after valid_from",
    ),
    C.PERCENT_FORMAT: (
        "this is no percentage of at most four decimals, or it may be a fraction of one",
        "a percentage such as 33,3333; with % when it is 1 or less",
    ),
    C.PERCENT_RANGE: (
        "is not above 0 and at most 100",
        "a percentage above 0, at most 100",
    ),
    C.PERCENT_SUM: (
        "the shares of {found} add up to {sum} %",
        "at most 100 %",
    ),
    C.COUNT_FORMAT: (
        "this is no whole number",
        "a whole number",
    ),
    C.ISRC_FORMAT: (
        "this is no ISRC",
        "two letters, three letters or digits, seven digits, such as BRABC2600001",
    ),
    C.UPC_FORMAT: (
        "this is no UPC or EAN",
        "8 to 14 digits, in a column formatted as text",
    ),
    C.SHARE_UNMATCHED: (
        "no share covers {lines} line(s) of {found}",
        "a share for it",
    ),
    C.OPENING_KIND: (
        "this is neither carried, to recoup nor paid",
        "carried, to recoup or paid",
    ),
    C.OPENING_PERIOD: (
        "the balance is carried into a period that was never run, and reaches none",
        "the first period that is run; here {found}",
    ),
    C.OPENING_LEDGER: (
        "the ledger knows of this already, from {found}, and what it says counts",
        "only what Repasse did not do itself; otherwise no such row",
    ),
    C.OPENING_PAYMENT: (
        "no single payment of this payee and period is meant by this reference",
        "the reference of the payments row; royalties for what was paid of royalties",
    ),
    C.IDENTITY_CONFLICT: (
        "row {other} says something else about the same payee",
        "one row per CPF or CNPJ, or equal ones",
    ),
    C.CONTACT_DIFFERS: (
        "the row names another contact than the one the service told of this CPF or CNPJ; the row's own is sent",
        "the contact that `repasse contacts list` shows, or an empty cell",
    ),
    C.CONTACT_REFUSED: (
        "the service refused this payee's contact",
        "a correction of what the service names",
    ),
    C.LIMIT_PAYMENT: (
        "the largest payment, {found}, is above the job's limit of {limit}",
        "a second approver",
    ),
    C.LIMIT_RUN: (
        "the plan's total, {found}, is above the job's limit of {limit}",
        "a second approver",
    ),
    C.REFUSED_BY_SERVICE: (
        "the service refused this payment",
        "a correction of what the service names",
    ),
}
