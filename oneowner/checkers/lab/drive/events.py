"""The real event of each action of the channel's model, or the reason that a step has none."""

from collections.abc import Callable
from typing import Any, Final

from oneowner.checkers.lab.drive import sessions
from oneowner.checkers.lab.drive.real_event import Event, Kind, Point, Undrivable, at_gate, brokers_of, units_of
from oneowner.model.channel.orphans import is_gone, is_orphan
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import NOBODY, is_active, is_in_flight, owner
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.session import has_session
from oneowner.model.kernel.action import Action

READ_ANEW: Final = "brokers read new boundaries by themselves, and no gate keeps them from it"
BLOCKED: Final = "a reader that is held keeps the broker's client from closing, which it does before it disables itself"
NO_GATE: Final = "no gate is at what makes it real"
ENDED: Final = "the process has ended, and what it had sent is out of reach"


def event(before: Any, action: Action) -> Event:
    """
    Return the real event of *action* in the state *before*.

    :raises Undrivable: there is none that can be caused.
    """
    if action.name not in EVENTS:
        raise Undrivable(NO_GATE)
    if before.bounds.splits and any(before.boundaries[one] != before.ring for one in brokers_of(before)):
        raise Undrivable(READ_ANEW)
    return EVENTS[action.name](before, **dict(action.arguments))


def _command(words: str) -> Callable[..., Event]:
    def commanded(before: Any, broker: int, unit: int = 1, destination: int = NOBODY) -> Event:
        what = f"{words} bundle {unit}" + (f" to broker {destination}" if destination else "")
        if owner(before.view[broker, unit]) == broker:
            return Event(Kind.ADMIN, f"admin call at broker {broker}: {what}", broker, unit, destination=destination)
        called = f"call of the load manager of broker {broker}: {what}"  # an admin call is sent on to the owner
        return Event(Kind.CALL, called, broker, unit, destination=destination)

    return commanded


def _look_up(before: Any, broker: int, unit: int) -> Event:
    if not has_session(before, broker):  # over HTTP it would first check in ZooKeeper that the topic exists
        return Event(Kind.CALL, f"call of the load manager of broker {broker}: look bundle {unit} up", broker, unit)
    return Event(Kind.LOOKUP, f"a client looks bundle {unit} up at broker {broker}", broker, unit)


def _assign(before: Any, broker: int, unit: int, destination: int) -> Event:
    return at_gate(Point.SELECT, broker, unit, f"answer broker {destination}", destination=destination)


def _append(before: Any, broker: int) -> Event:
    if before.run[broker] != Run.UP:
        raise Undrivable(ENDED)
    sent = before.outbox[broker][1]
    return at_gate(Point.APPEND, broker, sent.unit, f"let bundle {sent.unit} {sent.record} go")


def _consume(before: Any, broker: int) -> Event:
    message = before.log[before.cursor[broker] + 1]
    return at_gate(Point.CONSUME, broker, message.unit, f"let bundle {message.unit} {message.record} go")


def _notify(before: Any, broker: int, unit: int) -> Event:
    return at_gate(Point.NOTIFY, broker, unit, f"let what is told of bundle {unit} go")


def _close(before: Any, broker: int, number: int) -> Event:
    job = before.closing[broker][number]
    others = [before.closing[broker][at] for at in range(1, number)]
    if any(other.unit == job.unit for other in others):
        raise Undrivable("of two closes of one bundle the first is let go first")
    return at_gate(Point.CLOSE, broker, job.unit, f"let the close of bundle {job.unit} end")


def _open_lookup(before: Any, broker: int, unit: int) -> Event:
    if before.run[broker] != Run.UP:
        raise Undrivable(ENDED)
    return _look_up(before, broker, unit)


def _disable(before: Any, broker: int) -> Event:
    if before.bounds.storage != Storage.METADATA_STORE and before.cursor[broker] < before.log.length:
        raise Undrivable(BLOCKED)
    words = f"kill -TERM broker {broker}, and let it disable itself at its gate"
    return Event(Kind.SIGNAL, words, broker, point=Point.DISABLE, signal="SIGTERM")


def _drain(before: Any, broker: int, unit: int, destination: int = NOBODY) -> Event:
    if before.bounds.units > 1:
        raise Undrivable("one clean-up drains all bundles at once")
    answered = f", and answer its selection broker {destination}" if destination else ""
    words = f"let its own clean-up go{answered}"
    return at_gate(Point.CLEAN_UP, broker, unit, words, about=broker, destination=destination)


