"""
One planted corruption of a generated dump, by kind: a change of ``dump_changes.py``, at a place that chance picks.

The first record of a unit is left alone: by the contract a dump may begin in the middle of a unit's history.
"""

from collections.abc import Callable
from random import Random

from oneowner.model.channel.record import is_absent, is_active, is_in_flight
from tools.random_recordings import dump_changes
from tools.random_recordings.dump_changes import Messages
from tools.render.channel_dump import Rendered
from tools.render.model_runs import Appended

TOO_LONG = 200_000
"""Milliseconds that nobody may stay in flight."""


def corrupted(told: Rendered, kind: str) -> Messages | None:
    """Return the dump of a run with one corruption; None if the run has no place for one of this kind."""
    chance = Random(f"corrupted {told.run.story} {told.run.seed} {kind}")
    return KINDS[kind](told, chance)


def _places(told: Rendered, fits: Callable[[Appended], bool] = lambda _: True) -> list[int]:
    """Return where a record is that fits and that is not the first of its unit."""
    units: set[int] = set()
    found = []
    for place, one in enumerate(told.run.appended):
        if one.unit in units and fits(one):
            found.append(place)
        units.add(one.unit)
    return found


def _pick(told: Rendered, chance: Random, fits: Callable[[Appended], bool] = lambda _: True) -> str | None:
    """Return the message id of such a record."""
    places = _places(told, fits)
    return str(told.messages[chance.choice(places)]["messageId"]) if places else None


def _answered(told: Rendered, chance: Random) -> tuple[str, str] | None:
    """Return the ids of a record by which a unit goes in flight, and of the next one that its unit accepts."""
    taken = _places(told, lambda one: one.accepted)
    pairs = []
    for place in taken:
        one = told.run.appended[place]
        behind = [other for other in taken if other > place and told.run.appended[other].unit == one.unit]
        if is_in_flight(one.record) and behind:
            pairs.append((place, behind[0]))
    if not pairs:
        return None
    first, second = chance.choice(pairs)
    return told.messages[first]["messageId"], told.messages[second]["messageId"]


def drop(told: Rendered, chance: Random) -> Messages | None:
    """Drop any record, one that lost its race too."""
    at = _pick(told, chance)
    return dump_changes.drop(told.messages, at) if at else None


def repeat_id(told: Rendered, chance: Random) -> Messages | None:
    """Repeat a message under one id."""
    at = _pick(told, chance)
    return dump_changes.repeat(told.messages, at, at, at) if at else None


def repeat_record(told: Rendered, chance: Random) -> Messages | None:
    """Append an entry's last record to the topic once more, as a producer does that lost an acknowledgement."""
    at = _pick(told, chance)
    if at is None:
        return None
    new, last = _behind(told, at)
    return dump_changes.repeat(told.messages, last, new, last)


def tombstone(told: Rendered, chance: Random) -> Messages | None:
    """Delete the entry that a record has just made."""
    at = _pick(told, chance, lambda one: one.accepted and is_active(one.record))
    if at is None:
        return None
    (line,) = (line for line in told.messages if line["messageId"] == at)
    new, last = _behind(told, at)
    changed = dump_changes.append(told.messages, last, new, line["key"], None)
    named = {"producer": line["producer"], "sequenceId": 10**6}
    return [{**one, **named} if one["messageId"] == new else one for one in changed]


def swap_lines(told: Rendered, chance: Random) -> Messages | None:
    """Swap two neighbours, ids and all."""
    place = chance.randrange(len(told.messages) - 1)
    one, other = (told.messages[place + more]["messageId"] for more in (0, 1))
    return dump_changes.swap_lines(told.messages, one, other)


def swap_records(told: Rendered, chance: Random) -> Messages | None:
    """End a hand-over before it begins."""
    pair = _answered(told, chance)
    return dump_changes.swap_records(told.messages, *pair) if pair else None


def retarget(told: Rendered, chance: Random) -> Messages | None:
    """
    Put another broker in the place of a destination.

    Not the source: every view takes a hand-over to oneself, and it breaks no law of the contract.
    """
    at = _pick(told, chance, lambda one: one.accepted and one.record.destination > 0)
    if at is None:
        return None
    (line,) = (line for line in told.messages if line["messageId"] == at)
    named = (line["value"]["dstBroker"], line["value"].get("sourceBroker"))
    others = [name for name in told.brokers if name not in named]
    return dump_changes.retarget(told.messages, at, chance.choice(others))


def jump_version(told: Rendered, chance: Random) -> Messages | None:
    """Raise the version of an accepted record."""
    at = _pick(told, chance, lambda one: one.accepted and not is_absent(one.record))
    if at is None:
        return None
    (line,) = (line for line in told.messages if line["messageId"] == at)
    return dump_changes.jump_version(told.messages, at, line["value"]["versionId"] + chance.randint(1, 3))


def delay(told: Rendered, chance: Random) -> Messages | None:
    """Stretch a hand-over beyond its limit."""
    pair = _answered(told, chance)
    return dump_changes.delay(told.messages, *pair, TOO_LONG) if pair else None


def never_answer(told: Rendered, chance: Random) -> Messages | None:
    """Drop what ends a hand-over, and let the dump go on for long."""
    pair = _answered(told, chance)
    if pair is None or pair[1] == told.messages[-1]["messageId"]:
        return None
    return dump_changes.never_answer(told.messages, *pair, TOO_LONG)


def rename_child(told: Rendered, chance: Random) -> Messages | None:
    """Make a split name, and create, a child that begins one hash later."""
    children = told.keys[1:3]
    if not told.run.bounds.splits or not any(line["key"] in children for line in told.messages):
        return None
    child = chance.choice(children).rpartition("/")[2]
    low, high = child.split("_")
    return dump_changes.rename_child(told.messages, told.keys[0], child, f"{int(low, 16) + 1:#010x}_{high}")


def _behind(told: Rendered, at: str) -> tuple[str, str]:
    """Return a new id right behind the entry of the message *at*, and the last id of that entry."""
    entry = at.split(":")[:2]
    last = [line["messageId"] for line in told.messages if line["messageId"].split(":")[:2] == entry][-1]
    batch = int(last.split(":")[3]) + 1 if last.count(":") == 3 else 0
    return f"{':'.join(entry)}:-1:{batch}", last


KINDS: dict[str, Callable[[Rendered, Random], Messages | None]] = {
    function.__name__: function
    for function in (
        drop, repeat_id, repeat_record, tombstone, swap_lines, swap_records, retarget, jump_version, delay,
        never_answer, rename_child,
    )
}  # fmt: skip
