-- Since when it stands there: the oldest of the newest sums that make it up, the first come the first paid. What a report
-- took and gave back is as if it had never been sent.
moved AS (
    SELECT
        accounts.id AS account,
        CASE WHEN accounts.kind = 'transit' THEN entries.cause ELSE '' END AS report,
        MIN(entries.day) AS day,
        MIN(entries.number) AS number,
        -SUM(postings.amount_cents) AS cents
    FROM asked AS accounts
    JOIN journal_postings AS postings ON postings.account_id = accounts.id
    JOIN journal_entries AS entries ON entries.number = postings.entry_number
    WHERE accounts.kind IN ('payee', 'payment', 'unassigned', 'service_held', 'returned', 'transit') AND entries.day <= :until
    GROUP BY
        accounts.id,
        CASE WHEN accounts.kind = 'transit' THEN entries.cause ELSE '' END,
        CASE WHEN SUBSTR(entries.cause, 1, 3) = 'rp-' THEN entries.cause ELSE CAST(entries.number AS VARCHAR(20)) END
),
standing AS (
    SELECT account, report, SUM(cents) AS cents
    FROM moved
    GROUP BY account, report
    HAVING SUM(cents) <> 0
),
newest AS (
    SELECT
        moved.account, moved.report, moved.day, standing.cents,
        SUM(CASE WHEN (moved.cents > 0) = (standing.cents > 0) THEN ABS(moved.cents) ELSE 0 END)
            OVER (PARTITION BY moved.account, moved.report ORDER BY moved.number DESC) AS newer_cents
    FROM standing
    JOIN moved ON moved.account = standing.account AND moved.report = standing.report
)
SELECT
    accounts.kind, accounts.job, accounts.payer, accounts.payee, accounts.reference, accounts.currency,
    newest.report, MAX(newest.day) AS since
FROM newest
JOIN journal_accounts AS accounts ON accounts.id = newest.account
WHERE newest.newer_cents >= ABS(newest.cents)
GROUP BY
    accounts.kind, accounts.job, accounts.payer, accounts.payee, accounts.reference, accounts.currency, newest.report
