-- What runs have not paid, by all that rules tell apart: money by where the run had it, by what claims it and by people's
-- last word on what that report did; and the held rows of files that are not paid row by row (statements, payees, shares,
-- advances), counted. Reports that paid, or are on their way, tell of themselves; of a conflict it is the other's.
SELECT
    run_id, kind, place, reasons, submission_id, word, COUNT(*) AS number, SUM(amount_cents) AS amount_cents
FROM (
    SELECT
        owed.run_id, owed.kind, owed.place, owed.reasons, owed.submission_id, owed.amount_cents,
        COALESCE((
            SELECT said.kind
            FROM decisions AS said
            WHERE said.obligation_key = owed.key AND said.submission_id = owed.submission_id
            ORDER BY said.id DESC
            LIMIT 1
        ), '') AS word
    FROM run_obligations AS owed
    WHERE owed.run_id IN :runs AND (
        owed.place = 'conflict' OR owed.submission_id NOT IN (
            SELECT id
            FROM attempts
            WHERE state IN ('sending', 'in_doubt', 'absent', 'accepted', 'processing', 'paid')
        )
    )
) AS unpaid
GROUP BY run_id, kind, place, reasons, submission_id, word
UNION ALL
SELECT held.run_id, 'row', 'held', held.reasons, '', '', SUM(held.rows), 0
FROM run_rows AS held
WHERE held.run_id IN :runs AND held.disposition = 'held' AND NOT EXISTS (
    SELECT 1
    FROM run_obligations AS paid
    WHERE paid.run_id = held.run_id AND paid.file = held.file AND paid.row > 0
)
GROUP BY held.run_id, held.reasons
