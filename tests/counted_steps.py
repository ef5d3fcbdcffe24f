"""Steps of a computation, counted instead of timed: the same on every machine, however busy.

Each instruction of Python's is a step, and each call of a built-in one, or as many as the longest text or list in sight
has characters or items, since that is what it may walk over.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

_SIZED: Final = (str, bytes, bytearray, list, tuple, dict)


def steps_of(compute: Callable[[], object], *, walks: bool = True) -> int:
    """Return how many steps a computation takes; what it raises is let go.

    Args:
        compute: The computation.
        walks: Whether built-ins may walk over all that is in sight; not, where most look at one item of long lists.
    """
    steps = 0

    def by_instruction(frame: FrameType, event: str, _arg: object) -> Callable[..., Any]:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return by_instruction

    def by_call(frame: FrameType, event: str, _arg: object) -> None:
        nonlocal steps
        if event == "c_call":
            values = frame.f_locals.values() if walks else ()
            steps += max((len(value) for value in values if isinstance(value, _SIZED)), default=1)

    sys.settrace(by_instruction)
    sys.setprofile(by_call)
    try:
        compute()
    except Exception:  # noqa: BLE001, S110  # a refusal is an answer too
        pass
    finally:
        sys.setprofile(None)
        sys.settrace(None)
    return steps
