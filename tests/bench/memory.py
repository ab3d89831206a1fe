"""Peak memory and seconds of a command, with all its children: driver, JVM and Python workers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple

import psutil

_PAUSE = 0.1  # seconds between two looks


class Measured(NamedTuple):
    """What a command took."""

    seconds: float
    peak: int
    """Bytes, summed over all processes; pages that forked processes share count once (PSS)."""


def measure(command: Sequence[str]) -> Measured:
    """Run *command*; raise CalledProcessError unless it ends with exit code 0."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    root = psutil.Process(process.pid)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory(root))
        time.sleep(_PAUSE)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Measured(time.perf_counter() - started, peak)


def _memory(root: psutil.Process) -> int:
    total = 0
    try:
        for process in [root, *root.children(recursive=True)]:
            try:
                total += process.memory_full_info().pss
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
    except psutil.NoSuchProcess:
        pass
    return total
