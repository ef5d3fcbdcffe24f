"""A cage of the Linux kernel for a process that parses strangers' files: it reads, computes and answers, and no more.

Landlock keeps it from every file but those it was given, seccomp from the system calls that reach other processes, the
network or the system; each alone leaves ways that the other closes. What is open before stays open, pipes among it, and
nothing lets a process out again. Numbers of system calls are those of the kernel's own headers.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import schemas

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Name -> number, of `x86_64` and of `aarch64`, which lacks the older ones.
_DENIED: Final[dict[str, tuple[int, int | None]]] = {
    "accept": (43, 202), "accept4": (288, 242), "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171),
    "bind": (49, 200), "bpf": (321, 280), "chmod": (90, None), "chown": (92, None), "chroot": (161, 51),
    "clock_adjtime": (305, 266), "clock_settime": (227, 112), "connect": (42, 203), "creat": (85, None),
    "delete_module": (176, 106), "execve": (59, 221), "execveat": (322, 281), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "fchmod": (91, 52), "fchmodat": (268, 53), "fchown": (93, 55), "fchownat": (260, 54),
    "finit_module": (313, 273), "fork": (57, None), "fremovexattr": (199, 16), "fsconfig": (431, 431),
    "fsetxattr": (190, 7), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433),
    "futimesat": (261, None), "init_module": (175, 105), "inotify_add_watch": (254, 27), "inotify_init": (253, None),
    "inotify_init1": (294, 26), "io_setup": (206, 0), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425), "kcmp": (312, 272), "kexec_file_load": (320, 294), "kexec_load": (246, 104),
    "keyctl": (250, 219), "kill": (62, 129), "lchown": (94, None), "link": (86, None), "linkat": (265, 37),
    "listen": (50, 201), "lremovexattr": (198, 15), "lsetxattr": (189, 6), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "mkdir": (83, None), "mkdirat": (258, 34), "mknod": (133, None), "mknodat": (259, 33),
    "mount": (165, 40), "mount_setattr": (442, 442), "move_mount": (429, 429), "mq_getsetattr": (245, 185),
    "mq_notify": (244, 184), "mq_open": (240, 180), "mq_timedreceive": (243, 183), "mq_timedsend": (242, 182),
    "mq_unlink": (241, 181), "msgctl": (71, 187), "msgget": (68, 186), "msgrcv": (70, 188), "msgsnd": (69, 189),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "open_tree": (428, 428),
    "perf_event_open": (298, 241), "personality": (135, 92), "pidfd_getfd": (438, 438), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "pivot_root": (155, 41), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "ptrace": (101, 117), "quotactl": (179, 60), "reboot": (169, 142), "removexattr": (197, 14), "rename": (82, None),
    "renameat": (264, 38), "renameat2": (316, 276), "request_key": (249, 218), "rmdir": (84, None),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "semctl": (66, 191), "semget": (64, 190),
    "semop": (65, 193), "semtimedop": (220, 192), "sendmmsg": (307, 269), "sendmsg": (46, 211), "sendto": (44, 206),
    "setdomainname": (171, 162), "setfsgid": (123, 152), "setfsuid": (122, 151), "setgid": (106, 144),
    "setgroups": (116, 159), "sethostname": (170, 161), "setns": (308, 268), "setpriority": (141, 140),
    "setregid": (114, 143), "setresgid": (119, 149), "setresuid": (117, 147), "setreuid": (113, 145),
    "setrlimit": (160, 164), "settimeofday": (164, 170), "setuid": (105, 146), "setxattr": (188, 5), "shmat": (30, 196),
    "shmctl": (31, 195), "shmget": (29, 194), "socket": (41, 198), "socketpair": (53, 199), "swapoff": (168, 225),
    "swapon": (167, 224), "symlink": (88, None), "symlinkat": (266, 36), "tgkill": (234, 131), "tkill": (200, 130),
    "truncate": (76, 45), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282), "utime": (132, None),
    "utimensat": (280, 88), "utimes": (235, None), "vfork": (58, None),
}  # fmt: skip
# Answered as if the kernel did not know them: the C library then takes the older ones, whose flags a filter can see.
_UNKNOWN: Final = {"clone3": (435, 435), "openat2": (437, 437)}
_FIRST_OF_LATER_KERNELS: Final = 463
_PRCTL: Final = (157, 167)
_SECCOMP: Final = (317, 277)
_CLONE, _PRLIMIT, _OPEN, _OPENAT = (56, 220), (302, 261), (2, None), (257, 56)
_UNLINK: Final = ((87, None), (263, 35))
_MACHINES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_WRITES: Final = 1 << 1 | 1 << 5 | 1 << 8 | 1 << 14  # into a file; removing, making, cutting one off

_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38
_LOAD, _IS, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
_CLONE_THREAD: Final = 0x00010000
_CLONE_NEW: Final = 0x7E020000  # any namespace
_X32: Final = 0x40000000
_RLIMIT_CPU: Final = 0

_Step = tuple[int, int, int, int]


def keep_memory_private() -> None:
    """Keep this process's memory and environment from other processes of its own user, and from files of its end."""
    if resource is not None:
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def enter_cage(readable: Iterable[Path], writable: Path | None = None) -> bool:
    """Put this process and all its threads into the cage, once and for good.

    Args:
        readable: Files and folders that it may read.
        writable: One folder in which it may make files, write and remove them.

    Returns:
        Whether it is in; False where the kernel, or the machine, has not both halves of it.
    """
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    which, machine = _MACHINES[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    keep_memory_private()
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return False
    kept_to_files = _landlock(libc, readable, writable)
    return _seccomp(libc, _SECCOMP[which], _filter(which, machine, writes=writable is not None)) and kept_to_files


def program_folders() -> list[Path]:
    """Return where the interpreter's libraries and this program's own modules lie."""
    libraries = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return [*map(Path, sorted(libraries)), Path(__file__).parent, Path(schemas.__file__).parent]


def _landlock(libc: ctypes.CDLL, readable: Iterable[Path], writable: Path | None) -> bool:
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    files = (1 << (13 + (version >= 2) + (version >= 3) + (version >= 5))) - 1
    network, scopes = 3 if version >= 4 else 0, 3 if version >= 6 else 0
    handled = struct.pack("QQQ", files, network, scopes)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if rules < 0:
        return False
    may = {path: _READ_FILE | (_READ_DIR if path.is_dir() else 0) for path in readable}
    if writable is not None:
        may[writable] = (_READ_FILE | _READ_DIR | _WRITES) & files
    for path, rights in may.items():
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        added = libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, place), 0)
        os.close(place)
        if added:
            return False
    entered: bool = libc.syscall(_RESTRICT_SELF, rules, 0) == 0
    os.close(rules)
    return entered


