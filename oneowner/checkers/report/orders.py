"""
An operator's orders for an incident or a finding: what to do in a sentence, and the commands that do it.

A law states its repair once, in a sentence; ``ORDERS`` gives each imperative of these sentences its commands, with the
brokers and bundles put in. A repair without an imperative for operators describes the legal course of a program. What
only cures a state that is over is not advised: a restart now would be a second disturbance.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from oneowner.checkers.report import commands
from oneowner.checkers.report.commands import Command, Purpose, split

Json = Mapping[str, Any]
MOST: Final = 6
"""Commands that are printed for one incident."""
UNIT: Final = r"[^\s,]+/0x[0-9a-f]{8}_0x[0-9a-f]{8}"
BROKER: Final = r"(?P<broker>[\w.-]+:\d+\b)"
_UNITS: Final = re.compile(f"{UNIT}(?:, {UNIT})+")
BROKERS: Final = r"[\w.-]+:\d+\b(?:, [\w.-]+:\d+\b)*"
OVER: Final = "nothing now: it is over"
_COURSE: Final = re.compile(r"$|(?:a|an|the|none|no|take|keep|handle|look|publish|register|owner)\b|[^a-z]")
"""The beginning of a repair of a known cause that describes the legal course of a program."""
NO_REPAIR: Final = "no repair is known"
LASTS: Final = "lasts"
"""The end of an incident that is not over when the recording ends."""
TWICE, SILENT = "had two owners", "silent process"
"""The harm, and the kind of root, of a broker that may serve on what was given away while it stood still."""
SEE_OWNER: Final = "see which broker owns the bundle now"
CALLS: Final = ("done-as-asked", "refusal-is-told")
"""The laws of calls that may have to be repeated."""


class Subject(NamedTuple):
    """The things that a repair is about."""

    brokers: Sequence[str]
    units: Sequence[str]
    since: int | None
    calls: Sequence[Json] = ()
    """The refused records of calls, as ``proposed`` of their findings, with their ``unit``."""
    is_over: bool = False

    def broker(self, found: re.Match[str]) -> str:
        """Return the broker that a sentence names, or else the first of the incident; empty: none is known."""
        return found.groupdict().get("broker") or next(iter(self.brokers), "")


class Order(NamedTuple):
    """The order: a sentence without its full stop, and commands."""

    words: str
    later: str = ""
    """An order for the next time, if the harm is over."""
    commands: tuple[Command, ...] = ()
    more: int = 0
    """Commands of the same kind that were left out."""
    is_known: bool = True
    """True if a law states the repair."""

    @property
    def is_over(self) -> bool:
        return self.words == OVER

    @property
    def first_step(self) -> str:
        """Return its first command, or else its words."""
        if not self.commands:
            return f"what to do: {self.words}"
        return f"first: {self.commands[0].line}{self.commands[0].where}"


Maker = Callable[[re.Match[str], Subject], list[Command]]


class Imperative(NamedTuple):
    """A form of words that orders something of an operator."""

    pattern: re.Pattern[str]
    make: Maker
    is_cure: bool = False
    """True if it concerns the state of the cluster, and so makes sense only while the harm lasts."""


def _of_broker(make: Callable[[str], list[Command]]) -> Maker:
    def made(found: re.Match[str], subject: Subject) -> list[Command]:
        broker = subject.broker(found)
        return make(broker) if broker else []

    return made


def _unload(found: re.Match[str], subject: Subject) -> list[Command]:
    named = re.findall(UNIT, found["units"])
    children = [unit for unit in subject.units if found.groupdict().get("parent") and _is_inside(unit, named[0])]
    return commands.unload([*named, *children] or subject.units, found["broker"] or "")


def _is_inside(unit: str, parent: str) -> bool:
    """
    Return whether a bundle is a part of another one.

    >>> _is_inside("a/b/0x00000000_0x40000000", "a/b/0x00000000_0x80000000")
    True
    """
    (namespace, _, range_), (of, _, whole) = unit.rpartition("/"), parent.rpartition("/")
    (low, _, high), (least, _, most) = range_.partition("_"), whole.partition("_")
    return namespace == of and unit != parent and least <= low and high <= most


def _restart_instead(found: re.Match[str], subject: Subject) -> list[Command]:
    named = re.findall(f"at {BROKER}", found.string[: found.start()])
    broker = named[-1] if named else subject.broker(found)
    return commands.restart(broker, Purpose.OTHERWISE) if broker else []


def _call_again(_: re.Match[str], subject: Subject) -> list[Command]:
    """Return the last call for each bundle once more, after a look at an owner: another call has won meanwhile."""
    made = commands.look_up(subject.units[:1])
    for call in {one["unit"]: one for one in subject.calls}.values():
        is_split = call["state"] == "Splitting"
        made += split(call["unit"]) if is_split else commands.unload([call["unit"]], "", call.get("dstBroker", ""))
    return made


def _clocks(_: re.Match[str], subject: Subject) -> list[Command]:
    return [one for broker in subject.brokers for one in commands.clocks(broker)]


def _at_the_time(make: Callable[[str, int | None], list[Command]]) -> Maker:
    def made(found: re.Match[str], subject: Subject) -> list[Command]:
        broker = subject.broker(found)
        return make(broker, subject.since) if broker else []

    return made


def _imperative(pattern: str, make: Maker, is_cure: bool = False) -> Imperative:
    return Imperative(re.compile(pattern), make, is_cure)


def _registered_first(found: re.Match[str], subject: Subject) -> list[Command]:
    """Return the restart of a broker, after a look at ZooKeeper: while that is away, a restart helps nobody."""
    broker = subject.broker(found)
    return [*commands.zookeeper(broker), *commands.restart(broker)] if broker else []


def _look_at_zookeeper(found: re.Match[str], subject: Subject) -> list[Command]:
    return commands.zookeeper(subject.broker(found))


def _one_by_one(found: re.Match[str], _: Subject) -> list[Command]:
    return [line for broker in found["brokers"].split(", ") for line in commands.restart(broker)]


ORDERS: Final = (
    _imperative(
        rf"\bunload (?P<units>{UNIT}(?:, {UNIT})*)(?P<parent> and its children)?(?: at {BROKER})?", _unload, True
    ),
    _imperative(rf"\bunload (?P<units>the (?:topic's )?(?:bundle|unit)) at {BROKER}", _unload, True),
    _imperative(r"\b(?:or|and) restart that broker\b", _restart_instead, True),
    _imperative(rf"\brestart {BROKER}(?! (?:once|if)\b)", _of_broker(commands.restart), True),
    _imperative(r"\bor restart it\b(?! if\b)", _of_broker(commands.restart), True),
    _imperative(rf"\brestart (?:one broker|{BROKER} once another one is registered)\b", _registered_first, True),
    _imperative(r"\bend (?:its|the)(?: hung)? process\b", _of_broker(commands.end), True),
    _imperative(rf"\bstart (?:{BROKER}|it) again\b", _of_broker(commands.start)),
    _imperative(r"\blook up a topic\b", lambda _, subject: commands.look_up(subject.units, Purpose.RUN), True),
    _imperative(r"\b(?:repeat the call|ask for the \w+ again|try again)\b", _call_again),
    _imperative(r"\bsplit the bundle again\b", lambda _, one: [line for unit in one.units for line in split(unit)]),
    _imperative(r"\bfind out\b.*\b(?:ZooKeeper|registered)\b", _of_broker(commands.zookeeper)),
    _imperative(r"\b(?:check\b.*\bZooKeeper|get ZooKeeper to answer)\b", _look_at_zookeeper, True),
    _imperative(rf"\brestart, one by one, (?P<brokers>{BROKERS})", _one_by_one, True),
    _imperative(r"\brestart every broker\b", lambda *_: [], True),
    _imperative(r"\bcheck the network between\b", lambda *_: commands.leader()),
    _imperative(r"\bcheck\b.*\bbookies\b", _of_broker(commands.bookies), True),
    _imperative(r"\b(?:who leads|there is a leader|a leader is elected)\b", lambda *_: commands.leader()),
    _imperative(r"\b(?:which broker owns the bundle|ask lookups)\b", lambda _, one: commands.look_up(one.units), True),
    _imperative(r"\b(?:stood still|long pause of its JVM)\b", _at_the_time(commands.stood_still)),
    _imperative(r"\b(?:read the log of|see its log|keeps its start)\b", _at_the_time(commands.log)),
    _imperative(r"\bsynchronise the clocks?\b", _clocks),
    _imperative(r"\b(?:dump the|record the run again|give the whole log)\b", lambda *_: commands.record()),
    _imperative(r"\bstop a broker that is to restart by SIGTERM\b", lambda *_: []),
)  # fmt: skip
"""In the order of their commands."""


def order(repair: str, subject: Subject) -> Order | None:
    """Return the order that a repair gives, or None if it has none, as the legal course of a program."""
    found = [(one, match) for one in ORDERS if (match := one.pattern.search(repair))]
    if not found:
        return None
    words = counted(_from(repair, min(match.start() for _, match in found)).rstrip(".").removeprefix("now "))
    if subject.is_over and all(one.is_cure for one, _ in found):
        return Order(OVER, f"should it come back, {words}")
    made = [line for one, match in found if not (subject.is_over and one.is_cure) for line in one.make(match, subject)]
    lines = tuple(dict.fromkeys(made))
    return Order(words, "", lines[:MOST], len(lines[MOST:]))


def counted(text: str) -> str:
    """
    Return a text with the number of bundles instead of their list.

    >>> counted("unload a/b/0x00000000_0x40000000, a/b/0x40000000_0x80000000 at b1")
    'unload 2 bundles at b1'
    """
    return _UNITS.sub(lambda found: f"{found.group().count(', ') + 1} bundles", text)


def _from(repair: str, place: int) -> str:
    """Return a repair without the clauses before the one with its first order."""
    return repair[repair.rfind("; ", 0, place) + 2 :] if "; " in repair[:place] else repair


def pressing_of(incidents: Sequence[Json]) -> Json:
    """Return the incident that an operator has to act on first: the worst, or the worst that lasts if it is over."""
    worst = incidents[0]
    return worst if worst["ended"] != "over" else next((one for one in incidents if one["ended"] == LASTS), worst)


def order_for(incident: Json, run: str, calls: Sequence[Json] = ()) -> Order:
    """Return the order for an incident; *calls* are the refused records of calls, each with its unit."""
    units, brokers = incident["harmed"] or incident["units"], incident["root"]["brokers"]
    is_over = incident["ended"] == "over"
    subject = Subject(brokers, units, incident["root"]["time"], calls, is_over)
    repair = incident["repair"]
    if (given := order(repair, subject)) is not None:
        is_cured = any(one.purpose is Purpose.RUN for one in given.commands)
        serves_on = incident["harm"] == TWICE and incident["ended"] == LASTS and incident["root"]["kind"] == SILENT
        return given if is_cured or not (serves_on and brokers) else _ending(brokers[0], given)
    is_course = "finding" in incident["root"] or _COURSE.match(repair)
    return _without_repair(units, run, is_over) if is_course else Order(repair.rstrip("."))


def _ending(broker: str, given: Order) -> Order:
    """Return an order that first ends what a broker still does which woke up behind a compaction, or a lost record."""
    words = f"restart {broker}, which serves what it lost; {given.words.partition('; restart ')[0]}"
    return given._replace(words=words, commands=(*commands.restart(broker), *given.commands))


def order_for_finding(finding: Json) -> Order:
    """Return the order for a finding alone, as of a running cluster."""
    units = [finding["unit"]] if finding["unit"] else []
    subject = Subject(finding["brokers"], units, finding["at"]["time"], refused([finding]))
    return order(finding["repair"], subject) or _without_repair(units, "", False)


def refused(findings: Iterable[Json]) -> list[Json]:
    """Return the refused records of calls, each with its unit."""
    return [{**one["proposed"], "unit": one["unit"]} for one in findings if one["proposed"] and one["law"] in CALLS]


def _without_repair(units: Sequence[str], run: str, is_over: bool) -> Order:
    if is_over:
        return Order(OVER)
    looks = commands.look_up(units[:1]) + [one for unit in units[:1] if run for one in commands.story(unit, run)]
    return Order(SEE_OWNER if units else NO_REPAIR, "", tuple(looks), is_known=False)
