"""The job files of the sample jobs."""

PAYMENTS_JOB = """\
# One row, one payment: the spreadsheet carries the payees' own data.
job: aurora-payments
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
currency: BRL

sources:
  - files: payments.xlsx
    layout: payments

rules:
  limits: {payment: "50000.00", run: "2000000.00"}

account_checks: {when: new_or_changed, fee: "0.35", budget: "25.00"}
settle: {every_s: "0.5", for_s: "60"}
outputs: {folder: out}
"""

FEES_JOB = """\
# The next month's fees: two people, who sign in at the desk, see them before they are paid.
job: aurora-fees
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-11
currency: BRL

sources:
  - files: fees.xlsx
    layout: payments

approval: {identities: signed_in, other_than_preparer: true}

account_checks: {when: new_or_changed, fee: "0.35", budget: "25.00"}
settle: {every_s: "0.5", for_s: "60"}
outputs: {folder: out}
"""

ROYALTIES_JOB = """\
# Two statements, one in dollars: who made which recording says how they are shared.
job: aurora-royalties
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
currency: BRL

sources:
  - files: distrokid-{period}.tsv
    layout: distrokid
    exchange: {USD: {rate: "5.4312", date: 2026-10-31, source: PTAX}}
  - files: distribuidora-{period}.xlsx
    layout: royalties
payees: payees.xlsx
shares: shares.xlsx
advances: advances.csv

rules:
  owner: remainder
  unmatched: hold
  minimum_payout: "20.00"
  recoup_advances: true
  limits: {payment: "50000.00", run: "2000000.00"}

account_checks: {when: new_or_changed, fee: "0.35", budget: "25.00"}
settle: {every_s: "0.5", for_s: "60"}
outputs: {folder: out}
"""

CATALOGUE_JOB = """\
# The same statements and payees; one share of the whole catalogue, so that no line is left over.
job: aurora-catalogue
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
currency: BRL

sources:
  - files: ../royalties/distrokid-{period}.tsv
    layout: distrokid
    exchange: {USD: {rate: "5.4312", date: 2026-10-31, source: PTAX}}
  - files: ../royalties/distribuidora-{period}.xlsx
    layout: royalties
payees: ../royalties/payees.xlsx
shares: shares.xlsx

rules:
  owner: remainder
  unmatched: error
  minimum_payout: "20.00"
  recoup_advances: false
  limits: {payment: "50000.00", run: "2000000.00"}

account_checks: {when: new_or_changed, fee: "0.35", budget: "25.00"}
settle: {every_s: "0.5", for_s: "60"}
outputs: {folder: out}
"""

BROKEN_JOB = """\
# Everything that goes wrong in a spreadsheet, beside rows that are right.
job: aurora-broken
payer: {tax_id: 12.ABC.345/01DE-35, name: Selo Aurora}
period: 2026-10
currency: BRL

sources:
  - files: payments-broken.xlsx
    layout: payments

rules:
  invalid_payee: hold

account_checks: {when: new_or_changed, fee: "0.35", budget: "25.00"}
settle: {every_s: "0.5", for_s: "60"}
outputs: {folder: out}
"""
