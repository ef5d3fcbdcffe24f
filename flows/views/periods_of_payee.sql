-- The periods of jobs in which runs knew anything of some payees, each with the last run that did.
SELECT job, period, tax_id, run_id
FROM (
    SELECT
        runs.job, runs.period, known.tax_id, runs.run_id,
        ROW_NUMBER() OVER (
            PARTITION BY runs.job, runs.period, known.tax_id ORDER BY runs.started_at DESC, runs.run_id DESC
        ) AS newest
    FROM (
        SELECT run_id, tax_id FROM run_obligations WHERE tax_id IN :payees
        UNION
        SELECT run_id, tax_id FROM run_payees WHERE tax_id IN :payees AND earned_cents IS NOT NULL
    ) AS known
    JOIN runs ON runs.run_id = known.run_id
) AS numbered
WHERE newest = 1
ORDER BY job, period, tax_id
