-- Of some payees.
SELECT number, day, period, run_id, run_before, tax_id, amount_cents
FROM restated
WHERE tax_id IN :payees AND kind = 'read'
ORDER BY number, tax_id