def _filter(which: int, machine: int, *, writes: bool) -> list[_Step]:
    """Write the filter: what is denied ends with an error, of a few calls what they are asked for decides."""
    denied, unknown = _ERROR | errno.EPERM, _ERROR | errno.ENOSYS
    steps: list[_Step] = [(_LOAD, 0, 0, _MACHINE), (_IS, 1, 0, machine), _returns(_KILL), (_LOAD, 0, 0, _NUMBER)]
    if which == 0:
        steps += [(_AT_LEAST, 0, 1, _X32), _returns(denied)]
    steps += [(_AT_LEAST, 0, 1, _FIRST_OF_LATER_KERNELS), _returns(unknown)]
    for numbers in _DENIED.values():
        steps += _if(numbers[which], [_returns(denied)])
    for numbers in _UNKNOWN.values():
        steps += _if(numbers[which], [_returns(unknown)])
    thread = [_argument(0), (_ANY_OF, 1, 0, _CLONE_NEW), (_ANY_OF, 1, 0, _CLONE_THREAD), _returns(denied)]
    steps += _if(_CLONE[which], [*thread, _returns(_ALLOW)])
    # One's own limits may be looked at, and that of processor time be set for each file anew.
    own_time = [_argument(0), (_IS, 0, 2, 0), _argument(1), (_IS, 5, 0, _RLIMIT_CPU)]
    looks = [_argument(2), (_IS, 0, 2, 0), _upper_half(2), (_IS, 1, 0, 0), _returns(denied), _returns(_ALLOW)]
    steps += _if(_PRLIMIT[which], [*own_time, *looks])
    if not writes:
        written = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
        for numbers, position in ((_OPEN, 1), (_OPENAT, 2)):
            flags = [_argument(position), (_ANY_OF, 0, 1, written), _returns(denied), _returns(_ALLOW)]
            steps += _if(numbers[which], flags)
        for numbers in _UNLINK:
            steps += _if(numbers[which], [_returns(denied)])
    return [*steps, _returns(_ALLOW)]


def _if(number: int | None, then: Sequence[_Step]) -> list[_Step]:
    return [] if number is None else [(_IS, 0, len(then), number), *then]


def _argument(position: int) -> _Step:
    return _LOAD, 0, 0, _ARGUMENTS + 8 * position  # its lower half


def _upper_half(position: int) -> _Step:
    return _LOAD, 0, 0, _ARGUMENTS + 8 * position + 4


def _returns(answer: int) -> _Step:
    return _RETURN, 0, 0, answer


def _seccomp(libc: ctypes.CDLL, number: int, steps: Sequence[_Step]) -> bool:
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    given = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(program)))
    return bool(libc.syscall(number, 1, 1, given) == 0)  # a filter, for all threads
