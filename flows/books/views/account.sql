-- What each entry moved between one payee's accounts, in the order it was booked. The journal's credits are negative;
-- here what is owed, and what left for somewhere, is positive. Of every row: what came in is what is owed by it and all
-- that went elsewhere. Advances paid ahead are the view of advances; here stands what was recouped of them.
WITH moved AS (
    SELECT
        entries.number AS number,
        entries.day AS day,
        entries.period AS period,
        entries.kind AS kind,
        entries.cause AS cause,
        entries.job AS job,
        entries.currency AS currency,
        -SUM(CASE WHEN accounts.kind IN ('payee', 'payment') THEN postings.amount_cents ELSE 0 END) AS owed_cents,
        SUM(CASE WHEN accounts.kind = 'advance' THEN postings.amount_cents ELSE 0 END) AS advance_cents,
        SUM(CASE WHEN accounts.kind = 'tax' THEN postings.amount_cents ELSE 0 END) AS tax_cents,
        SUM(CASE WHEN accounts.kind = 'transit' THEN postings.amount_cents ELSE 0 END) AS transit_cents,
        SUM(CASE WHEN accounts.kind = 'service' THEN postings.amount_cents ELSE 0 END) AS service_cents,
        SUM(CASE WHEN accounts.kind = 'service_held' THEN postings.amount_cents ELSE 0 END) AS service_held_cents,
        SUM(CASE WHEN accounts.kind = 'service_tax' THEN postings.amount_cents ELSE 0 END) AS service_tax_cents,
        SUM(CASE WHEN accounts.kind = 'service_fee' THEN postings.amount_cents ELSE 0 END) AS service_fee_cents,
        SUM(CASE WHEN accounts.kind = 'outside' THEN postings.amount_cents ELSE 0 END) AS outside_cents,
        SUM(postings.amount_cents) AS rest_cents
    FROM journal_postings AS postings
    JOIN journal_accounts AS accounts ON accounts.id = postings.account_id
    JOIN journal_entries AS entries ON entries.number = postings.entry_number
    WHERE accounts.payee IN :payees
      AND entries.day <= :until
      AND (
          accounts.kind IN (
              'payee', 'payment', 'tax', 'transit', 'service', 'service_held', 'service_tax', 'service_fee', 'outside'
          )
          OR (accounts.kind = 'advance' AND entries.kind = 'recoup')
      )
    GROUP BY entries.number, entries.day, entries.period, entries.kind, entries.cause, entries.job, entries.currency
)
SELECT
    number, day, period, kind, cause, job, currency,
    CASE WHEN kind = 'decision' THEN 0 ELSE -rest_cents END AS came_in_cents,
    -advance_cents AS recouped_cents,
    -tax_cents AS tax_cents,
    -transit_cents AS transit_cents,
    -service_cents AS paid_cents,
    -service_tax_cents AS income_tax_cents,
    -service_fee_cents AS fee_cents,
    -service_held_cents AS service_held_cents,
    -outside_cents + CASE WHEN kind = 'decision' THEN rest_cents ELSE 0 END AS outside_cents,
    owed_cents
FROM moved
WHERE owed_cents <> 0 OR advance_cents <> 0 OR tax_cents <> 0 OR transit_cents <> 0 OR service_cents <> 0
   OR service_held_cents <> 0 OR service_tax_cents <> 0 OR service_fee_cents <> 0 OR outside_cents <> 0
ORDER BY number
