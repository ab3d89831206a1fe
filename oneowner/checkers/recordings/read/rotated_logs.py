"""The pieces of a rotated log belong together by the names of their files."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from oneowner.checkers.recordings.read.compression import ENDING

_ROTATED = re.compile(r"(.*?)(?:[-.](?:\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})(?:[-.]\d+)?)?\.log(?:[-.][\d.-]+)?" + ENDING)


def log_of(path: str) -> str:
    """
    Return the name of a file's log: the file's name without number, date and compression.

    >>> {log_of(name) for name in ("b.log", "b.log.gz", "b.log.1.gz", "b-11-21-2026-1.log.gz", "b.log.2026-11-21")}
    {'b.log'}
    >>> log_of("b.log-11-21-2026-1.log.gz")  # Pulsar's own conf/log4j2.yaml
    'b.log'
    """
    found = _ROTATED.fullmatch(path)
    return path if found is None else f"{found[1].removesuffix('.log')}.log"


_NUMBERED = re.compile(r"(.*?)\.log(?:[-.](\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4}))?[-.](\d+)(?:\.log)?" + ENDING)
_DATED = re.compile(r"(.*?)[-.](\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})[-.](\d+)\.log" + ENDING)


def missing(paths: Iterable[str]) -> Iterator[str]:
    """
    Yield the gaps in the numbers of a rotated log; its first and last pieces may be lost in normal operation.

    >>> list(missing(["b.log", "b.log.1", "b.log.2.gz", "b.log.4.gz"]))
    ['b.log.2.gz: the piece after it, number 3, is missing']
    """
    numbers: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for path in paths:
        found = _DATED.fullmatch(path) or _NUMBERED.fullmatch(path)
        if found is not None:
            numbers[found[1], found[2] or ""][int(found[3])] = path
    for known in numbers.values():
        for number in sorted(known)[:-1]:
            if number + 1 not in known:
                yield f"{known[number]}: the piece after it, number {number + 1}, is missing"
