-- What runs changed, for payees, of periods that had been read before: each entry with the run before it. A row of a
-- payments sheet is changed where something was booked of it before; royalties are, once anything of their period was.
WITH restated AS (
    SELECT
        entries.number AS number,
        entries.day AS day,
        entries.period AS period,
        entries.kind AS kind,
        entries.job AS job,
        entries.payer AS payer,
        entries.currency AS currency,
        entries."by" AS run_id,
        before."by" AS run_before,
        accounts.kind AS account,
        accounts.payee AS tax_id,
        -postings.amount_cents AS amount_cents
    FROM journal_postings AS postings
    JOIN journal_accounts AS accounts ON accounts.id = postings.account_id
    JOIN journal_entries AS entries ON entries.number = postings.entry_number
    JOIN journal_entries AS before ON before.number = (
        SELECT MAX(earlier.number)
        FROM journal_entries AS earlier
        WHERE earlier.kind = 'read' AND earlier.job = entries.job AND earlier.payer = entries.payer
          AND earlier.currency = entries.currency AND earlier.period = entries.period
          AND earlier.number < entries.number AND earlier."by" <> entries."by"
    )
    WHERE entries.kind IN ('read', 'recoup') AND accounts.payee <> '' AND (
        accounts.kind = 'payee'
        OR (accounts.kind = 'payment' AND EXISTS (
            SELECT 1
            FROM journal_postings AS others
            JOIN journal_entries AS reads ON reads.number = others.entry_number
            WHERE others.account_id = accounts.id AND reads.kind = 'read' AND reads.number < entries.number
        ))
    )
)
