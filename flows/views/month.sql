-- Sums by job, period and currency: of all entries about periods that begin in a month, whenever they were booked, and
-- of those that were booked in it, whatever period they are about.
asked AS (
    SELECT number
    FROM journal_entries
    WHERE CASE
        WHEN :by = 'period' THEN SUBSTR(CAST(period_start AS VARCHAR(10)), 1, 7)
        ELSE month
    END = :month
)
SELECT
    job, period, currency,
    SUM(CASE
        WHEN kind = 'move' THEN CASE WHEN place IN ('source', 'fee', 'checks') THEN 0 ELSE cents END
        WHEN place = 'source' THEN -cents
        WHEN kind = 'opening' AND place = 'owed' AND cents > 0 THEN cents
        ELSE 0
    END) AS came_in_cents,
    SUM(recouped_cents) AS recouped_cents,
    SUM(tax_cents) AS tax_cents,
    SUM(transit_cents) AS transit_cents,
    SUM(paid_cents) AS paid_cents,
    SUM(income_tax_cents) AS income_tax_cents,
    SUM(service_fee_cents) AS service_fee_cents,
    SUM(service_held_cents) AS service_held_cents,
    SUM(returned_cents) AS returned_cents,
    SUM(CASE
        WHEN kind = 'opening' THEN CASE WHEN place = 'owed' AND cents < 0 THEN -cents ELSE 0 END
        WHEN place = 'outside' THEN cents
        ELSE 0
    END) AS outside_cents,
    SUM(CASE WHEN place = 'owner' THEN cents ELSE 0 END) AS owner_cents,
    SUM(CASE WHEN place = 'unassigned' THEN cents ELSE 0 END) AS unassigned_cents,
    SUM(owed_cents) AS owed_cents,
    SUM(CASE WHEN place = 'service_fee' THEN cents WHEN place = 'fee' THEN -cents ELSE 0 END) AS fee_cents,
    SUM(CASE WHEN place = 'checks' THEN -cents ELSE 0 END) AS checks_cents
FROM sums
WHERE number IN (SELECT number FROM asked)
GROUP BY job, period, currency
ORDER BY job, period, currency
