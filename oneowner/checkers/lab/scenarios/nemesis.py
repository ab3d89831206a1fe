"""A scenario of chance: a seed chooses faults and moves, one after the other or at once; Jepsen calls it a nemesis."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from oneowner.checkers.lab.cluster.recording import Recording
from oneowner.checkers.lab.scenarios.load import asking, units

LASTS: Final = 180
"""The seconds after the earliest fault in which a fault may begin."""
MOST_AT_ONCE: Final = 2
"""The maximum of simultaneous faults."""
OVERLAPS: Final = 0.3
"""The probability that the next fault begins while one lasts."""
SETTLES: Final = (12.0, 25.0)
"""Otherwise the least and the greatest pause after its end, in seconds; a session is of 10 s."""
MOVED: Final = 5.0
"""The mean seconds between two moves."""
QUIET: Final = 60
"""The seconds until every timer has run out: sessions, closes, flights, two runs of the monitor."""
OUTAGE: Final = "lose ZooKeeper"
FAULTS: Final = {
    "kill": (3, 0, 30),
    "stop": (2, 5, 20),
    "short pause": (2, 2, 8),
    "long pause": (2, 15, 40),
    "cut": (3, 5, 45),
    "leave unanswered": (2, 5, 20),
    OUTAGE: (1, 3, 25),
}
"""The weight of a fault, and its least and greatest duration in seconds."""
MOVES: Final = {"unload": 5, "transfer": 5, "split": 1}
"""The weight of a move."""


@dataclass(frozen=True, slots=True, order=True)
class Act:
    """An event, and its time in seconds after the beginning; later if an earlier one takes long."""

    at: float
    what: str
    """A fault, its end, such as ``end of kill``, or a move."""
    number: int
    """The number of the affected or requested broker; 0 is ZooKeeper."""
    lasts: float = 0
    """The duration of a fault, in seconds."""
    chance: float = 0
    """From 0 to 1; chooses a move's bundle."""
    to: int = 0
    """The destination of a transfer."""


def chosen(seed: int, brokers: range) -> list[Act]:
    """Return the events of a seed for *brokers*, in order; each fault ends."""
    random = Random(seed)
    return sorted([*_faults(random, brokers), *_moves(random, brokers)])


def _faults(random: Random, brokers: range) -> Iterator[Act]:
    """Choose faults until the end; a broker has at most one at a time, and ZooKeeper's counts for every broker."""
    ends, at = dict.fromkeys(brokers, 0.0), random.uniform(0, 8)
    while at < LASTS:
        what = random.choices([*FAULTS], [often for often, *_ in FAULTS.values()])[0]
        _, least, most = FAULTS[what]
        lasts, lasting = round(random.uniform(least, most), 1), [end for end in ends.values() if end > at]
        number = random.choice([one for one in brokers if ends[one] <= at]) * (what != OUTAGE)
        yield Act(at, what, number, lasts)
        if number:
            yield Act(at + lasts, f"end of {what}", number)
        ends |= {one: max(ends[one], at + lasts) for one in ([number] if number else brokers)}
        if len(lasting) + 1 < MOST_AT_ONCE and number and random.random() < OVERLAPS:
            at += random.uniform(0, lasts)
        else:
            at = max(ends.values()) + random.uniform(*SETTLES)


def _moves(random: Random, brokers: range) -> Iterator[Act]:
    at = 0.0
    while (at := at + random.uniform(0, 2 * MOVED)) < LASTS:
        what = random.choices([*MOVES], [*MOVES.values()])[0]
        yield Act(at, what, random.choice(brokers), chance=random.random(), to=random.choice(brokers))


def nemesis(run: Recording) -> None:
    """
    A seed chooses for three minutes what befalls a broker, beside moves and splits: one fault at a time, or two.

    A broker is killed (SIGKILL) or asked to end (SIGTERM) and started again, stands still (SIGSTOP) for a short or a
    long time, is cut off ZooKeeper, or hears no answer of it; seldom ZooKeeper is killed. Then all is healed.
    """
    acts, now = chosen(run.seed, run.brokers), 0.0
    run.event("chosen", seed=run.seed, acts=[f"{act.at:.1f} s: {act.what} {act.number} {act.lasts:g}" for act in acts])
    with ExitStack() as moves:
        for act in acts:
            run.wait(act.at - now)
            now = act.at
            if act.what in MOVES:
                moves.enter_context(asking(partial(_move, run, act)))
            else:
                _do(run, act)
    _start_anew(run, *run.brokers)
    run.event("all is healed")
    run.wait(QUIET)


def _start_anew(run: Recording, *numbers: int) -> None:
    """Restart brokers that ended by themselves."""
    for number in numbers:
        if number not in run.alive():
            run.restart(number)


def _do(run: Recording, act: Act) -> None:
    if act.what in FAULTS and act.number:
        _start_anew(run, act.number)
    match act.what:
        case "kill" | "stop":
            run.signal(signal.SIGKILL if act.what == "kill" else signal.SIGTERM, act.number)
        case "end of kill" | "end of stop":
            run.wait_for_end(act.number, 40)
            run.restart(act.number)
        case "short pause" | "long pause":
            run.signal(signal.SIGSTOP, act.number)
        case "end of short pause" | "end of long pause":
            run.go_on(act.number)
        case "cut":
            run.cut(act.number)
        case "leave unanswered":
            run.leave_unanswered(act.number)
        case "end of cut" | "end of leave unanswered":
            run.heal(act.number)
        case _:
            run.lose_zookeeper(act.lasts)


def _move(run: Recording, act: Act) -> None:
    if found := units(run):
        unit = found[int(act.chance * len(found))]
        if act.what == "split":
            run.split(unit, act.number)
        else:
            run.unload(unit, act.number, act.to if act.what == "transfer" else None)
