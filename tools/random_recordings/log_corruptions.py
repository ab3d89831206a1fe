"""
One corruption of the logs of a model's run; the channel's dump stays as it is.

Each adds an impossible event to a log, or leaves out a necessary one: none may pass as valid.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from tools.render.broker_logs import CHANNEL, TOPIC, VIEW, printed
from tools.render.channel_dump import Rendered

Logs = dict[int, list[str]]
"""By broker, the lines of its log."""
Place = tuple[int, int, re.Match[str]]
"""The broker of a log, the place of a line in it, and its time, unit and record."""

_REQUEST = re.compile(r"(.*) \S+ - \S+ received a handle request for serviceUnit:(\S+), data:(\S.*\]|null)\. total.*")
_SKIPPED = re.compile(r"(.*) \S+ - Skipped the message from topic \S+ key=(\S+) value=(\S.*?\]) prev=.*")


def _requests(logs: Logs) -> Iterator[Place]:
    """Yield requests for records that the log shows once only, and that others of the same process follow."""
    for broker, lines in logs.items():
        found = [(at, match) for at, line in enumerate(lines) if (match := _REQUEST.fullmatch(line))]
        starts = [at for at, line in enumerate(lines) if "Starting Pulsar Broker service" in line]
        for (at, match), (later, _) in pairwise(found):
            is_one_process = not any(at < start < later for start in starts)
            if is_one_process and match[3] != "null" and sum(match[3] in line for line in lines) == 1:
                yield broker, at, match


def request_removed(told: Rendered, logs: Logs, chance: Random) -> Logs | None:
    """A record is handled, as the counters show, without a line."""
    return _with(logs, list(_requests(logs)), chance, lambda match: [])


def event_lost(told: Rendered, logs: Logs, chance: Random) -> Logs | None:
    """A record is not handled: no line, and no counter, mentions it."""
    places = list(_requests(logs))
    if not places:
        return None
    broker, at, match = chance.choice(places)
    state = _STATE.search(match[3])
    assert state is not None
    lines = logs[broker]
    ends = [number for number, line in enumerate(lines) if number > at and "Starting Pulsar Broker service" in line]
    end = min(ends, default=len(lines))
    later = [_one_less(line, state[1]) for line in lines[at + 1 : end]]
    return {**logs, broker: [*lines[:at], *later, *lines[end:]]}


_STATE = re.compile(r"\[state=(\w+)")
_COUNTER = re.compile(r"totalHandledRequests:(\d+)")


def _one_less(line: str, state: str) -> str:
    """Return a line whose counter of handled records of *state* is one less."""
    said, found = _COUNTER.search(line), _STATE.search(line)
    if said is None or found is None or found[1] != state:
        return line
    return line.replace(said[0], f"totalHandledRequests:{int(said[1]) - 1}")


def request_of_another_record(told: Rendered, logs: Logs, chance: Random) -> Logs | None:
    """A line shows a record that the channel never had."""
    forged = "versionId=9000]"
    change = lambda match: [re.sub(r"versionId=-?\d+\]", forged, match[0])]  # noqa: E731 -- a line each
    return _with(logs, list(_requests(logs)), chance, change)


def accepted_is_skipped(told: Rendered, logs: Logs, chance: Random) -> Logs | None:
    """A view drops what every other one takes."""
    words = f"{VIEW} - Skipped the message from topic {TOPIC}. key="
    change = lambda match: [f"{match[1]} {words}{match[2]} value={match[3]} prev=null"]  # noqa: E731 -- a line each
    return _with(logs, list(_requests(logs)), chance, change)


def line_is_cut(told: Rendered, logs: Logs, chance: Random) -> Logs | None:
    """A line ends within its record, as after kill -9."""
    found = [*_requests(logs), *_skips(told, logs)]
    return _with(logs, found, chance, lambda match: [match[0][: match.start(3) + 40]])


def refused_is_handled(told: Rendered, logs: Logs, chance: Random) -> Logs | None:
    """A broker handles what its view must drop."""
    change = lambda match: [  # noqa: E731 -- a line each
        f"{match[1]} {CHANNEL} - "
        f"{_speaker(logs, match)} received a handle request for serviceUnit:{match[2]}, data:{match[3]}. "
        "totalHandledRequests:1"
    ]
    return _with(logs, list(_skips(told, logs)), chance, change)


def _skips(told: Rendered, logs: Logs) -> Iterator[Place]:
    """Yield lines about records of which the channel took none that prints alike."""
    pairs = zip(told.messages, told.run.appended, strict=True)
    taken = {printed(line["value"]) for line, one in pairs if one.accepted}
    for broker, lines in logs.items():
        for at, line in enumerate(lines):
            match = _SKIPPED.fullmatch(line)
            if match is not None and match[3] not in taken:
                yield broker, at, match


def _speaker(logs: Logs, match: re.Match[str]) -> str:
    broker = next(number for number, lines in logs.items() if match[0] in lines)
    return next(line.rpartition("[")[2].partition("]")[0] for line in logs[broker] if "Finished registering" in line)


def _with(logs: Logs, places: list[Place], chance: Random, change: Callable[[re.Match[str]], list[str]]) -> Logs | None:
    """Return the logs with one of *places* changed, None if there is none."""
    if not places:
        return None
    broker, at, match = chance.choice(places)
    lines = logs[broker]
    return {**logs, broker: [*lines[:at], *change(match), *lines[at + 1 :]]}


KINDS: dict[str, Callable[[Rendered, Logs, Random], Logs | None]] = {
    kind.__name__: kind
    for kind in (
        request_removed,
        event_lost,
        request_of_another_record,
        accepted_is_skipped,
        line_is_cut,
        refused_is_handled,
    )
}
