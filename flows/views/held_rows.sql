-- Rows that runs hold and of which no sum is owed: rows to be paid whose amount cannot be read, and those of files that
-- are not paid row by row (statements, payees, shares, advances), counted by reason.
SELECT owed.run_id, owed.kind, owed.reasons, COUNT(*) AS number
FROM run_obligations AS owed
WHERE owed.run_id IN :runs AND owed.place = 'held' AND owed.amount_cents = 0
GROUP BY owed.run_id, owed.kind, owed.reasons
UNION ALL
SELECT held.run_id, 'row', held.reasons, SUM(held.rows)
FROM run_rows AS held
WHERE held.run_id IN :runs AND held.disposition = 'held' AND NOT EXISTS (
    SELECT 1
    FROM run_obligations AS paid
    WHERE paid.run_id = held.run_id AND paid.file = held.file AND paid.row > 0
)
GROUP BY held.run_id, held.reasons
