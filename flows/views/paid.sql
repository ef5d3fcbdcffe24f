-- What was booked of each payee as paid by the service on some days, and what it kept; less than nothing where it came
-- back. What it kept of payments of several is nobody's.
SELECT
    entries.number AS number,
    entries.cause AS cause,
    entries.day AS day,
    entries.job AS job,
    entries.period AS period,
    entries.payer AS payer,
    entries.currency AS currency,
    accounts.payee AS tax_id,
    SUM(CASE WHEN accounts.kind = 'service_tax' THEN 0 ELSE -postings.amount_cents END) AS paid_cents,
    SUM(CASE WHEN accounts.kind = 'service_tax' THEN -postings.amount_cents ELSE 0 END) AS kept_cents
FROM journal_entries AS entries
JOIN journal_postings AS postings ON postings.entry_number = entries.number
JOIN journal_accounts AS accounts ON accounts.id = postings.account_id
WHERE entries.day >= :since AND entries.day <= :until AND accounts.kind IN ('service', 'service_fee', 'service_tax')
GROUP BY entries.number, entries.cause, entries.day, entries.job, entries.period, entries.payer, entries.currency,
    accounts.payee
ORDER BY entries.number, accounts.payee
