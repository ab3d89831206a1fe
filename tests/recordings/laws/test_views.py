"""Views' treatment of records: taken, skipped, printed, counted."""

from dataclasses import replace
from typing import Any

from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.laws.views.record_handling import SKIPS, kept_dead
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import LAWS, Case, case, each, note, violation, warning
from tests.recordings.laws.crafted import B1, B2, B3, OTHER, UNIT, channel, logs, message, printed, said, scene
from tests.recordings.laws.recorded import recorded

REFUSED, ACCEPTED = "refused-is-not-handled", "accepted-is-not-skipped"
IN_DUMP, COUNT = "handled-is-in-dump", "counters-count"
ASSIGNING = printed("Assigning", 1, B1, timestamp=10)
RIVAL = printed("Assigning", 1, B2, timestamp=11)
OWNED = printed("Owned", 2, B1, timestamp=20)
ABSENT = RIVAL._replace(timestamp=5)
LATER = printed("Releasing", 3, B1, timestamp=21)
MESSAGES = (message(0, 10, ASSIGNING), message(1, 11, RIVAL), message(2, 20, OWNED))
CHANNEL = channel(*MESSAGES)


def request(line: int, record: Printed | None, broker: str = B1, handled: int = 1) -> LogEvent:
    return said(line, 20 + line, "handle-request", UNIT, broker, data=record, handled=handled)


def skip(line: int, record: Printed, held: Printed | None, event: str = "skipped") -> LogEvent:
    return said(line, 20 + line, event, UNIT, B1, value=record, prev=held)


def seen(*lines: LogEvent, told: Channel = CHANNEL, **fields: Any) -> Scene:
    """Log lines of views about a channel: B1's Assigning, B2's too (which is refused), and B1's Owned."""
    return scene(channel=told, said=logs(*lines), **fields)


HOLDING = {"handled": "cur", "loaded-data": "data", "override": "orphan", "still-owned": "data"}
"""By line, where it shows a record that the view holds."""
REUSED = printed("Assigning", 1, B1, timestamp=12)
NODES = channel(message(0, 10, ASSIGNING), message(1, 11, None), message(2, 12, REUSED))
RELEASING = printed("Releasing", 3, source=B1, timestamp=21)
DELETED = channel(message(0, 10, ASSIGNING), message(1, 20, OWNED), message(2, 25, None), message(3, 30, REUSED))
CARRIED = Cause(HappeningKind.CARRIED_OVER, B1, 25)
HISTORY = channel(message(0, 10, ASSIGNING), message(1, 20, OWNED), storage=Storage.METADATA_STORE)
OTHER_CLUSTER = (
    request(n, OWNED._replace(timestamp=n), broker, handled=n) for n in range(1, 9) for broker in (B1, B2)
)  # fmt: skip

STARTS = said(0, 0, "broker-starting")

