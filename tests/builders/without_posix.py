"""A pytest plugin: windtunnel runs as on Windows, as far as Linux can show it (``-p builders.without_posix``).

- Modules and functions that CPython lacks on Windows are missing for windtunnel, though not for its libraries
  (https://docs.python.org/3/library/os.html: "Availability: Unix").
- A file or folder that is open cannot be renamed, replaced or removed, because Python opens files without
  FILE_SHARE_DELETE (https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew).
- Text is read and written with the encoding that the code names; without one, the test fails.
"""

import builtins
import functools
import os
import signal
import sys
from pathlib import Path

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
FUNCTIONS = (
    "chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getuid", "killpg", "lchown", "mkfifo",
    "nice", "openpty", "posix_spawn", "pread", "pwrite", "setpgid", "setsid", "uname", "wait", "wait3", "wait4",
)  # fmt: skip
SIGNALS = ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1")


def _importing_module():
    """The name of the module whose code imports, past the machinery of imports."""
    frame = sys._getframe(2)
    while frame and frame.f_globals.get("__name__", "").startswith("importlib"):
        frame = frame.f_back
    return frame.f_globals.get("__name__", "") if frame else ""


def _block_modules():
    usual = builtins.__import__

    def imported(name, *arguments, **options):
        if name.partition(".")[0] in MODULES and _importing_module().startswith("windtunnel"):
            raise ModuleNotFoundError(f"No module named {name!r} on Windows", name=name)
        return usual(name, *arguments, **options)

    builtins.__import__ = imported


def _refuse_to_windtunnel(name):
    usual = getattr(os, name)

    @functools.wraps(usual)
    def checked(*arguments, **options):
        if sys._getframe(1).f_globals.get("__name__", "").startswith("windtunnel"):
            raise AttributeError(f"module 'os' has no attribute {name!r} on Windows")
        return usual(*arguments, **options)

    setattr(os, name, checked)


def _open_paths():
    """What this process has open."""
    for handle in Path("/proc/self/fd").iterdir():
        try:
            yield str(handle.readlink())
        except OSError:
            continue  # that of the listing itself


def _refuse_open_files(name, subjects):
    usual = getattr(os, name)

    @functools.wraps(usual)
    def checked(*arguments, **options):
        named = {os.path.realpath(os.fspath(one)) for one in arguments[:subjects]}
        for path in _open_paths():
            if path.endswith(".lock"):
                continue  # filelock removes its file on Windows
            if any(path == one or path.startswith(f"{one}/") for one in named):
                raise PermissionError(13, "The process cannot access the file because it is being used", path)
        return usual(*arguments, **options)

    setattr(os, name, checked)


def pytest_configure(config):
    """Take away what Windows has not."""
    for name in filter(functools.partial(hasattr, os), FUNCTIONS):
        _refuse_to_windtunnel(name)
    for name in SIGNALS:
        delattr(signal, name)
    _block_modules()
    import shutil

    shutil._use_fd_functions = False
    for name, subjects in (("rename", 2), ("replace", 2), ("unlink", 1), ("remove", 1), ("rmdir", 1)):
        _refuse_open_files(name, subjects)
    config.addinivalue_line("filterwarnings", "ignore::EncodingWarning")
    config.addinivalue_line("filterwarnings", "error::EncodingWarning:windtunnel")
