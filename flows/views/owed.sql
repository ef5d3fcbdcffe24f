-- What each account says at the end of a day that is owed to somebody, is nobody's yet, was kept back by the service, or
-- is on its way, by report. Also those of the payees of some runs at which nothing stands: they are booked.
standing AS (
    SELECT
        accounts.id AS number,
        CASE WHEN accounts.kind = 'transit' THEN entries.cause ELSE '' END AS report,
        -SUM(postings.amount_cents) AS amount_cents,
        MAX(entries.period) AS period
    FROM asked AS accounts
    JOIN journal_postings AS postings ON postings.account_id = accounts.id
    JOIN journal_entries AS entries ON entries.number = postings.entry_number
    WHERE accounts.kind IN ('payee', 'payment', 'unassigned', 'service_held', 'returned', 'transit') AND entries.day <= :until
    GROUP BY accounts.id, CASE WHEN accounts.kind = 'transit' THEN entries.cause ELSE '' END
)
SELECT
    accounts.kind, accounts.job, accounts.payer, accounts.payee, accounts.reference, accounts.currency,
    standing.report, standing.amount_cents, standing.period
FROM standing
JOIN journal_accounts AS accounts ON accounts.id = standing.number
WHERE standing.amount_cents <> 0
   OR (accounts.kind <> 'transit' AND accounts.payee IN (SELECT tax_id FROM run_obligations WHERE run_id IN :runs))
ORDER BY standing.number, standing.report
