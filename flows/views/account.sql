-- What each entry moved between one payee's accounts, in the order it was booked. The other side of what came in is
-- nobody's in particular: it is what these accounts got together. What people settled was paid or given up outside.
moved AS (
    SELECT
        number, day, period, kind, report, job, currency,
        SUM(recouped_cents) AS recouped_cents,
        SUM(tax_cents) AS tax_cents,
        SUM(transit_cents) AS transit_cents,
        SUM(paid_cents) AS paid_cents,
        SUM(income_tax_cents) AS income_tax_cents,
        SUM(service_fee_cents) AS service_fee_cents,
        SUM(service_held_cents) AS service_held_cents,
        SUM(returned_cents) AS returned_cents,
        SUM(CASE
            WHEN kind = 'decision' THEN CASE WHEN place = 'outside' THEN 0 ELSE -cents END
            WHEN kind = 'opening' THEN CASE WHEN place = 'owed' AND cents < 0 THEN -cents ELSE 0 END
            WHEN place = 'outside' THEN cents
            ELSE 0
        END) AS outside_cents,
        SUM(owed_cents) AS owed_cents
    FROM sums
    WHERE payee IN :payees AND day <= :until AND place NOT IN ('source', 'owner', 'unassigned')
    GROUP BY number, day, period, kind, report, job, currency
)
SELECT
    moved.*,
    0 AS owner_cents,
    0 AS unassigned_cents,
    recouped_cents + tax_cents + transit_cents + paid_cents + income_tax_cents + service_fee_cents + service_held_cents
        + returned_cents + outside_cents + owed_cents AS came_in_cents,
    (
        SELECT COALESCE(-SUM(kept.amount_cents), 0)
        FROM journal_accounts AS nobody
        JOIN journal_postings AS kept ON kept.account_id = nobody.id
        WHERE nobody.kind = 'service_tax' AND nobody.payee = '' AND kept.entry_number = moved.number
    ) AS report_tax_cents
FROM moved
WHERE owed_cents <> 0 OR recouped_cents <> 0 OR tax_cents <> 0 OR transit_cents <> 0 OR paid_cents <> 0
   OR income_tax_cents <> 0 OR service_fee_cents <> 0 OR service_held_cents <> 0 OR returned_cents <> 0
   OR outside_cents <> 0
ORDER BY number
