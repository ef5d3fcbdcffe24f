-- What the rows of deals say that go on over periods: of each job, as its last run has read them.
SELECT
    terms.kind AS kind,
    terms.payee AS payee,
    terms.name AS name,
    terms.what AS what,
    terms.about AS about,
    terms.row AS row,
    terms.bounds AS bounds,
    terms.day AS day,
    newest.job AS job,
    newest.payer AS payer,
    newest.currency AS currency
FROM run_deals AS terms
JOIN (
    SELECT
        results.*,
        ROW_NUMBER() OVER (
            PARTITION BY results.job, results.payer, results.currency ORDER BY results.run_id DESC
        ) AS place
    FROM run_results AS results
) AS newest ON newest.run_id = terms.run_id AND newest.place = 1
ORDER BY newest.job, newest.payer, newest.currency, terms.number
