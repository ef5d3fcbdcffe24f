-- What of some payees' advances is still to be recouped at the end of a day; those of a name are the payer's, of any job.
SELECT
    accounts.job AS job,
    accounts.currency AS currency,
    accounts.reference AS reference,
    accounts.payee AS payee,
    SUM(postings.amount_cents) AS left_cents
FROM journal_postings AS postings
JOIN journal_accounts AS accounts ON accounts.id = postings.account_id
JOIN journal_entries AS entries ON entries.number = postings.entry_number
WHERE accounts.kind = 'advance' AND accounts.payee IN :payees AND entries.day <= :until
GROUP BY accounts.job, accounts.currency, accounts.reference, accounts.payee
HAVING SUM(postings.amount_cents) <> 0
ORDER BY accounts.currency, accounts.job, accounts.reference, accounts.payee
