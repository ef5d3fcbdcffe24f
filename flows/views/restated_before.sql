-- Of royalties of a run's series, before that run and about periods before its own; nothing that another period's first
-- statement since has told.
SELECT restated.number, restated.day, restated.period, restated.run_id, restated.run_before, restated.tax_id,
    restated.amount_cents
FROM restated
JOIN run_results AS asked ON asked.run_id = :run AND asked.job = restated.job AND asked.payer = restated.payer
    AND asked.currency = restated.currency
JOIN runs AS here ON here.run_id = asked.run_id
JOIN journal_entries AS entries ON entries.number = restated.number
WHERE restated.account = 'payee' AND entries.at < here.started_at AND entries.period <> asked.period
  AND CAST(entries.period_start AS VARCHAR(10)) < asked.first_day
  AND NOT EXISTS (
    SELECT 1
    FROM journal_entries AS later
    WHERE later.kind = 'read' AND later.job = entries.job AND later.payer = entries.payer
      AND later.currency = entries.currency AND later.period <> asked.period
      AND later.period_start > entries.period_start
      AND CAST(later.period_start AS VARCHAR(10)) < asked.first_day
      AND later.number > entries.number AND later.at < here.started_at
  )
ORDER BY restated.number, restated.tax_id
