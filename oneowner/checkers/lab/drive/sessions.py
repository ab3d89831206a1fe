"""The real events of actions about sessions, registrations and elections."""

from typing import Any, Final

from oneowner.checkers.lab.drive.real_event import Event, Kind, Point, Undrivable, at_gate, brokers_of
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.session import has_session

BROKEN: Final = "in an outage ZooKeeper is out of reach and runs on, so that it ends the session which is to go on"
NOBODY_HEARS: Final = "nobody is left who is told that the session has ended"


def expire(before: Any, broker: int) -> Event:
    """The session of a broker ends: wait until ZooKeeper has notified another broker."""
    if before.node[broker] == Node.LEFTOVER and before.run[broker] == Run.UP:
        raise Undrivable("no gate is at the start of a process beside the node of an older one")
    others = [one for one in brokers_of(before) if one != broker and before.run[one] == Run.UP]
    if not any(has_session(before, one) for one in others):
        raise Undrivable(NOBODY_HEARS)
    if before.run[broker] == Run.UP:
        cut = f"cut broker {broker} off ZooKeeper until its session has ended"
        return Event(Kind.RELAY, cut, broker)
    return Event(Kind.WAIT, f"wait until the session of broker {broker} has ended", broker)


def stop_zookeeper(before: Any) -> Event:
    """An outage begins."""
    return Event(Kind.RELAY, "hold what every broker with a session and ZooKeeper send each other")


def start_zookeeper(before: Any) -> Event:
    """An outage ends."""
    return Event(Kind.RELAY, "let what was held pass, and what follows")


def lose_session(before: Any, broker: int) -> Event:
    """A broker is notified that its session is lost."""
    return at_gate(Point.SESSION, broker, 0, "let it hear that its session is lost")


def notice(before: Any, observer: int, broker: int) -> Event:
    """A broker is notified that another one has left, or joined."""
    return at_gate(Point.NOTICE, observer, 0, f"let what is told of broker {broker} go", about=broker)


def elect(before: Any, broker: int) -> Event:
    """A broker is elected; if several are live, the attempt of one is released, and then those of the others."""
    if [one for one in brokers_of(before) if before.run[one] == Run.UP] == [broker]:
        return Event(Kind.WAIT, f"wait until broker {broker} leads", broker)
    return at_gate(Point.ELECT, broker, 0, "let it become the leader, and then the others find that it is")


def play_leader(before: Any, broker: int) -> Event:
    """A broker that was elected takes the leader's role."""
    return at_gate(Point.LEAD, broker, 0, "let it take the leader's role")


def play_follower(before: Any, broker: int) -> Event:
    """A broker that leads no longer gives the role up."""
    return at_gate(Point.FOLLOW, broker, 0, "let it give the leader's role up")


def reestablish(before: Any, broker: int) -> Event:
    """A broker that was cut off reaches ZooKeeper again, and is notified of its new session."""
    if before.node[broker] == Node.PRESENT:
        raise Undrivable(BROKEN)
    words = f"let broker {broker} reach ZooKeeper again, and at its gate hear of its new session"
    return Event(Kind.RELAY, words, broker, point=Point.SESSION)


def register(before: Any, broker: int) -> Event:
    """A broker registers again."""
    return at_gate(Point.REGISTER, broker, 0, "let it register")


def unregister(before: Any, broker: int) -> Event:
    """A broker that ends unregisters."""
    return at_gate(Point.UNREGISTER, broker, 0, "let it unregister")
