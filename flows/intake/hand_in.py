"""Handing files in for a month: what has to be answered first, and the acts that record it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from flows.intake.intake import Intake
from flows.intake.rules.deliveries import (
    Answer,
    FileSays,
    MonthQuestion,
    is_ahead,
    month_of_rows,
    months_of_sums,
    question_of,
    replaced_by,
    says_of,
)
from flows.run import Run
from flows.run_request import INVOICES, keep_copy, names_of_sources
from io_adapters.spreadsheets.files import sha256_of, split_member
from schemas.acts import Act, ActKind
from schemas.deliveries import HandedFile, How, hand_in
from schemas.errors import UnsoundPlan
from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Listed, Message
from schemas.sources import FileUse


class _FileGiven(NamedTuple):
    path: str
    name: str
    sha256: str
    source: str


def hand_in_files(run: Run, intake: Intake, plain: Collection[str]) -> Intake:
    """Hand in what was given with the run, or say what has to be answered first.

    Args:
        plain: Paths of the files given that are no corrections of others.

    Returns:
        In a preview, with what would have to be answered.

    Raises:
        UnsoundPlan: something has to be answered; nothing is recorded.

    Effects: keeps the bytes of what is handed in, and records the acts; none, in a preview.
    """
    month, answer = run.request.month, _answer_of(run)
    handed = {file.sha256 for file in month.files}
    # What was handed in is not handed in again, but where it is to take a place that it has not taken yet.
    is_open = answer.how is How.IN_PLACE and not any(gone.startswith(answer.in_place_of.lower()) for gone in month.gone)
    given = [file for file in _given(run, plain) if is_open or file.sha256 not in handed]
    asked, taken = list[tuple[str, MonthQuestion]](), set[str]()
    for file in given:
        history = _History.of(run, file.source)
        for says in _says(run, intake, file):
            question = question_of(says, run.request.period, answer, history.there, history.before)
            if question:
                asked.append((file.path, question))
            elif answer.how is How.IN_PLACE:
                other = replaced_by(says, answer.in_place_of, history.there)
                if isinstance(other, Message):
                    raise UnsoundPlan(other)
                taken.add(other.sha256)
    gone = (month.gone - {file.sha256 for file in given}) | taken
    intake = replace(intake, gone=gone, questions=tuple(question for _, question in asked))
    if run.is_preview:
        return intake
    if asked:
        command = f"repasse run {quote(str(run.request.job_path))} --file "
        questions = (question.message(command + quote(path)) for path, question in asked)
        raise UnsoundPlan(Listed(tuple(questions), "\n"))
    acts = [*run.request.acts, *_withdrawals(run, taken), *(_handed_in(run, file, answer, taken) for file in given)]
    if acts:
        run.ledger.acts.record(*acts)
    return intake


def of_later_months(run: Run, intake: Intake) -> Iterator[Issue]:
    """Name the files that are of a later month than the run's, as none of their source was before, and nobody said so.

    A file whose name or pattern says of which month it is has answered by it, and is held where its cells contradict.
    """
    request = run.request
    given = {Path(path).name for _, path in request.files} if request.options.period else set[str]()
    for file in intake.came_in.files:
        if file.name in given or file.file_sha256 in request.month.confirmed:
            continue
        says = says_of(file, intake.came_in.payments, request.period)
        if is_ahead(says, request.period, {}) and is_ahead(says, request.period, _History.of(run, file.source).before):
            found, period = says.latest, request.period.label
            yield make_issue(IssueCode.FILE_OTHER_MONTH, file=file.name, found=found, period=period)


def _answer_of(run: Run) -> Answer:
    options = run.request.options
    ways = {How.NEW: options.new, How.ADDED: options.added, How.IN_PLACE: bool(options.in_place_of)}
    how = next((how for how, said in ways.items() if said), None)
    # Who looks first has said nothing of a month yet: a preview is always of one.
    return Answer(bool(options.period) and not (run.is_preview and how is None), how, options.in_place_of)


def _given(run: Run, plain: Collection[str]) -> Iterator[_FileGiven]:
    (first, *others) = names_of_sources(run.job)
    for source, path in run.request.files:
        if path in plain:
            yield _FileGiven(path, Path(path).name, sha256_of(path), source or ("" if others else first))


def _says(run: Run, intake: Intake, given: _FileGiven) -> list[FileSays]:
    """Return what a file says of itself, or each member of an archive; a table beside the sources says nothing."""
    names = {sheet.raw.file.name for sheet in intake.sheets if split_member(sheet.path)[0] == given.path}
    read = [file for file in intake.came_in.files if file.name in names]
    says = [says_of(file, intake.came_in.payments, run.request.period) for file in read]
    return says or [FileSays(given.name, given.sha256, 0, ())]


class _History(NamedTuple):
    """What was handed in, or used, of a source.

    Attributes:
        there: For the run's month, and counts.
        before: Earlier month -> the latest month that its files were of.
    """

    there: Sequence[FileSays]
    before: Mapping[str, str]

    @classmethod
    def of(cls, run: Run, source: str) -> "_History":
        request = run.request
        gone = request.month.gone
        uses = [use for use in run.ledger.files.uses_of_job(run.job.job) if _is_of(use, run, source)]
        here = {use.file_sha256: _used(run, use) for use in uses if use.whose.period == request.period.label}
        handed = {
            file.sha256: FileSays(file.name, file.sha256, 0, ())
            for file in request.month.files
            if file.source == source
        }
        before = dict[str, str]()
        for use in uses:
            latest = max(months_of_sums(use.sums), default="")
            if latest and use.whose.period < request.period.label:
                before[use.whose.period[:7]] = max(latest, before.get(use.whose.period[:7], ""))
        return cls([says for says in (handed | here).values() if says.sha256 not in gone], before)


def _is_of(use: FileUse, run: Run, source: str) -> bool:
    """Whether a file was of a source; where one layout is of several, or a layout was recognised, of any of them."""
    layouts = {declared.layout_name for declared in run.job.sources}
    if source == INVOICES:  # a table beside the sources: no money comes from it
        return False
    return source not in layouts or use.layout not in layouts or use.layout == source


def _used(run: Run, use: FileUse) -> FileSays:
    period = run.request.period
    if use.lines:
        says = FileSays(use.name, use.file_sha256, use.lines.lines, months_of_sums(use.sums), use.lines)
        return says._replace(content_sha256=use.content_sha256, is_used=True)
    claims = [claim for claim in run.ledger.claims.live_of(run.job.job, period.label) if claim.kind == "payment"]
    paid = frozenset((claim.payee, claim.amount_cents) for claim in claims)
    months = month_of_rows((claim.reference for claim in claims), period.start)
    says = FileSays(use.name, use.file_sha256, len(claims), months, payments=paid)
    return says._replace(content_sha256=use.content_sha256, is_used=True)


def _withdrawals(run: Run, taken: Collection[str]) -> Iterator[Act]:
    facts = {"job": run.job.job, "period": run.request.period.label}
    for sha256 in sorted(taken):
        yield Act(ActKind.WITHDRAW, run.request.by, sha256, "", run.clock.now(), facts)


def _handed_in(run: Run, given: _FileGiven, answer: Answer, taken: Collection[str]) -> Act:
    """Keep the bytes of a file, and return the act that hands it in."""
    file = HandedFile(given.source, given.name, given.sha256, answer.how or How.NEW)
    keep_copy(Path(given.path), run.request.path_of(file), given.sha256)
    of = next(iter(taken), "")
    return hand_in(run.job.job, run.request.period.label, file, run.request.by, run.clock.now(), of)
