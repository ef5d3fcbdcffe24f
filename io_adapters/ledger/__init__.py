"""The ledger: the durable record (SQLite or PostgreSQL) that decides what may still be sent."""

from io_adapters.ledger.account_checks import KeptCheck, NotReserved
from io_adapters.ledger.claims import ClaimCollision
from io_adapters.ledger.decisions import Freeze, Hold
from io_adapters.ledger.directory import Finding, KeptWebhook
from io_adapters.ledger.leases import Lease, Owner, is_gone
from io_adapters.ledger.ledger import Ledger, open_ledger
from io_adapters.ledger.outbox import Answer, Transition
from io_adapters.ledger.plans import StoredPlan
from io_adapters.ledger.reports import ReportSnapshot
from io_adapters.ledger.runs import Run

__all__ = [
    "Answer",
    "ClaimCollision",
    "Finding",
    "Freeze",
    "Hold",
    "KeptCheck",
    "KeptWebhook",
    "Lease",
    "Ledger",
    "NotReserved",
    "Owner",
    "ReportSnapshot",
    "Run",
    "StoredPlan",
    "Transition",
    "is_gone",
    "open_ledger",
]
