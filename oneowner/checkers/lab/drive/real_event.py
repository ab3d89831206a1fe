"""The real events that steps of the channel's model stand for, and steps that stand for none."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The cause of a real event."""

    ADMIN = "admin"
    CALL = "call"
    LOOKUP = "lookup"
    GATE = "gate"
    SIGNAL = "signal"
    RELAY = "relay"
    WAIT = "wait"


class Point(StrEnum):
    """The gates of brokers; ``gates/rules.btm`` names the methods."""

    APPEND = "append"
    CONSUME = "consume"
    NOTIFY = "notify"
    CLOSE = "close"
    CLEAN_UP = "clean-up"
    OVERRIDE = "override"
    MONITOR = "monitor"
    SELECT = "select"
    BOUNDARIES = "boundaries"
    DIVIDED = "divided"
    NOTICE = "notice"
    SESSION = "session"
    DISABLE = "disable"
    UNREGISTER = "unregister"
    REGISTER = "register"
    ELECT = "elect"
    LEAD = "lead"
    FOLLOW = "follow"


@dataclass(frozen=True, slots=True)
class Event:
    """A real event and its subject. Brokers and units are numbered as in the model, 0 is none."""

    kind: Kind
    words: str
    broker: int = 0
    unit: int = 0
    point: Point | None = None
    about: int = 0
    """The broker that a notice or a clean-up is about."""
    destination: int = 0
    """The broker that a selection is answered, or that an operator names."""
    signal: str = ""


class Undrivable(Exception):
    """The reason why a step of the model is impossible with real brokers."""


def at_gate(point: Point, broker: int, unit: int, words: str, about: int = 0, destination: int = 0) -> Event:
    """Return the event that releases a call at a gate."""
    return Event(Kind.GATE, f"gate {point} of broker {broker}: {words}", broker, unit, point, about, destination)


def units_of(state: Any) -> range:
    """Return the units, from 1."""
    return range(1, state.bounds.units + 1)


def brokers_of(state: Any) -> range:
    """Return the brokers, from 1."""
    return range(1, state.bounds.brokers + 1)
