"""
The table of alterations: the change, its source, and the places that have room for it.

A kind whose change no sound checker can notice gives the reason. A checker is sound if it accuses no recording that
a healthy cluster, or one with a known bug, can leave behind.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from oneowner.checkers.recordings.read.zookeeper import LEADERS
from tools.alterations import operations as op
from tools.alterations.log_kinds import LOG_KINDS, LogKind
from tools.alterations.operations import Operation
from tools.alterations.recording_lines import Altered, Json, Recorded, printed

Fits = Callable[[Sequence[Json], int], bool]

MINUTE: Final = 60_000
SOON: Final = 1_000
"""Milliseconds after which a broker that stops has closed its session, too: that ends what it had not deleted."""
NODE: Final = "/loadbalance/brokers/"


def anywhere(lines: Sequence[Json], at: int) -> bool:
    """Any line fits."""
    return True


@dataclass(frozen=True)
class JsonKind:
    """One kind of alteration of a file of JSON lines."""

    source: str
    """The file's stem."""
    name: str
    change: Operation
    fits: Fits = anywhere
    cannot: str = ""
    """The reason that no sound checker can notice it everywhere."""

    def altered(self, recorded: Recorded, chance: Random) -> Iterator[Altered]:
        """Yield alterations of this kind, each at another place that chance picks."""
        file, lines = recorded.file(self.source), recorded.objects(self.source)
        places = [at for at in range(len(lines)) if self.fits(lines, at)]
        chance.shuffle(places)
        for at in places:
            changed = self.change(lines, at, chance)
            if file is not None and changed is not None:
                around = (*changed.touched, *lines[max(0, at - 1) : at + 2])
                traces = frozenset(name for line in around for name in TRACES[self.source](line, lines))
                words = " | ".join(printed(changed.touched))
                yield Altered(file, printed(changed.lines), traces, f"{self.name} {words}")


# ---- how a reader would name what was changed ----


def _of_record(line: Json, lines: Sequence[Json]) -> Iterator[str]:
    yield from (line["messageId"], line["key"], line["producer"])


def _of_write(line: Json, lines: Sequence[Json]) -> Iterator[str]:
    yield from (f"zxid {line['zxid']}", f"zxid:{line['zxid']}", line["session"])
    if NODE in line.get("path", ""):
        yield line["path"].removeprefix(NODE)
    if "path" in line:
        yield line["path"].removeprefix("/service_unit_state/")
    yield from re.findall(r'brokerId":"([^"]+)', line.get("data", ""))
    own = [one["path"] for one in lines if one["session"] == line["session"] and NODE in one.get("path", "")]
    yield from (path.removeprefix(NODE) for path in own)


def _of_lookup(line: Json, lines: Sequence[Json]) -> Iterator[str]:
    yield from (line["topic"], line["asked"], "lookups.jsonl")


def _of_poll(line: Json, lines: Sequence[Json]) -> Iterator[str]:
    yield from (line["broker"], "owned.jsonl")


def _of_call(line: Json, lines: Sequence[Json]) -> Iterator[str]:
    yield from (line["action"], line["asked"], "actions.jsonl")
    if line.get("bundle"):
        yield line["bundle"]


TRACES: Final[dict[str, Callable[[Json, Sequence[Json]], Iterator[str]]]] = {
    "channel": _of_record,
    "zookeeper": _of_write,
    "lookups": _of_lookup,
    "owned": _of_poll,
    "actions": _of_call,
}


# ---- which lines fit ----


def _middle(lines: Sequence[Json], at: int) -> bool:
    """Neither the first nor the last line of a file: that one may begin later, or end earlier."""
    return 0 < at < len(lines) - 1


def _is(name: str, *values: Any) -> Fits:
    return lambda lines, at: lines[at].get(name) in values


def _valued(lines: Sequence[Json], at: int) -> bool:
    return isinstance(lines[at].get("value"), dict)


def _has(field: str) -> Fits:
    return lambda lines, at: _valued(lines, at) and field in lines[at]["value"]


def _writes(lines: Sequence[Json], at: int) -> bool:
    return lines[at]["op"] not in ("error", "createContainer")


def _registers(lines: Sequence[Json], at: int) -> bool:
    return lines[at]["op"] == "create" and lines[at]["path"].startswith(NODE)


