"""
R0 is the abstract specification that the model refines: the requirement of PIP-192, in three variables.

``own`` holds the owner of each unit, ``flight`` which units are being handed over (by whom, to whom), ``lost`` which
brokers have ever failed. There is no log, no version, no reader and no message here. A step changes one unit, by one of
the ``ACTIONS``; in words: an owner changes only through a hand-over that names the heir beforehand, the former owner
lets go before the heir owns, and nobody but a broker that has failed loses a unit in any other way. Read this page
first if the rest is long; ``refinement.py`` maps each variable to the model.
"""

from collections.abc import Callable
from typing import NamedTuple

NOBODY = 0
"""No owner, no heir: owners count from 1."""


class Flight(NamedTuple):
    """A hand-over: the broker that gives the unit away, and the one that is to have it; either may be nobody."""

    giver: int
    heir: int


class Held(NamedTuple):
    """The two variables of ownership, of one unit."""

    own: int
    flight: Flight | None

    def __str__(self) -> str:
        owner = f"owned by {self.own}" if self.own else "owned by nobody"
        if self.flight is None:
            return owner
        giver = f" from {self.flight.giver}" if self.flight.giver else ""
        return f"{owner}, in flight{giver} to {self.flight.heir or 'nobody'}"


class Ownership(NamedTuple):
    """A state of R0; units count from 1, so that of unit 1 stands first."""

    own: tuple[int, ...]
    flight: tuple[Flight | None, ...]
    lost: frozenset[int]

    def held(self) -> list[Held]:
        """Return what is said of each unit."""
        return [Held(own, flight) for own, flight in zip(self.own, self.flight, strict=True)]

    def __str__(self) -> str:
        units = [f"unit {number} {held}" for number, held in enumerate(self.held(), 1)]
        failed = ", ".join(map(str, sorted(self.lost)))
        return "; ".join([*units, f"failed so far: {failed or 'none'}"])


Relation = Callable[[Held, Held, Ownership], bool]
"""A relation of a unit before and after a step, and of the whole state before it."""


class AbstractAction(NamedTuple):
    """One way in which R0 may go on with one unit."""

    name: str
    statement: str
    source: str
    relates: Relation


FREE = Held(NOBODY, None)


def heir(held: Held) -> int:
    """Return who is to have the unit, or nobody."""
    return held.flight.heir if held.flight is not None else NOBODY


def is_settled(held: Held) -> bool:
    """Return whether the unit has an owner and stays with it."""
    return held.own != NOBODY and held.flight is None


def assigns(before: Held, after: Held, world: Ownership) -> bool:
    return before == FREE and heir(after) != NOBODY and after == Held(NOBODY, Flight(NOBODY, heir(after)))


def owns(before: Held, after: Held, world: Ownership) -> bool:
    return before.own == NOBODY and heir(before) != NOBODY and after == Held(heir(before), None)


def releases(before: Held, after: Held, world: Ownership) -> bool:
    return is_settled(before) and after == Held(NOBODY, Flight(before.own, NOBODY))


def transfers(before: Held, after: Held, world: Ownership) -> bool:
    to_another = heir(after) not in (NOBODY, before.own)
    return is_settled(before) and to_another and after == Held(NOBODY, Flight(before.own, heir(after)))


def frees(before: Held, after: Held, world: Ownership) -> bool:
    to_nobody = before.flight is not None and heir(before) == NOBODY
    return before.own == NOBODY and to_nobody and after == FREE


def splits(before: Held, after: Held, world: Ownership) -> bool:
    return is_settled(before) and after == Held(before.own, Flight(before.own, NOBODY))


def inherits(before: Held, after: Held, world: Ownership) -> bool:
    parents = [held for held in world.held() if held.own == after.own and held.flight is not None]
    return before == FREE and is_settled(after) and parents != []


def retires(before: Held, after: Held, world: Ownership) -> bool:
    return before.own != NOBODY and before.flight is not None and after == FREE


def loses(before: Held, after: Held, world: Ownership) -> bool:
    parties = {before.own, *(before.flight or ())}
    return bool(parties & world.lost) and after.flight is None


ACTIONS = (
    AbstractAction("Assign", "A free unit is on its way to an heir.", "PIP-192, Assign; channel.5", assigns),
    AbstractAction("Own", "The heir owns the unit.", "PIP-192, Own; channel.6", owns),
    AbstractAction("Release", "The owner lets go of it, for nobody.", "PIP-192, Unload; channel.5", releases),
    AbstractAction("Transfer", "The owner lets go of it, for an heir.", "PIP-192, Transfer; channel.5", transfers),
    AbstractAction("Free", "A unit that was let go of for nobody is free.", "PIP-192, Free; channel.6", frees),
    AbstractAction("SplitAt", "The owner begins to split the unit and still owns it.", "PIP-192, Split", splits),
    AbstractAction("Inherit", "The owner of a unit that is being split owns a child.", "PIP-192, Split", inherits),
    AbstractAction("Retire", "A unit that was being split is no more.", "PIP-192, Split", retires),
    AbstractAction("Lose", "A hand-over or owner that has failed is overruled.", "channel.P13, models.S39", loses),
)

FAIL = "Fail"
"""A broker fails: its process dies or its registration is lost. The environment does that, and nothing else changes."""

NAMES = (*(action.name for action in ACTIONS), FAIL)


def action_between(before: Ownership, after: Ownership) -> tuple[str, ...] | None:
    """
    Return the name of the one action that leads from *before* to *after*; none for a stutter.

    None if R0 does not allow the step at all.

    >>> idle = Ownership((1,), (None,), frozenset())
    >>> action_between(idle, Ownership((0,), (Flight(1, 2),), frozenset()))
    ('Transfer',)
    >>> action_between(idle, Ownership((2,), (None,), frozenset())) is None
    True
    """
    pairs = list(zip(before.held(), after.held(), strict=True))
    changed = [(old, new) for old, new in pairs if old != new]
    if before.lost != after.lost:
        return (FAIL,) if before.lost < after.lost and not changed else None
    if not changed:
        return ()
    if len(changed) > 1:
        return None
    old, new = changed[0]
    found = [action.name for action in ACTIONS if action.relates(old, new, before)]
    return (found[0],) if found else None


class Promised(NamedTuple):
    """Ownership, and which units are tainted: of those nothing is promised any more."""

    ownership: Ownership
    tainted: tuple[bool, ...]

    def __str__(self) -> str:
        tainted = [f"; unit {unit} is tainted" for unit, is_tainted in enumerate(self.tainted, 1) if is_tainted]
        return f"{self.ownership}{''.join(tainted)}"


BREAK = "Break"
"""A tainted unit changes in a way that is none of R0's."""


def action_unless_tainted(before: Promised, after: Promised) -> tuple[str, ...] | None:
    """Return R0's action between the two; a unit that is tainted by the step, or was, may change as it likes."""
    found = action_between(before.ownership, after.ownership)
    old, new = before.ownership, after.ownership
    if found is not None or old.lost != new.lost:
        return found
    for unit, pair in enumerate(zip(old.held(), new.held(), strict=True)):
        if pair[0] != pair[1] and not after.tainted[unit]:
            return None
    return (BREAK,)
