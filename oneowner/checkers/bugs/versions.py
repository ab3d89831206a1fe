"""The releases of Pulsar that a text names: in the first line of a broker, in stack traces, and in load reports."""

import re
from collections.abc import Iterable
from typing import Final

from oneowner.checkers.bugs.hits import Found

_NUMBERS: Final = r"([1-9]\.\d{1,2}\.\d{1,3}(?:\.\d+)?(?:-[A-Za-z]+[\d.-]*)?)"
_NAMED: Final = re.compile(
    rf"pulsar-[\w.-]*?\.jar:{_NUMBERS}|StartingPulsarBrokerservice;version:'{_NUMBERS}'"
    rf"|StartingPulsarBrokerservice\{{.*?version={_NUMBERS}|\"brokerVersionString\":\"{_NUMBERS}\""
    rf"|(?<!apache-)(?:[Pp]ulsar|[Pp]ulsar-all)(?:[Vv]ersion|broker|cluster)*[-:\uff1a=]*v?{_NUMBERS}"
)
STEMS: Final = (
    "StartingPulsarBrokerservice", "brokerVersionString", ".jar:", "ulsarversion", "ulsarVersion", "ulsar:",
    "ulsar\uff1a", "ulsar2.", "ulsar3.", "ulsar4.", "ulsar5.", "ulsar-all:", "ulsar-2.", "ulsar-3.", "ulsar-4.",
    "ulsarv",
)  # fmt: skip


def releases_in(found: Iterable[Found]) -> dict[str, str]:
    """Return the releases that events name, each with file and line of the first that does."""
    releases: dict[str, str] = {}
    for one in found:
        if one.stems.isdisjoint(STEMS):
            continue
        for named in _NAMED.finditer(one.event.body):
            release = next(group for group in named.groups() if group)
            releases.setdefault(release, f"{one.event.file}:{one.event.number}")
    return releases
