-- Of royalties of a run's series, before that run and about periods before its own; nothing that statements of another
-- period have told since: those of a run that sent something, and of one that changed something for the payee.
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
    FROM run_results AS others
    JOIN runs ON runs.run_id = others.run_id
    WHERE others.job = asked.job AND others.payer = asked.payer AND others.currency = asked.currency
      AND others.period <> asked.period AND others.first_day < asked.first_day
      AND others.first_day > CAST(entries.period_start AS VARCHAR(10))
      AND runs.started_at > entries.at AND runs.started_at < here.started_at
      AND (
        EXISTS (
            SELECT 1
            FROM attempts
            JOIN submissions ON submissions.id = attempts.id
            WHERE attempts.run_id = others.run_id AND submissions.split_id IS NOT NULL
        )
        OR EXISTS (
            SELECT 1
            FROM journal_entries AS changes
            JOIN journal_postings AS touched ON touched.entry_number = changes.number
            JOIN journal_accounts AS theirs ON theirs.id = touched.account_id
            WHERE changes."by" = others.run_id AND changes.kind = 'read' AND theirs.kind = 'payee'
              AND theirs.payee = restated.tax_id
        )
      )
  )
ORDER BY restated.number, restated.tax_id
