-- What rows of payments sheets are called, of whatever job and period, with whom they are for.
SELECT payee AS tax_id, reference FROM claims WHERE kind = 'payment' AND reference <> ''
UNION
SELECT tax_id, reference FROM run_obligations WHERE kind = 'payment' AND reference <> '' AND tax_id <> ''
