"""Admin calls to unload or split a bundle, as every broker's log has them, also where no client recorded them."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.log_patterns import class_of, every_line_of
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.read.logged_placements import whole

LOGGER: Final = "org.apache.pulsar.broker.admin.impl.NamespacesBase"
FORM: Final = re.compile(
    r"\[(?P<role>[^\]]*)\] (?P<what>Unloading|Split) namespace bundle:? ?(?P<unit>\S+/0x[0-9a-f]+_0x[0-9a-f]+)"
)


class LoggedCall(NamedTuple):
    """A line by which a broker logs that an administrator asks it for something."""

    origin: Origin
    time: int
    unit: str
    text: str


def logged_calls(paths: Iterable[tuple[int, str]], unit: str) -> list[LoggedCall]:
    """Return the logged calls about a unit, by time, from logs, each with its number among the files of its run."""
    found: list[LoggedCall] = []
    for piece, path in paths:
        reader = LogReader(piece, path, every_line_of({LOGGER}), classes={class_of(LOGGER): None})
        for line in whole(reader.read(), []):
            told = FORM.search(line.message) if line.logger == LOGGER else None
            if told is not None and told["unit"] == unit:
                found.append(LoggedCall(line.origin, line.time, unit, line.message))
    return sorted(found, key=lambda one: one.time)
