"""The tokens in use are read again and again, whatever goes wrong once."""

import pytest

from io_adapters.webhooks import KnownTokens


def test_a_token_made_later_is_known_soon_and_one_retired_no_more(eventually):
    stands = {"one"}
    with KnownTokens(lambda: set(stands), every_s=0.01) as known:
        assert known() == {"one"}
        stands.add("two")
        eventually(lambda: known() == {"one", "two"})
        stands.remove("one")
        eventually(lambda: known() == {"two"})


def test_nobody_to_tell_of_a_failure_leaves_what_was_known_and_reads_on(eventually):
    answers = [{"one"}, OSError("busy"), {"two"}]

    def read():
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, OSError):
            raise answer
        return answer

    def nobody(_failure):
        raise BrokenPipeError

    with KnownTokens(read, every_s=0.01, on_failure=nobody) as known:
        eventually(lambda: known() == {"two"})


def test_without_a_first_answer_the_door_does_not_open():
    def fails():
        raise OSError("no ledger")

    with pytest.raises(OSError, match="no ledger"), KnownTokens(fails):
        pass