CASES = {
    # refused-is-not-handled
    "refused record that is skipped everywhere is as it must be":
        case(REFUSED, seen(request(1, ASSIGNING), skip(2, RIVAL, ASSIGNING), request(3, OWNED)), occasions=2),
    "refused record that two brokers handled is one violation":
        case(REFUSED, seen(request(1, RIVAL), request(2, RIVAL, B2), request(3, OWNED, B2)),
             violation(B1, B2, at="0:1", guard="version", held=ASSIGNING.record, proposed=RIVAL.record,
                       pieces=[0, 1, 2])),
    **{f"refused record that a view holds by its line {event} is a violation":
        case(REFUSED, seen(said(1, 30, event, UNIT)._replace(values={name: RIVAL})), violation())
       for event, name in HOLDING.items()},
    "record that is handled more often than accepted is a doubt":
        case(REFUSED,
             seen(request(1, ASSIGNING), request(2, ASSIGNING, handled=2),
                  told=channel(*MESSAGES, message(3, 10, ASSIGNING))),
             doubts=1),
    "history has nothing that was refused":
        case(REFUSED, replace(seen(request(1, OWNED), told=HISTORY), storage=Storage.METADATA_STORE)),
    # accepted-is-not-skipped
    "accepted record that is skipped is a violation":
        case(ACCEPTED, seen(skip(1, OWNED, ASSIGNING)),
             violation(at="0:2", why=f"the view held {ASSIGNING.record}")),
    "accepted record that is skipped from nothing is a violation":
        case(ACCEPTED, seen(skip(1, ASSIGNING, None)), violation()),
    "accepted record that is read once more is skipped":
        case(ACCEPTED, seen(skip(1, ASSIGNING, OWNED), skip(2, OWNED, OWNED), skip(3, RIVAL, ASSIGNING)), occasions=3),
    "skip for an entry that the dump has not is a doubt":
        case(ACCEPTED, seen(skip(1, OWNED, printed("Owned", 9, B3, timestamp=5))), doubts=1),
    "metadata store skips only what it holds":
        case(ACCEPTED,
             seen(skip(1, ASSIGNING, ASSIGNING, "node-skipped"), skip(2, REUSED, ASSIGNING, "node-skipped"),
                  told=NODES),
             violation(at="0:2", symptom=Symptom.HELD_VERSION), occasions=2),
    "view that was carried over a tombstone is told with that as its cause":
        case(ACCEPTED, seen(skip(1, REUSED, OWNED), told=DELETED),
             violation(B1, at="0:3", causes=(CARRIED,), why=f"the view held {OWNED.record}")),
    "view that lost an event, and no tombstone, is told without a cause":
        case(ACCEPTED, seen(skip(1, RELEASING, ASSIGNING), told=channel(*MESSAGES, message(3, 21, RELEASING))),
             violation(B1, at="0:3", causes=())),
    # handled-is-in-dump
    "handled record that is not in the dump is a warning and a doubt":
        case(IN_DUMP, seen(request(1, ABSENT), request(2, OWNED, handled=2)),
             warning(unit=UNIT), occasions=2, doubts=1),
    "tombstone that is not in the dump is a warning and a doubt":
        case(IN_DUMP, seen(request(1, None), request(2, OWNED, handled=2)),
             warning(unit=UNIT), occasions=2, doubts=1),
    "skipped record that is not in the dump is a warning and a doubt":
        case(IN_DUMP, seen(skip(1, ABSENT, ASSIGNING), request(2, OWNED, handled=2)),
             warning(unit=UNIT), occasions=2, doubts=1),
    "record that is made after the last of the dump is noted":
        case(IN_DUMP, seen(request(1, OWNED), request(2, LATER, handled=2), request(3, None)),
             note(lines=2), occasions=3),
    "record that is made after the last of the dump, and followed by one of it, is a hole":
        case(IN_DUMP, seen(request(1, LATER), request(2, OWNED, handled=2)), warning(), occasions=2, doubts=1),
    "record that was made before the last of the dump is a hole, however late it is handled":
        case(IN_DUMP, seen(request(1, OWNED), request(99, ABSENT, handled=2)), warning(), occasions=2, doubts=1),
    "record within the clocks' difference of the last of the dump is a hole":
        case(IN_DUMP, seen(request(1, OWNED), request(2, LATER, handled=2), limits=Limits(clock_skew=1_000)),
             warning(), occasions=2, doubts=1),
    "dump of another cluster is one warning for each broker":
        case(IN_DUMP, seen(*OTHER_CLUSTER), warning(lines=6), warning(lines=6), doubts=2),
    # counters-count
    "counters without gap are one for each state":
        case(COUNT, seen(request(1, ASSIGNING), request(2, OWNED), request(3, None), request(4, OWNED, handled=2)),
             occasions=3),
    "counter that jumps tells how many lines are missing":
        case(COUNT, seen(request(1, OWNED), request(2, OWNED, handled=4), request(3, ASSIGNING, handled=2)),
             warning(guard="log-has-gaps", why=("2 handle requests", "(Owned 2-3)")), doubts=1),
    "log that begins with its process has the first numbers, too":
        case(COUNT, seen(STARTS, request(1, OWNED), request(2, OWNED, handled=2), request(3, ASSIGNING, handled=2)),
             warning(guard="log-has-gaps", why=("1 handle requests", "(Assigning 1)")), doubts=1),
    "log that begins later than its process, as after a rotation, lacks no number before its first":
        case(COUNT, seen(request(1, OWNED, handled=7), request(2, OWNED, handled=8), request(3, ASSIGNING, handled=2)),
             occasions=2),
    "counter that repeats is a doubt": case(COUNT, seen(request(1, OWNED), request(2, OWNED)), doubts=1),
    # no lines
    **{f"scene without lines is no occasion of {law}": case(law, seen(), occasions=0)
       for law in (REFUSED, ACCEPTED, IN_DUMP, COUNT)},
}  # fmt: skip


@each(CASES)
def test_view_is_judged_by_what_it_says_of_records(case: Case) -> None:
    case.check()


def test_recorded_log_without_a_line_has_a_gap() -> None:
    found = recorded("healthy")
    broker = found.brokers[1]
    lines = found.said[broker]
    place = [number for number, line in enumerate(lines) if line.event == "handle-request"][10]
    cut = scene(said={broker: [*lines[:place], *lines[place + 1 :]]}, channel=found.channel)
    assert len(LAWS[COUNT].judge(cut).findings) == 1


def test_dead_entries_of_a_view_belong_together() -> None:
    again = printed("Owned", 2, B1, timestamp=13)
    records = channel(
        message(0, 10, OWNED), message(1, 20, OWNED, OTHER), message(2, 25, None), message(3, 26, None, OTHER),
        message(4, 30, REUSED), message(5, 31, again, OTHER),
    )  # fmt: skip
    lines = skip(1, REUSED, OWNED), skip(2, again, OWNED)._replace(unit=OTHER)
    one, other = SKIPS(seen(*lines, told=records)).happenings
    assert (one.behind, other.behind) == ((), (one.cause,))
    assert kept_dead(seen(*lines, told=records), B1, OTHER) == (other.cause,)
    assert kept_dead(seen(*lines, told=records), B2, OTHER) == ()
