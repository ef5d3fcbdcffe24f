-- Whom a run owes less than was booked before, by what its inputs say now: a share, a row or a file is gone or lower.
SELECT accounts.payee AS tax_id, SUM(postings.amount_cents) AS amount_cents
FROM journal_postings AS postings
JOIN journal_accounts AS accounts ON accounts.id = postings.account_id
JOIN journal_entries AS entries ON entries.number = postings.entry_number
WHERE entries."by" = :run AND entries.kind = 'read' AND accounts.kind IN ('payee', 'payment') AND accounts.payee <> ''
GROUP BY accounts.payee
HAVING SUM(postings.amount_cents) > 0
ORDER BY accounts.payee
