"""Peak memory and seconds of a command, with all its children: driver, JVM and Python workers."""

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

_PAUSE = 0.1
"""Seconds between two looks; they cost the kernel milliseconds a process, so what is timed is not looked into."""

PARTS = "driver", "JVM", "workers"


class Measured(NamedTuple):
    """A command's memory and time."""

    seconds: float
    peak: int
    """Bytes, summed over all processes; pages that forked processes share count once (PSS). 0: nobody looked."""
    parts: Mapping[str, int]
    """
    The peak of each part: the command itself, its JVMs, its other children.

    Of their own memory alone: pages of files are left out, which the system drops where others need the room.
    """
    processor: float
    """Seconds of processor, user and system, of all processes that were waited for or lived to be looked at."""


def measure(command: Sequence[str], memory: bool = True) -> Measured:
    """Run *command*, looking at its *memory* all the time; raise CalledProcessError unless it ends with exit code 0."""
    started, before = time.perf_counter(), _waited_for()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    root = psutil.Process(process.pid)
    peak, parts, times = 0, dict.fromkeys(PARTS, 0), dict[int, float]()
    while process.poll() is None:
        whole, now = _look(root, times, memory)
        peak = max(peak, whole)
        parts = {part: max(parts[part], now[part]) for part in PARTS}
        time.sleep(_PAUSE if memory else 3 * _PAUSE)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Measured(time.perf_counter() - started, peak, parts, max(_waited_for() - before, sum(times.values())))


def _waited_for() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _look(root: psutil.Process, times: dict[int, float], memory: bool) -> tuple[int, dict[str, int]]:
    """Return the memory of all now, and the own memory of each part; note the processor time of each process."""
    whole, found = 0, dict.fromkeys(PARTS, 0)
    try:
        for process in [root, *root.children(recursive=True)]:
            try:
                part = "driver" if process == root else "JVM" if process.name() == "java" else "workers"
                if memory:
                    shares = _shares(process)
                    whole += shares["Pss"]
                    found[part] += shares["Pss_Anon"]
                used = process.cpu_times()
                times[process.pid] = used.user + used.system
            except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
                continue
    except psutil.NoSuchProcess:
        pass
    return whole, found


def _shares(process: psutil.Process) -> dict[str, int]:
    """Return the bytes of a process by kind, of shared pages its part, as Linux reports them."""
    _, *lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
    return {name: 1024 * int(size.split()[0]) for name, size in (line.split(":") for line in lines)}
