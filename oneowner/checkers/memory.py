"""Free memory on this machine, or in this container."""

from pathlib import Path
from typing import Final

MACHINE: Final = Path("/proc/meminfo")
CONTAINER: Final = Path("/sys/fs/cgroup/memory.max")
"""The limit of a container, in bytes, or the word "max"."""


def free_memory() -> int | None:
    """
    Return how many bytes programs may still take, if the system says so: Linux does.

    Of a container it is at most what it may take in all: what it has taken counts files that are dropped if need be.
    """
    try:
        lines = MACHINE.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    free = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)
    try:
        limit = CONTAINER.read_text(encoding="ascii").strip()
    except OSError:
        return free
    return min(free, int(limit)) if free is not None and limit.isdecimal() else free
