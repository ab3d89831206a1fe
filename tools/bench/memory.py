"""Peak memory and seconds of a command, with all its children: driver, JVM and Python workers."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import psutil

_PAUSE = 0.1
"""Seconds between two looks; they cost the kernel milliseconds a process, so what is timed is not looked into."""

PARTS = "driver", "JVM", "workers"


class Measured(NamedTuple):
    """What a command took."""

    seconds: float
    peak: int
    """Bytes, summed over all processes; pages that forked processes share count once (PSS). 0: nobody looked."""
    parts: Mapping[str, int]
    """The peak of each part: the command itself, its JVMs, its other children."""
    processor: float
    """Seconds of processor, user and system, of all processes that were waited for or lived to be looked at."""


def measure(command: Sequence[str], memory: bool = True) -> Measured:
    """Run *command*, looking at its *memory* all the time; raise CalledProcessError unless it ends with exit code 0."""
    started, before = time.perf_counter(), _waited_for()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    root = psutil.Process(process.pid)
    peak, parts, times = 0, dict.fromkeys(PARTS, 0), dict[int, float]()
    while process.poll() is None:
        now = _look(root, times, memory)
        peak = max(peak, sum(now.values()))
        parts = {part: max(parts[part], now[part]) for part in PARTS}
        time.sleep(_PAUSE if memory else 3 * _PAUSE)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Measured(time.perf_counter() - started, peak, parts, max(_waited_for() - before, sum(times.values())))


def _waited_for() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _look(root: psutil.Process, times: dict[int, float], memory: bool) -> dict[str, int]:
    """Return the memory of each part now; note the processor time of each process."""
    found = dict.fromkeys(PARTS, 0)
    try:
        for process in [root, *root.children(recursive=True)]:
            try:
                part = "driver" if process == root else "JVM" if process.name() == "java" else "workers"
                found[part] += process.memory_full_info().pss if memory else 0
                used = process.cpu_times()
                times[process.pid] = used.user + used.system
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
    except psutil.NoSuchProcess:
        pass
    return found
