-- The legs of all entries, each under the column that people are shown it in. The journal's credits are negative; here
-- what is owed, and what left for somewhere, is positive. An advance that is paid ahead is no matter of these columns,
-- nor is what went to the service before it pays.
WITH legs AS (
    SELECT
        postings.entry_number AS number,
        entries.day AS day,
        entries.period AS period,
        entries.kind AS kind,
        -- The cause where it is a report; that of a move names documents, which no view may show.
        CASE WHEN SUBSTR(entries.cause, 1, 3) = 'rp-' THEN entries.cause ELSE '' END AS report,
        CASE WHEN accounts.job = '' THEN entries.job ELSE accounts.job END AS job,
        accounts.currency AS currency,
        accounts.payee AS payee,
        CASE
            WHEN accounts.kind IN ('payee', 'payment') THEN 'owed'
            WHEN accounts.kind = 'advance' THEN 'recouped'
            WHEN accounts.kind = 'service' THEN 'paid'
            WHEN accounts.kind = 'service_tax' THEN 'income_tax'
            WHEN accounts.kind = 'expense' THEN accounts.reference
            ELSE accounts.kind
        END AS place,
        -postings.amount_cents AS cents
    FROM journal_postings AS postings
    JOIN journal_accounts AS accounts ON accounts.id = postings.account_id
    JOIN journal_entries AS entries ON entries.number = postings.entry_number
    WHERE accounts.kind NOT IN ('float', 'bank') AND (accounts.kind <> 'advance' OR entries.kind = 'recoup')
),
-- The same, with what is in each column.
sums AS (
    SELECT
        legs.*,
        CASE WHEN place = 'recouped' THEN cents ELSE 0 END AS recouped_cents,
        CASE WHEN place = 'tax' THEN cents ELSE 0 END AS tax_cents,
        CASE WHEN place = 'transit' THEN cents ELSE 0 END AS transit_cents,
        CASE WHEN place = 'paid' THEN cents ELSE 0 END AS paid_cents,
        CASE WHEN place = 'income_tax' THEN cents ELSE 0 END AS income_tax_cents,
        CASE WHEN place = 'service_fee' THEN cents ELSE 0 END AS service_fee_cents,
        CASE WHEN place = 'service_held' THEN cents ELSE 0 END AS service_held_cents,
        CASE WHEN place = 'returned' THEN cents ELSE 0 END AS returned_cents,
        CASE WHEN place = 'owed' THEN cents ELSE 0 END AS owed_cents
    FROM legs
),
