"""The texts of every issue in Brazilian Portuguese: (what is wrong, what would be right).

The names in braces are facts that whoever raises the issue gives; none of them is the value itself.
"""

from typing import Final

from schemas.issues import IssueCode

C = IssueCode

TEXTS: Final[dict[IssueCode, tuple[str, str]]] = {
    C.FILE_MISSING: (
        "o arquivo não está lá",
        "um caminho para um arquivo que se possa ler",
    ),
    C.FILE_EMPTY: (
        "o arquivo está vazio",
        "um arquivo com cabeçalho e linhas",
    ),
    C.FILE_TYPE: (
        "o arquivo não é o que o nome diz",
        "uma pasta (.xlsx, .xlsm, .xls, .xlsb, .ods) ou um texto (.csv, .tsv, .txt), compactado ou não (.gz, .zip)",
    ),
    C.FILE_CORRUPT: (
        "o arquivo está danificado",
        "o arquivo salvo de novo pelo programa que o criou",
    ),
    C.FILE_NO_ROWS: (
        "há um cabeçalho e nenhuma linha abaixo dele",
        "pelo menos uma linha",
    ),
    C.FILE_ENCODING: (
        "não dá para saber a codificação do texto",
        "um arquivo salvo em UTF-8",
    ),
    C.FILE_DUPLICATE: (
        "este arquivo já foi usado: {found}; nada dele é pago outra vez",
        "um arquivo ainda não usado; ou, se deve ser pago outra vez, `repasse run --again ARQUIVO` e uma aprovação",
    ),
    C.FILE_AGAIN: (
        "este arquivo já foi usado: {found}; alguém pediu que seja pago outra vez",
        "a aprovação do plano por uma pessoa, que diz que é isso mesmo; --yes não basta",
    ),
    C.FILE_OVERLAP: (
        (
            "cerca de {lines} linhas deste relatório já foram usadas: {found}; ele é grande demais para "
            "separá-las das outras, e fica retido inteiro: {amount}"
        ),
        "o relatório sem essas linhas; ou, se deve ser pago inteiro, `repasse run --again ARQUIVO` e uma aprovação",
    ),
    C.LINES_USED_BEFORE: (
        "{lines} linhas deste relatório já foram usadas: {found}; elas ficam retidas: {amount}",
        (
            "nada, se são o mesmo dinheiro: as outras linhas são pagas; ou, se devem ser pagas outra vez, "
            "`repasse run --again ARQUIVO` e uma aprovação"
        ),
    ),
    C.RECEIVED_MISMATCH: (
        (
            "o banco recebeu {currency} {expected} por esta fonte, suas linhas somam {found}, a diferença é "
            "{difference}; {files} fica retido inteiro"
        ),
        "todos os relatórios a que o valor se refere, e o valor como o banco o informa, em received no trabalho",
    ),
    C.FILE_NOT_REGULAR: (
        "no lugar de um arquivo há um atalho, um canal ou um dispositivo",
        "o próprio arquivo",
    ),
    C.FILE_CHANGED: (
        "o arquivo mudou enquanto era lido",
        "um arquivo em que ninguém esteja gravando; rode de novo quando estiver completo",
    ),
    C.FILE_ENCRYPTED: (
        "a pasta de trabalho está protegida por senha",
        "a pasta de trabalho salva sem senha",
    ),
    C.FILE_TOO_LARGE: (
        "o arquivo é maior do que o que se lê ({limit})",
        "um arquivo menor; ou o demonstrativo dividido em vários",
    ),
    C.FILE_EXTENT: (
        "a aba se estende por {rows} linhas e {columns} colunas; leem-se no máximo {limit} células",
        "as células fora da tabela apagadas, e o arquivo salvo de novo",
    ),
    C.FILE_ZIP: (
        "o arquivo ZIP não está organizado como um que traz uma tabela",
        "um ZIP com uma tabela e nada mais",
    ),
    C.FILE_XML_FORBIDDEN: (
        "a pasta de trabalho declara um tipo de documento ou entidades, o que nenhum programa de planilhas faz",
        "a pasta de trabalho salva de novo por um programa de planilhas",
    ),
    C.FILE_PARSER: (
        "a leitura da pasta de trabalho foi interrompida, pois passou de {limit}",
        "só a tabela, salva em uma pasta nova ou como CSV",
    ),
    C.FILE_QUOTE: (
        "aspas abertas não se fecham, ou se fecham no meio de um campo",
        "aspas em volta de campos inteiros, dobradas onde fazem parte do texto",
    ),
    C.FILE_PART_MISSING: (
        "falta a parte {part} de {parts} deste demonstrativo",
        "todas as partes do demonstrativo, em uma só fonte do trabalho",
    ),
    C.FILE_VALUES_ONLY: (
        (
            "deste tipo de pasta só se leem os valores: erros e fórmulas nunca calculadas parecem vazios, "
            "e células ocultas, células mescladas e percentuais parecem como as outras"
        ),
        "o arquivo salvo como .xlsx, em que tudo isso é visto; ou uma olhada nele antes de aprovar",
    ),
    C.LAYOUT_UNKNOWN: (
        "nenhum leiaute conhecido serve; o mais próximo é {near}, ao qual falta {missing}",
        "um demonstrativo de remetente conhecido; ou um leiaute seu, rascunhado por `repasse layouts new ARQUIVO`",
    ),
    C.LAYOUT_AMBIGUOUS: (
        "mais de um leiaute serve: {found}",
        "o leiaute dito no trabalho em vez de auto",
    ),
    C.SHEET_MISSING: (
        "a planilha não está no arquivo",
        "uma aba com o nome que o leiaute indica",
    ),
    C.SHEET_AMBIGUOUS: (
        "não está claro qual aba usar",
        "uma só aba com o cabeçalho esperado, ou o nome dela no leiaute",
    ),
    C.SHEET_UNREAD: (
        "{rows} linha(s) desta aba não foram lidas por nada",
        "nada, se não há dinheiro nela; ou uma fonte do trabalho que leia esta aba",
    ),
    C.COLUMN_MISSING: (
        "falta a coluna de {wanted}; os cabeçalhos mais parecidos são: {near}",
        "uma coluna com um destes cabeçalhos: {headers}",
    ),
    C.COLUMN_DUPLICATE: (
        "as colunas {letters} se dizem todas {wanted}",
        "uma coluna só",
    ),
    C.COLUMN_UNKNOWN: (
        "o leiaute não conhece esta coluna; ela não foi lida",
        "um cabeçalho que o leiaute conheça, ou uma entrada em `ignored`",
    ),
    C.HIDDEN_DATA: (
        "há linhas ou colunas ocultas, e elas foram lidas: {found}",
        "nada oculto; ou uma olhada nelas antes de aprovar",
    ),
    C.TOTAL_MISMATCH: (
        "o total do próprio arquivo é {expected}, e suas linhas somam {found}; nada dele é pago",
        "um total que concorde com as linhas, ou nenhum total",
    ),
    C.ROW_WIDTH: (
        "a linha tem mais ou menos campos que os {expected} do cabeçalho",
        "tantos campos quantos o cabeçalho",
    ),
    C.ROW_DUPLICATE: (
        "o mesmo favorecido, com a mesma referência ou participação, está também na linha {other}",
        (
            "uma linha por favorecido, ou referências distintas; maiúsculas, espaços e traços não distinguem; "
            "cada participação e cada adiantamento uma vez"
        ),
    ),
    C.ROW_CONFLICT: (
        "o valor ou o destino difere do que foi enviado em {found}",
        "a linha como foi enviada; ou uma decisão: `repasse decide {key} --pay`, `--paid` ou `--drop`",
    ),
    C.ROW_RENAMED: (
        "linha renomeada? O mesmo valor, ao mesmo favorecido ou à mesma conta, foi em {found} por uma linha que sumiu",
        "a linha como foi enviada; ou uma decisão sobre esta: `repasse decide {key} --pay`, `--paid` ou `--drop`",
    ),
    C.ROW_CORRECTED: (
        "a linha está como quando foi corrigida em {found}, e é lida como está lá",
        "nada a fazer; ou a própria linha corrigida",
    ),
    C.ROW_PAID_BEFORE: (
        "o mesmo valor já foi para o mesmo favorecido ou a mesma conta: {found}",
        "uma linha que ainda é devida; a aprovação de uma pessoa o diz, --yes não",
    ),
    C.ROW_SECOND_ATTEMPT: (
        "{number}ª tentativa: {found} devia fazer este pagamento, e disse ERROR",
        "um olhar em {found} no serviço, e então a aprovação de uma pessoa; --yes não a dá",
    ),
    C.ROW_CONTRACT: (
        "a linha não cumpre o que a tabela promete ({rule})",
        "uma linha que cumpra as regras da tabela",
    ),
    C.VALUE_NORMALISED: (
        "{count} valor(es) desta coluna estavam escritos de outro modo e foram lidos na forma usual; este é o primeiro",
        "nada a fazer",
    ),
    C.CELL_REQUIRED: (
        "a célula está vazia",
        "um valor",
    ),
    C.CELL_ERROR: (
        "a célula contém um erro da planilha",
        "o valor que a fórmula deveria dar",
    ),
    C.CELL_MERGED: (
        "a célula está mesclada com outras",
        "uma célula para cada valor: desfaça a mesclagem e preencha cada uma",
    ),
    C.FORMULA_NO_VALUE: (
        "a célula contém uma fórmula nunca calculada",
        "o arquivo aberto, calculado e salvo por um programa de planilhas",
    ),
    C.FORMULA_STALE: (
        "a pasta de trabalho pede para ser recalculada: o valor pode ser antigo",
        "a pasta de trabalho aberta, calculada e salva por um programa de planilhas",
    ),
    C.FORMULA_EXTERNAL: (
        "a fórmula busca o valor em outra pasta de trabalho",
        "o próprio valor",
    ),
    C.NAME_REQUIRED: (
        "falta o nome",
        "o nome completo ou a razão social",
    ),
    C.NAME_LENGTH: (
        "o nome tem {found} caracteres",
        "de 2 a 200 caracteres",
    ),
    C.NAME_CONTROL: (
        "o nome contém um caractere invisível ({code_point})",
        "o nome sem ele; digite-o de novo",
    ),
    C.NAME_FORMULA: (
        "o nome começa como uma fórmula",
        "um nome que não comece com = + - ou @",
    ),
    C.NAME_CONFUSABLE: (
        "o nome mistura alfabetos: {code_point} parece uma letra dos demais e não é",
        "o nome digitado de novo em um só teclado; ou uma olhada nele antes de aprovar",
    ),
    C.NAME_ENCODING: (
        "o nome parece danificado por uma troca de codificação",
        "o nome como seu dono o escreve, com acentos",
    ),
    C.TEXT_LENGTH: (
        "o texto tem {found} caracteres",
        "no máximo {limit} caracteres",
    ),
    C.TEXT_CONTROL: (
        "o texto contém um caractere invisível ({code_point})",
        "o texto sem ele; digite-o de novo",
    ),
    C.TAXID_FORMAT: (
        "isto não é um CPF nem um CNPJ",
        "999.999.999-99 ou XX.XXX.XXX/XXXX-99, com ou sem pontuação",
    ),
    C.TAXID_LENGTH: (
        "tem {found} dígitos; o esperado são 11 ou 14; um zero à esquerda se perdeu?",
        "um CPF de 11 dígitos ou um CNPJ de 14, em coluna formatada como texto",
    ),
    C.TAXID_CHECK: (
        "os dígitos verificadores não conferem",
        "o CPF ou CNPJ como está no documento do titular",
    ),
    C.TAXID_NORMALISED: (
        "estava escrito de outro modo e foi lido como CPF ou CNPJ completo",
        "nada a fazer",
    ),
    C.TAXID_UNKNOWN_PAYEE: (
        "este CPF ou CNPJ não está entre os favorecidos",
        "um CPF ou CNPJ da tabela de favorecidos",
    ),
    C.EMAIL_FORMAT: (
        "isto não é um e-mail",
        "um endereço como nome@exemplo.com, sem acentos",
    ),
    C.AMOUNT_FORMAT: (
        "isto não é um valor",
        "dígitos com separador decimal, como 1.234,56",
    ),
    C.AMOUNT_TYPE: (
        "a célula contém uma data, um percentual ou sim/não em vez de um valor",
        "um número",
    ),
    C.AMOUNT_AMBIGUOUS: (
        "tanto pode ser milhar como decimal",
        "os centavos também escritos, como 1.234,56",
    ),
    C.AMOUNT_DECIMALS: (
        "tem mais de {limit} casas decimais",
        "no máximo {limit} casas decimais; nada é arredondado em silêncio",
    ),
    C.AMOUNT_NOT_POSITIVE: (
        "é zero ou negativo",
        "um valor acima de zero",
    ),
    C.AMOUNT_CURRENCY: (
        "está em {found}; aqui se espera {expected}",
        "um valor em {expected}",
    ),
    C.CURRENCY_UNKNOWN: (
        "não se sabe qual é a moeda",
        "três letras, como BRL ou USD, aqui ou no leiaute",
    ),
    C.CURRENCY_NO_RATE: (
        "o trabalho não dá a taxa de câmbio de {currency}",
        "uma taxa em `exchange` da fonte",
    ),
    C.PIX_TYPE_REQUIRED: (
        "falta o tipo da chave Pix; ele nunca é adivinhado",
        "CPF, CNPJ, Celular, E-mail ou Aleatória",
    ),
    C.PIX_TYPE_UNKNOWN: (
        "isto não é um tipo de chave Pix",
        "CPF, CNPJ, Celular, E-mail ou Aleatória",
    ),
    C.PIX_KEY_REQUIRED: (
        "há um tipo de chave Pix, mas não a chave",
        "a chave Pix",
    ),
    C.PIX_CPF: (
        "a chave Pix não é um CPF válido",
        "um CPF de 11 dígitos",
    ),
    C.PIX_CNPJ: (
        "a chave Pix não é um CNPJ válido",
        "um CNPJ de 14 caracteres",
    ),
    C.PIX_PHONE: (
        "a chave Pix não é um celular",
        "+55, DDD e nove dígitos começando com 9",
    ),
    C.PIX_PHONE_FOREIGN: (
        "a chave Pix é um telefone de fora do Brasil",
        "confira se é isso mesmo",
    ),
    C.PIX_EMAIL: (
        "a chave Pix não é um e-mail",
        "um endereço de até 77 caracteres, sem acentos",
    ),
    C.PIX_EVP: (
        "a chave Pix não é uma chave aleatória",
        "36 caracteres com hifens, como o banco mostra",
    ),
    C.PIX_AMBIGUOUS: (
        "a chave Pix é ao mesmo tempo um celular e um CPF válido",
        "+55 antes do número, se for telefone",
    ),
    C.PIX_OWNER: (
        "a chave Pix é o CPF ou CNPJ de outra pessoa",
        "o CPF ou CNPJ do próprio favorecido, ou uma chave de outro tipo",
    ),
    C.DESTINATION_MISSING: (
        "não há chave Pix nem conta bancária",
        "uma chave Pix com o tipo, ou uma conta bancária",
    ),
    C.DESTINATION_CONFLICT: (
        "há uma chave Pix e também uma conta bancária",
        "só uma das duas",
    ),
    C.BANK_CODE: (
        "isto não é um código de banco",
        "três dígitos, como 001",
    ),
    C.BANK_PSP: (
        "isto não é um ISPB",
        "oito caracteres, como 00000000",
    ),
    C.BANK_FIELD_REQUIRED: (
        "uma conta bancária precisa de {missing}",
        "o campo {missing} preenchido",
    ),
    C.BANK_UNKNOWN: (
        "a lista de instituições do Pix não conhece nenhuma com este ISPB",
        "o ISPB da instituição da conta",
    ),
    C.BANK_INACTIVE: (
        "a instituição com este ISPB não participa mais do Pix",
        "uma conta em instituição ativa",
    ),
    C.BANK_MISMATCH: (
        "o código do banco e o ISPB são de instituições diferentes",
        "o código e o ISPB da mesma instituição",
    ),
    C.AGENCY_FORMAT: (
        "isto não é uma agência",
        "até quatro dígitos, sem o dígito verificador, em coluna formatada como texto",
    ),
    C.ACCOUNT_FORMAT: (
        "isto não é um número de conta",
        "dígitos e o dígito verificador, como 12345-6",
    ),
    C.ACCOUNT_PRECISION: (
        "a planilha perdeu dígitos desta conta",
        "a conta digitada de novo, em coluna formatada como texto",
    ),
    C.ACCOUNT_DIGIT: (
        "o dígito verificador não segue a regra usual deste banco",
        "confira o número da conta",
    ),
    C.ACCOUNT_TYPE: (
        "isto não é um tipo de conta",
        "Corrente, Poupança, Pagamento ou Salário",
    ),
    C.ACCOUNT_INVALID: (
        "o serviço diz que esta conta não pode receber",
        "outro destino, ou uma correção",
    ),
    C.ACCOUNT_UNKNOWN: (
        "não foi possível verificar a conta",
        "outra execução, que verifica de novo",
    ),
    C.ACCOUNT_BUDGET: (
        "o orçamento de verificações de conta acabou",
        "um account_checks.budget maior, ou outra execução",
    ),
    C.BOOL_FORMAT: (
        "isto não é sim nem não",
        "sim, não, ou vazio para não",
    ),
    C.DATE_FORMAT: (
        "isto não é uma data, ou pode ser lida de dois modos",
        "o ano primeiro, como 2026-11-20",
    ),
    C.DATE_ORDER: (
        "o último dia vem antes do primeiro",
        "valid_to igual ou posterior a valid_from",
    ),
    C.PERCENT_FORMAT: (
        "isto não é um percentual de até quatro casas, ou pode ser uma fração de um",
        "um percentual como 33,3333; com % quando for 1 ou menos",
    ),
    C.PERCENT_RANGE: (
        "não está acima de 0 e até 100",
        "um percentual acima de 0, até 100",
    ),
    C.PERCENT_SUM: (
        "as participações de {found} somam {sum} %",
        "no máximo 100 %",
    ),
    C.COUNT_FORMAT: (
        "isto não é um número inteiro",
        "um número inteiro",
    ),
    C.ISRC_FORMAT: (
        "isto não é um ISRC",
        "duas letras, três letras ou dígitos, sete dígitos, como BRABC2600001",
    ),
    C.UPC_FORMAT: (
        "isto não é um UPC nem um EAN",
        "de 8 a 14 dígitos, em coluna formatada como texto",
    ),
    C.SHARE_UNMATCHED: (
        "nenhuma participação cobre {lines} linha(s) de {found}",
        "uma participação para ela",
    ),
    C.OPENING_KIND: (
        "isto não é saldo, nem a recuperar, nem pago",
        "saldo, a recuperar ou pago",
    ),
    C.OPENING_PERIOD: (
        "o saldo entra em um período que nunca rodou, e não chega a nenhum",
        "o primeiro período que roda; aqui, {found}",
    ),
    C.OPENING_LEDGER: (
        "o diário já sabe disto, por {found}, e vale o que ele diz",
        "só o que o Repasse não fez ele mesmo; do contrário, nenhuma linha",
    ),
    C.OPENING_PAYMENT: (
        "esta referência não indica um único pagamento deste favorecido neste período",
        "a referência da linha de pagamento; royalties para o que foi pago de royalties",
    ),
    C.IDENTITY_CONFLICT: (
        "a linha {other} diz outra coisa do mesmo favorecido",
        "uma linha por CPF ou CNPJ, ou linhas iguais",
    ),
    C.CONTACT_DIFFERS: (
        "a linha indica outro contato que não o informado pelo serviço para este CPF ou CNPJ; vale o da linha",
        "o contato que `repasse contacts list` mostra, ou a célula vazia",
    ),
    C.CONTACT_REFUSED: (
        "o serviço recusou o contato deste favorecido",
        "a correção do que o serviço aponta",
    ),
    C.LIMIT_PAYMENT: (
        "o maior pagamento, {found}, está acima do limite do trabalho, {limit}",
        "um segundo aprovador",
    ),
    C.LIMIT_RUN: (
        "o total do plano, {found}, está acima do limite do trabalho, {limit}",
        "um segundo aprovador",
    ),
    C.REFUSED_BY_SERVICE: (
        "o serviço recusou este pagamento",
        "a correção do que o serviço aponta",
    ),
}
