-- Of some payees.
WITH asked AS (SELECT * FROM journal_accounts WHERE payee IN :payees),
