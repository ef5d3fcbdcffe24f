-- Of everybody.
WITH asked AS (SELECT * FROM journal_accounts),