def _elects(lines: Sequence[Json], at: int) -> bool:
    return lines[at]["op"] == "create" and lines[at]["path"] in LEADERS


def _deregisters(lines: Sequence[Json], at: int) -> bool:
    """A broker's node is deleted, or vanishes with the session that made it; the session is not about to end then."""
    line = lines[at]
    if line["op"] == "delete":
        ended = {
            one["session"] for one in lines[at:] if one["op"] == "closeSession" and one["time"] <= line["time"] + SOON
        }
        return bool(line["path"].startswith(NODE)) and line["session"] not in ended
    made: dict[str, Any] = {}
    for before in lines[:at]:
        path = before.get("path", "")
        if path.startswith(NODE):
            made[path] = before["session"] if before["op"] == "create" else made.get(path)
            if before["op"] == "delete":
                del made[path]
    return line["op"] == "closeSession" and line["session"] in made.values()


def _answered(lines: Sequence[Json], at: int) -> bool:
    return lines[at].get("status") == 200 and "url" in lines[at]


def _succeeded(lines: Sequence[Json], at: int) -> bool:
    return lines[at].get("status") == 204


# ---- the table ----

EARLIER: Final = "A dump that ends earlier was taken earlier, and a history that begins later was cut."
UNNUMBERED: Final = "Nobody numbers these lines, and nobody has to write one: with fewer it is a recording, too."
UNTOUCHED: Final = "The node is not written again, and nothing else tells what it should hold."
ENDS: Final = "What stands first in a file, or of a producer, may be earlier, and what stands last may be later."
ALIVE: Final = "Another session that was there at that time may write the same."
IDLE: Final = "A session that does nothing more may still be there: only a broker's is known to have been left."
UNRELATED: Final = "Writes of different nodes, by sessions that were there before and after, may come in any order."
FILTERED: Final = (
    "A dump leaves out transactions by their path, so numbers are missing, and any of those may be its own."
)
ANY_ORDER: Final = "Records of different producers and bundles may be appended in either order."
LAGGARD: Final = "A broker may answer by any earlier state of the channel."
ALIKE: Final = "Brokers that agree say the same: the answer is right for the other broker or topic, too."
FAILED: Final = "A write that failed changes nothing, and the history does not say what it was."
SAID_LATE: Final = "Lookups overlap, and those that end within a second of each other are written in any order."

