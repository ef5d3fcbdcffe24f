-- Taxes that took all there was of a payee on some days: no payment went with them.
SELECT
    entries.day AS day,
    entries.job AS job,
    entries.period AS period,
    entries.payer AS payer,
    entries.currency AS currency,
    accounts.payee AS tax_id,
    accounts.reference AS tax,
    -postings.amount_cents AS withheld_cents
FROM journal_entries AS entries
JOIN journal_postings AS postings ON postings.entry_number = entries.number
JOIN journal_accounts AS accounts ON accounts.id = postings.account_id
WHERE entries.day >= :since AND entries.day <= :until AND entries.kind = 'withhold' AND accounts.kind = 'tax'
ORDER BY entries.number, accounts.payee, accounts.reference
