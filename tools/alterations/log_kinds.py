"""Alterations of broker logs, for the table of kinds."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Final

from tools.alterations import operations as op
from tools.alterations.operations import Change, Operation
from tools.alterations.recording_lines import Altered, Recorded

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}")
_BROKER: Final = re.compile(r"(?:Broker=|brokerId=|broker:|- )(127\.0\.0\.1:\d+)")
_UNIT: Final = re.compile(r"[\w-]+/[\w-]+/0x[0-9a-f]{8}_0x[0-9a-f]{8}")


@dataclass(frozen=True)
class LogKind:
    """One kind of alteration of a broker's log."""

    name: str
    words: str
    """A regular expression that the line holds."""
    change: Operation
    cannot: str = ""
    """The reason that no sound checker can notice it everywhere."""
    source: str = "logs"
    needs_channel: bool = False
    """True if the line can only be compared with the channel's own records."""

    def altered(self, recorded: Recorded, chance: Random) -> Iterator[Altered]:
        """Yield alterations of this kind, each at another place that chance picks."""
        places = [
            (file, at) for file in recorded.logs for at, line in enumerate(_lines(recorded, file))
            if re.search(self.words, line) and (recorded.has_channel or not self.needs_channel)
        ]  # fmt: skip
        chance.shuffle(places)
        for file, at in places:
            lines = _lines(recorded, file)
            changed = self.change(lines, at, chance)
            if changed is not None:
                traces = {found for line in changed.touched for found in _UNIT.findall(line)}
                traces |= {file, recorded.speakers.get(file.removesuffix(".gz"), file)}
                yield Altered(
                    file, tuple(changed.lines), frozenset(traces), f"{self.name} {' | '.join(changed.touched)}"
                )


def _lines(recorded: Recorded, file: str) -> Sequence[str]:
    return recorded.lines(file)


def move(by: int) -> Operation:
    """Move the line's time by so many milliseconds."""

    def moved(lines: Sequence[str], at: int, chance: Random) -> Change | None:
        found = _TIME.match(lines[at])
        if found is None:
            return None
        time = datetime.strptime(found[0], "%Y-%m-%dT%H:%M:%S,%f") + timedelta(milliseconds=by)
        line = time.strftime("%Y-%m-%dT%H:%M:%S,%f")[:-3] + lines[at][found.end() :]
        return Change([*lines[:at], line, *lines[at + 1 :]], (lines[at], line))

    return moved


def replace(pattern: str, new: Callable[[re.Match[str], Sequence[str], Random], str]) -> Operation:
    """Replace the first text that fits *pattern*."""

    def replaced(lines: Sequence[str], at: int, chance: Random) -> Change | None:
        line = re.sub(pattern, lambda found: new(found, lines, chance), lines[at], count=1)
        return None if line == lines[at] else Change([*lines[:at], line, *lines[at + 1 :]], (lines[at], line))

    return replaced


def _other_broker(found: re.Match[str], lines: Sequence[str], chance: Random) -> str:
    brokers = sorted({broker for line in lines for broker in _BROKER.findall(line)} | {found[2]})
    return found[1] + op.next_of(found[2], brokers)


def _one_more(found: re.Match[str], lines: Sequence[str], chance: Random) -> str:
    return f"{found[1]}{int(found[2]) + 1}"


def _other_unit(found: re.Match[str], lines: Sequence[str], chance: Random) -> str:
    units = sorted({unit for line in lines for unit in _UNIT.findall(line) if unit != found[0]})
    return chance.choice(units) if units else found[0]


def _other_state(found: re.Match[str], lines: Sequence[str], chance: Random) -> str:
    return "state=" + chance.choice([one for one in ("Assigning", "Owned", "Releasing", "Free") if one != found[1]])


HANDLED: Final = r"received a handle request .*ServiceUnitStateData"
NODE_APPLIED: Final = r" applying item key="
APPLIED: Final = rf"{HANDLED}|{NODE_APPLIED}"
REGISTERED: Final = r"Finished registering self"
ELECTED: Final = r"Acquired leadership on /loadbalance/(?:extension/)?leader"
DELETED: Final = r"registry has been deleted"
UNLOADED: Final = r"Unloading bundle:.* with \d+ topics completed"
SAID_ONCE: Final = rf"{REGISTERED}|{ELECTED}|Received metadata session event|{UNLOADED}"
KNOWN: Final = rf"{APPLIED}|{DELETED}|{SAID_ONCE}"

MINUTE: Final = 60_000
UNNUMBERED: Final = "Most lines are not numbered, and a log may be of any level: it says less, and nothing wrong."
SILENT: Final = (
    "A process that writes nothing of the kind afterwards may have ended, or hung, before it wrote the line."
)
OVERTAKEN: Final = "A view of the metadata store reads a node as it is now: once for two writes, or twice for one."
ENDS: Final = "What a thread writes first may be earlier, and what it writes last may be later."
TWICE: Final = "The end of a registration may be told of twice, and late."
UNORDERED: Final = "Lines of two threads, or of one millisecond, have no order."

LOG_KINDS: Final = (
    LogKind("handled record dropped", HANDLED, op.drop),
    LogKind("applied node dropped", NODE_APPLIED, op.drop, OVERTAKEN),
    LogKind("registration dropped", REGISTERED, op.drop, SILENT),
    LogKind("election dropped", ELECTED, op.drop, SILENT),
    LogKind("seen deletion dropped", DELETED, op.drop, UNNUMBERED),
    LogKind("handled record repeated", HANDLED, op.repeat),
    LogKind("applied node repeated", NODE_APPLIED, op.repeat, OVERTAKEN),
    LogKind("other line repeated", SAID_ONCE, op.repeat),
    LogKind("lines swapped", APPLIED, op.swap, UNORDERED),
    LogKind("a minute back", KNOWN, move(-MINUTE), ENDS),
    LogKind("a minute on", KNOWN, move(MINUTE), ENDS),
    LogKind("unit changed", APPLIED, replace(_UNIT.pattern, _other_unit), needs_channel=True),
    LogKind("state changed", APPLIED, replace(r"state=(\w+)", _other_state)),
    LogKind("version changed", APPLIED, replace(r"(versionId=)(\d+)", _one_more), needs_channel=True),
    LogKind("record's broker changed", APPLIED, replace(r"((?:dst|source)Broker=)(127.0.0.1:\d+)", _other_broker),
            needs_channel=True),
    LogKind("speaker changed", HANDLED, replace(r"(- )(127.0.0.1:\d+)", _other_broker)),
    LogKind("counter changed", HANDLED, replace(r"(totalHandledRequests:)(\d+)", _one_more)),
    LogKind("elected broker changed", ELECTED, replace(r"(brokerId=)(127.0.0.1:\d+)", _other_broker)),
    LogKind("deleted broker changed", DELETED, replace(r"(broker:)(127.0.0.1:\d+)", _other_broker), TWICE),
    LogKind("producer's name changed", r"service-unit-state\] \[(?:rig|lab)-\d+-\d+\] Created producer",
            replace(r"(\[(?:rig|lab)-\d+-)(\d+)", _one_more), needs_channel=True),
)  # fmt: skip