JSON_KINDS: Final = (
    JsonKind("channel", "record dropped", op.drop, _middle),
    JsonKind("channel", "first record dropped", op.drop, lambda lines, at: at == 0),
    JsonKind("channel", "last record dropped", op.drop, lambda lines, at: at == len(lines) - 1, EARLIER),
    JsonKind("channel", "line repeated", op.repeat),
    JsonKind("channel", "record sent twice", op.send_again),
    JsonKind("channel", "lines swapped", op.swap),
    JsonKind("channel", "records swapped", op.swap_all_but("messageId"), anywhere, ANY_ORDER),
    JsonKind(
        "channel", "records swapped, times kept", op.swap_all_but("messageId", "publishTime"), anywhere, ANY_ORDER
    ),
    JsonKind("channel", "publish time a minute back", op.move(-MINUTE, "publishTime"), anywhere, ENDS),
    JsonKind("channel", "publish time a minute on", op.move(MINUTE, "publishTime"), anywhere, ENDS),
    JsonKind("channel", "producer changed", op.change("producer", op.another)),
    JsonKind("channel", "sequence id changed", op.change("sequenceId", op.added(1))),
    JsonKind("channel", "message id changed", op.change("messageId", op.next_entry)),
    JsonKind("channel", "unit changed", op.change("key", op.another)),
    JsonKind("channel", "record made a tombstone", op.change("value", op.always(None)), _valued),
    JsonKind("channel", "tombstone made a record", op.change("value", op.another_record), _is("value", None)),
    JsonKind("channel", "state changed", op.change("value.state", op.another), _valued),
    JsonKind("channel", "destination changed", op.change("value.dstBroker", op.another), _has("dstBroker")),
    JsonKind("channel", "source changed", op.change("value.sourceBroker", op.another), _has("sourceBroker")),
    JsonKind("channel", "version raised", op.change("value.versionId", op.added(1)), _valued),
    JsonKind("channel", "version lowered", op.change("value.versionId", op.added(-1)), _valued),
    JsonKind("channel", "force changed", op.change("value.force", op.negated), _valued),
    JsonKind("channel", "record's own time a minute back", op.change("value.timestamp", op.added(-MINUTE)), _valued),
    JsonKind("channel", "record's own time a minute on", op.change("value.timestamp", op.added(MINUTE)), _valued),
    JsonKind("zookeeper", "deregistration dropped", op.drop, _deregisters),
    JsonKind("zookeeper", "registration dropped", op.drop, _registers),
    JsonKind("zookeeper", "election dropped", op.drop, _elects),
    JsonKind("zookeeper", "session's begin dropped", op.drop, _is("op", "createSession"), EARLIER),
    JsonKind("zookeeper", "session's end dropped", op.drop, _is("op", "closeSession"), IDLE),
    JsonKind("zookeeper", "node's change dropped", op.drop, _is("op", "setData"), UNTOUCHED),
    JsonKind("zookeeper", "creation dropped", op.drop, _is("op", "create", "createContainer"), UNTOUCHED),
    JsonKind("zookeeper", "failed write dropped", op.drop, _is("op", "error"), FAILED),
    JsonKind("zookeeper", "write repeated", op.repeat, _writes),
    JsonKind("zookeeper", "lines swapped", op.swap, _writes),
    JsonKind("zookeeper", "writes swapped", op.swap_all_but("zxid", "time"), _writes, UNRELATED),
    JsonKind("zookeeper", "a minute back", op.move(-MINUTE, "time"), _writes, ENDS),
    JsonKind("zookeeper", "a minute on", op.move(MINUTE, "time"), _writes, ENDS),
    JsonKind("zookeeper", "session changed", op.change("session", op.another), _writes, ALIVE),
    JsonKind("zookeeper", "another broker registers", op.change("path", op.another_broker), _registers),
    JsonKind("zookeeper", "another broker is elected", op.change("data", op.another_broker), _elects),
    JsonKind("zookeeper", "node's version changed", op.change("version", op.added(1)), _is("op", "setData")),
    JsonKind("zookeeper", "zxid changed", op.change("zxid", op.added(-2)), _writes, FILTERED),
    JsonKind("lookups", "dropped", op.drop, anywhere, UNNUMBERED),
    JsonKind("lookups", "repeated", op.repeat),
    JsonKind("lookups", "swapped", op.swap, anywhere, SAID_LATE),
    JsonKind("lookups", "a minute back", op.move(-MINUTE, "t_start", "t_end"), anywhere, ENDS),
    JsonKind("lookups", "a minute on", op.move(MINUTE, "t_start", "t_end"), anywhere, ENDS),
    JsonKind("lookups", "end before start", op.move(-MINUTE, "t_end")),
    JsonKind("lookups", "answer changed", op.change("url", op.another), _answered, LAGGARD),
    JsonKind("lookups", "asked broker changed", op.change("asked", op.another), anywhere, ALIKE),
    JsonKind("lookups", "topic changed", op.change("topic", op.another), _answered, ALIKE),
    JsonKind("lookups", "status changed", op.change("status", op.always(500)), _answered, "Any lookup may fail."),
    JsonKind("owned", "dropped", op.drop, anywhere, UNNUMBERED),
    JsonKind("owned", "repeated", op.repeat),
    JsonKind("owned", "a minute back", op.move(-MINUTE, "t_start", "t_end"), anywhere, ENDS),
    JsonKind("owned", "a minute on", op.move(MINUTE, "t_start", "t_end"), anywhere, ENDS),
    JsonKind("owned", "unit left out", op.change("owned", op.without_one), anywhere, LAGGARD),
    JsonKind("owned", "broker changed", op.change("broker", op.another), _is("status", 200)),
    JsonKind("owned", "leader changed", op.change("leader", op.another)),
    JsonKind("actions", "dropped", op.drop, anywhere, UNNUMBERED),
    JsonKind("actions", "repeated", op.repeat),
    JsonKind("actions", "status changed", op.change("status", op.always(500)), _succeeded, "Any call may fail."),
)

KINDS: Final[tuple[JsonKind | LogKind, ...]] = (*JSON_KINDS, *LOG_KINDS)