def _stop(before: Any, broker: int) -> Event:
    return Event(Kind.WAIT, f"wait until the process of broker {broker} has ended", broker)


def _crash(before: Any, broker: int) -> Event:
    return Event(Kind.SIGNAL, f"kill -9 broker {broker}", broker, signal="SIGKILL")


def _pause(before: Any, broker: int) -> Event:
    return Event(Kind.SIGNAL, f"kill -STOP broker {broker}", broker, signal="SIGSTOP")


def _resume(before: Any, broker: int) -> Event:
    return Event(Kind.SIGNAL, f"kill -CONT broker {broker}", broker, signal="SIGCONT")


def _override(before: Any, broker: int, unit: int, destination: int = NOBODY) -> Event:
    orphans = [one for one in units_of(before) if is_orphan(before, broker, before.view[broker, one])]
    held = before.view[broker, unit]
    gone = held.destination if is_gone(before, broker, held.destination) else held.source
    chosen = f"broker {destination}" if destination else "nobody"
    point = Point.CLEAN_UP if orphans == [unit] else Point.OVERRIDE  # one clean-up overrides them all
    words = f"let that of broker {gone} go, and answer its selection {chosen}"
    return at_gate(point, broker, unit, words, about=gone, destination=destination)


def _end_flight(before: Any, broker: int, unit: int, destination: int) -> Event:
    if [one for one in units_of(before) if is_in_flight(before.view[broker, one])] != [unit]:
        raise Undrivable("one run of the monitor ends all hand-overs at once")
    words = f"let a run go for which every hand-over is too old, and answer its selection broker {destination}"
    return at_gate(Point.MONITOR, broker, unit, words, destination=destination)


def _tombstone(before: Any, broker: int, unit: int) -> Event:
    free = [one for one in units_of(before) if _is_semi_terminal(before.view[broker, one])]
    if free != [unit]:
        raise Undrivable("one run of the monitor deletes all free entries at once")
    return at_gate(Point.MONITOR, broker, unit, "let a run go for which every free entry is too old")


def _is_semi_terminal(record: Any) -> bool:
    return not is_active(record) and bool(record.version)


def _move_boundaries(before: Any, broker: int, number: int = 1) -> Event:
    return at_gate(Point.BOUNDARIES, broker, 1, "let the new boundaries be written")


def _delete_parent(before: Any, broker: int, number: int = 1) -> Event:
    return at_gate(Point.DIVIDED, broker, 1, "let the split go on to what it publishes of its parent")


def _open(before: Any, broker: int, unit: int) -> Event:
    return Event(Kind.ADMIN, f"admin call at broker {broker}: load a topic of bundle {unit}", broker, unit)


EVENTS: Final[dict[str, Callable[..., Event]]] = {
    "transfer": _command("unload"),
    "unload": _command("unload"),
    "split": _command("split"),
    "look_up": _look_up,
    "assign": _assign,
    "open_lookup": _open_lookup,
    "select": _assign,
    "append": _append,
    "consume": _consume,
    "notify": _notify,
    "close": _close,
    "open": _open,
    "crash": _crash,
    "pause": _pause,
    "resume": _resume,
    "expire": sessions.expire,
    "stop_zookeeper": sessions.stop_zookeeper,
    "start_zookeeper": sessions.start_zookeeper,
    "lose_session": sessions.lose_session,
    "notice": sessions.notice,
    "elect": sessions.elect,
    "play_leader": sessions.play_leader,
    "play_follower": sessions.play_follower,
    "reestablish": sessions.reestablish,
    "reconnect": sessions.reestablish,
    "register": sessions.register,
    "override": _override,
    "free_orphan": _override,
    "end_flight": _end_flight,
    "tombstone": _tombstone,
    "disable": _disable,
    "drain": _drain,
    "pass_over": _drain,
    "unregister": sessions.unregister,
    "stop": _stop,
    "move_boundaries": _move_boundaries,
    "delete_parent": _delete_parent,
}
"""Gates by action; other actions have none."""


def storage_of(bounds: Any) -> str:
    """Return the storage of the channel, as an argument of ``lab up --storage``."""
    return "metadata-store" if bounds.storage == Storage.METADATA_STORE else "system-topic"
