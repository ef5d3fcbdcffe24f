"""The limits that the process which reads workbooks sets itself.

Where the system knows none, its parent's clock remains.
"""

import contextlib
import math
import signal

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def confine(memory_bytes: int) -> None:
    """Bound memory, and allow neither files to be written nor memory to be dumped.

    An interrupt from the keyboard goes to all processes of a terminal; this one ends when its parent does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if resource is None:
        return
    for limit, amount in (("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 0), ("RLIMIT_AS", memory_bytes)):
        _lower(limit, amount)


def allow_seconds(seconds: float) -> None:
    """Allow that much processor time from now on; beyond it the system kills this process."""
    if resource is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _lower("RLIMIT_CPU", math.ceil(usage.ru_utime + usage.ru_stime + seconds))


def _lower(limit: str, amount: int) -> None:
    # A system may lack one of them, or forbid it: macOS has no RLIMIT_AS that counts.
    with contextlib.suppress(AttributeError, ValueError, OSError):
        number = getattr(resource, limit)
        _, most = resource.getrlimit(number)
        resource.setrlimit(number, (amount if most == resource.RLIM_INFINITY else min(amount, most), most))


def address_space_bytes() -> int:
    """Return how much memory this process has reserved at the most so far; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError), open("/proc/self/status", "rb") as status:  # noqa: PTH123
        for line in status:
            if line.startswith(b"VmPeak:"):
                return int(line.split()[1]) * 1024
    return 0
