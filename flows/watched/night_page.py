"""What a night says of all its jobs."""

from flows.walking.night import JobNight, NightReport
from flows.watched.page_words import page_word
from schemas.standing_words import state_in_words


def night_page(report: NightReport, language: str) -> str:
    """Write one line for each job: whether it was run, why, and how it stands."""

    def word(key: str, **facts: object) -> str:
        return page_word(language, key, **facts)

    lines = [f"# {word('night', run=report.run_id)}", "", f"**{state_in_words(report.state, language)}**", ""]
    lines += [f"- {message}" for message in report.messages]
    if not report.jobs:
        return "\n".join([*lines, word("night.none")])
    names = [word(key) for key in ("job", "period", "why", "state", "run", "message")]
    lines += ["", f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    return "\n".join([*lines, *(_line(one, language) for one in report.jobs)])


def _line(one: JobNight, language: str) -> str:
    why = page_word(language, f"why.{one.why.value if one.why else ''}")
    state = state_in_words(one.state, language)
    run = f"`{one.run_id}`" if one.run_id else ""
    message = one.message.splitlines()[0].replace("|", "\\|") if one.message else ""
    return f"| {one.job or one.file} | {one.period} | {why} | {state} | {run} | {message} |"
