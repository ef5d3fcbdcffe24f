"""The list of institutions is read to its end, and a list without one is told instead of read for ever."""

import datetime as dt

import httpx
import pytest

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.errors import QuestionRefused, RuleBroken
from schemas.errors import NotSent


class Pages:
    """A service of so many institutions; `changed(page)` may bend what a page says."""

    def __init__(self, count, *, size=10, first=1, changed=lambda page: page, name="page_number"):
        self.count, self.size, self.first, self.changed, self.name = count, size, first, changed, name
        self.asked = []

    def __call__(self, request):
        self.asked.append(dict(request.url.params))
        number = int(request.url.params.get(self.name, self.first))
        begin = (number - self.first) * self.size
        pages = -(-self.count // self.size)
        rows = [{"ispb_number": f"{row:08}"} for row in range(begin, min(begin + self.size, self.count))]
        told = {
            "current_page": number, "rows_per_page": self.size, "total_pages": pages, "total_rows": self.count,
            "next_page": number + 1 if number - self.first + 1 < pages else None,
        }  # fmt: skip
        return httpx.Response(200, json=self.changed({"data": rows, "pagination": told}))


def paged(**changes):
    def change(page):
        told = page["pagination"]
        return page | {"pagination": told | {k: v(told) if callable(v) else v for k, v in changes.items()}}

    return change


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("count", [0, 1, 10, 11, 95])
@pytest.mark.parametrize(
    "changed",
    [
        paged(),
        paged(next_page=None),  # only the total tells that there is more
        paged(total_pages=None),
        paged(total_rows=None),
        paged(total_rows=None, total_pages=None),
        paged(rows_per_page=None),
    ],
)
def test_all_pages_are_read_each_once_wherever_counting_begins(talk, first, count, changed):
    pages = Pages(count, first=first, changed=changed)
    found = talk(pages)[0].pix.institutions()
    assert [institution.ispb_number for institution in found] == [f"{row:08}" for row in range(count)]
    assert len(pages.asked) <= max(1, -(-count // 10)) + (first == 0)


def test_a_service_that_always_names_a_next_page_comes_to_an_end_with_the_last(talk):
    pages = Pages(25, changed=paged(next_page=lambda told: told["current_page"] + 1))
    assert len(talk(pages)[0].pix.institutions()) == 25
    assert len(pages.asked) == 3


def test_a_list_that_is_not_paged_at_all_is_whole(talk):
    api, service = talk(httpx.Response(200, json={"data": [{"name": "A"}], "pagination": None}))
    assert [institution.name for institution in api.pix.institutions()] == ["A"]
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("pages", "why"),
    [
        (Pages(95, name="page"), "does not advance.*INSTITUTIONS_PAGE"),  # takes another query name: always page 1
        (Pages(95, name="page", changed=paged(current_page=None)), "does not advance"),
        (Pages(95, changed=paged(next_page=1)), "does not advance"),
        (Pages(95, changed=paged(next_page=lambda told: told["current_page"])), "does not advance"),
        (Pages(95, changed=lambda page: page | {"data": []}), "empty page"),
        (Pages(95, changed=lambda page: page | {"data": None}), "no list"),
        (Pages(95, changed=lambda page: page | {"data": "A"}), "no list"),
        (Pages(95, changed=paged(total_rows=400)), "ended after 95 of 400"),
        (Pages(10_000, size=1), "grows without end|more than 500 pages"),
        (Pages(10_000, size=1, changed=paged(total_pages=None, total_rows=None)), "more than 500 pages"),
        (
            Pages(300, changed=paged(total_pages=lambda told: told["current_page"] + 1, total_rows=None)),
            "grows without end",
        ),
    ],
)
def test_pages_that_lead_nowhere_end_with_a_clear_error(talk, pages, why):
    with pytest.raises(NotSent, match=why):
        talk(pages)[0].pix.institutions()
    assert len(pages.asked) <= 501


def test_a_service_that_counts_on_and_tells_the_same_page_for_ever_is_noticed(talk):
    numbers = iter(range(2, 10_000))

    def same(_request):
        return httpx.Response(200, json={"data": [{"name": "A"}], "pagination": {"next_page": next(numbers)}})

    api, service = talk(same)
    with pytest.raises(NotSent, match="does not advance"):
        api.pix.institutions()
    assert len(service.asked) == 2


def test_a_failed_page_makes_all_of_them_no_information(talk):
    pages = Pages(30)

    def answer(request):
        return httpx.Response(500) if request.url.params.get("page_number") == "2" else pages(request)

    with pytest.raises(NotSent, match="GET /pix/financial_institutions: HTTP 500"):
        talk(answer)[0].pix.institutions()


def test_a_busy_page_is_asked_for_again(talk):
    pages, busy = Pages(30), iter([True, False, True])

    def answer(request):
        return httpx.Response(503) if next(busy, False) else pages(request)

    assert len(talk(answer)[0].pix.institutions()) == 30


def test_filters_and_pages_go_out_under_the_assumed_names(talk):
    pages = Pages(15, name="p")
    assumed = Assumptions(
        institutions_name="n", institutions_min_start_date="from", institutions_max_start_date="to",
        institutions_page="p", institutions_page_size="s", institutions_rows=7,
    )  # fmt: skip
    api, _ = talk(pages, assumptions=assumed)
    api.pix.institutions(name=" Banco & Cia ", min_start_date=dt.date(2002, 4, 22), max_start_date=dt.date(2020, 1, 1))
    filters = {"n": "Banco & Cia", "from": "2002-04-22", "to": "2020-01-01", "s": "7"}
    assert pages.asked == [filters, filters | {"p": "2"}]


def test_without_filters_none_is_sent(talk):
    pages = Pages(3)
    talk(pages, assumptions=Assumptions(institutions_rows=0))[0].pix.institutions(name=" ")
    assert pages.asked == [{}]


def test_a_filtered_list_may_tell_how_many_there_are_without_the_filter(talk):
    pages = Pages(3, changed=paged(total_rows=400))
    assert len(talk(pages)[0].pix.institutions(name="Banco")) == 3


def test_dates_the_wrong_way_round_are_told_before_anything_is_asked(talk):
    api, service = talk(Pages(3))
    with pytest.raises(RuleBroken, match="must not be after"):
        api.pix.institutions(min_start_date=dt.date(2020, 1, 2), max_start_date=dt.date(2020, 1, 1))
    assert service.asked == []


def test_a_refused_filter_names_the_query_at_fault(talk):
    detail = [{"loc": ["query", "page_size"], "msg": "too large", "type": "less_than_equal"}]
    api, service = talk(httpx.Response(422, json={"detail": detail}))
    with pytest.raises(QuestionRefused, match=r"at query\.page_size") as caught:
        api.pix.institutions()
    assert isinstance(caught.value, NotSent)
    assert caught.value.validation_errors[0].type == "less_than_equal"
    assert len(service.asked) == 1


def test_pages_share_one_connection(serve, open_api):
    rows = iter(range(1, 9))

    def answer(server, conn):
        while server.read_request(conn) and (number := next(rows, None)):
            more = number + 1 if number < 3 else "null"
            body = b'{"data":[{"name":"%d"}],"pagination":{"current_page":%d,"next_page":%s}}' % (
                number, number, str(more).encode(),
            )  # fmt: skip
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    server = serve(answer)
    assert len(open_api(server.url).pix.institutions()) == 3
    assert server.connections == 1
