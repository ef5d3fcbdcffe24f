"""Reading split reports: GET /split and GET /split/{split_id}/get."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, get_args

from io_adapters.split_api.assumptions import Assumptions
from io_adapters.split_api.connections import path_part
from io_adapters.split_api.errors import NotThere
from io_adapters.split_api.questions import TRIES, Questions
from schemas.errors import NotSent
from schemas.wire import ReportStatus, SplitReport

LISTING_TIME: Final = 10  # a listing may be long: it has so many times the time of one answer


class ReportsReader:
    """What can be asked about reports. Asking changes nothing, and is tried again."""

    def __init__(self, questions: Questions, assumptions: Assumptions) -> None:
        """Prepare; nothing is sent yet."""
        self._questions = questions
        self._assumptions = assumptions

    def list_reports(self, status: ReportStatus | None = None) -> tuple[SplitReport, ...]:
        """List the reports, all or of one status, in the service's order.

        Raises:
            NotSent: the listing failed, was cut, or is not a list of objects: no information.
        """
        params = {"status": status} if status else None
        data = self._questions.ask("/split", params, deadline_s=LISTING_TIME * self._questions.timeout_s)
        if not isinstance(data, list) or not all(isinstance(element, dict) for element in data):
            raise NotSent("the payout service's listing is not a list of reports")
        return tuple(map(SplitReport.model_validate, data))

    def list_all_reports(self) -> tuple[SplitReport, ...]:
        """List without a filter and by each status, united by `_id`: either way alone may leave reports out.

        Raises:
            NotSent: any one of the listings failed.
        """
        return union(self.list_reports(status) for status in (None, *get_args(ReportStatus)))

    def get_report(self, split_id: str) -> SplitReport:
        """Fetch one report.

        Args:
            split_id: The id that `Assumptions.id_for_get` names.

        Raises:
            ValueError: the id is empty, or dots alone.
            NotThere: the service answers 404.
            NotSent: no answer, or one about another report.
        """
        path = f"/split/{path_part(split_id)}/get"
        data = self._questions.ask(path, deadline_s=TRIES * self._questions.timeout_s)
        if not isinstance(data, dict):
            raise NotSent("the payout service's answer is not a report")
        report = SplitReport.model_validate(data)
        if self._told(report) not in {None, split_id}:
            raise NotSent("the payout service answered about another report than the one asked for")
        return report

    def find_report(self, split_id: str) -> SplitReport | None:
        """Fetch one report as `get_report` does; None when the service answers 404."""
        try:
            return self.get_report(split_id)
        except NotThere:
            return None

    def _told(self, report: SplitReport) -> str | None:
        """Return the id of a report that paths take."""
        return report.id if self._assumptions.get_takes == "_id" else report.reportId


def union(listings: Iterable[Iterable[SplitReport]]) -> tuple[SplitReport, ...]:
    """Unite listings by `_id`; of two readings of one report the later counts.

    Reports without an id stay apart as often as one single listing shows them: two twins are two.
    """
    reports: dict[str, SplitReport] = {}
    for listing in listings:
        nameless: Counter[str] = Counter()
        for report in listing:
            key = report.id
            if key is None:
                content = repr(report)
                nameless[content] += 1
                key = f"{nameless[content]} {content}"
            reports[key] = report
    return tuple(reports.values())
