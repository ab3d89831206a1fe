"""Crafted states and steps for ``spec/channel/connections.py`` and ``spec/channel/redirects.py``."""

from __future__ import annotations

from typing import Any

from oneowner.model.channel.lookup_parts import Stage
from oneowner.model.channel.parts import Message, Ring
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    KEPT,
    OWNED_1,
    RELEASING_1,
    Crafted,
    cluster,
    edited,
    keeps,
    state,
)
from tests.spec.channel.crafted_split import CUT, parent

HANDED_OVER = Record(OWNED, 2, 1, False, 5)


# ---- keep-connections ----


def keeping(view: Record, **bounds: Any) -> State:
    """Return a cluster in which broker 1 keeps the clients of a unit that it has closed; its view holds *view*."""
    at = cluster(multi_phase=1, **bounds)
    at.serving[1, 1], at.kept[1, 1], at.view[1, 1] = False, True, view
    return at


BROKEN["keep-connections"] |= {
    "the source has read that the transfer is over and does nothing": lambda: state(keeping(HANDED_OVER)),
    "the source keeps clients while others hand the unit over": lambda: state(
        keeping(Record(ASSIGNING_2.state, 3, 2, False, 7), brokers=3)
    ),
}

KEPT["keep-connections"] |= {
    "the source keeps clients during the transfer": lambda: state(keeping(ASSIGNING_2)),
    "the source owns the unit again": lambda: state(keeping(Record(OWNED, 1, 0, True, 5))),
}


@keeps("keep-connections")
def the_source_disconnects_them() -> Crafted:
    at = keeping(HANDED_OVER)
    at.closing[1] = Sequence([Message(1, HANDED_OVER)])
    return state(at)


@keeps("keep-connections")
def the_source_shuts_down() -> Crafted:
    at = keeping(HANDED_OVER, shutdowns=1)
    at.stage[1] = Stage.DRAINING
    return state(at)


# ---- clients-sent-on ----


def disconnecting(view: Record, is_listed: bool = True) -> Crafted:
    """Return a step that disconnects the clients that broker 1 has kept, while its view holds *view*."""
    before = keeping(view)
    before.known[1, 2] = is_listed
    before.closing[1] = Sequence([Message(1, HANDED_OVER)])

    def disconnect(after: State) -> None:
        after.kept[1, 1] = False

    return edited(before, "close(broker=1)", disconnect)


BROKEN["clients-sent-on"] |= {
    "the source knows no owner by then": lambda: disconnecting(Record(RELEASING_1.state, 0, 2, False, 6)),
    "the unit is on its way back": lambda: disconnecting(Record(RELEASING_1.state, 1, 2, False, 6)),
    "the new owner is not registered": lambda: disconnecting(HANDED_OVER, is_listed=False),
}

KEPT["clients-sent-on"] |= {"the clients are told the new owner": lambda: disconnecting(HANDED_OVER)}


# ---- one-redirect, no-redirect-cycle ----


def with_views(*views: Record, **bounds: Any) -> State:
    at = cluster(brokers=len(views), lookups=1, **bounds)
    for broker, view in enumerate(views, 1):
        at.view[broker, 1] = view
    return at


BROKEN["one-redirect"] |= {
    "the destination sends back what it is sent": lambda: state(
        with_views(ASSIGNING_2, ASSIGNING_2, rules=Rules(destination_waits=False))
    )
}

KEPT["one-redirect"] |= {
    "the owner keeps the client": lambda: state(with_views(OWNED_1, OWNED_1)),
    "the destination lets the client wait": lambda: state(with_views(ASSIGNING_2, ASSIGNING_2, ASSIGNING_2)),
}

BROKEN["no-redirect-cycle"] |= {
    "the destination still names the source": lambda: state(with_views(RELEASING_1, OWNED_1)),
    "three brokers send a client round": lambda: state(
        with_views(Record(OWNED, 2, version=4), Record(OWNED, 3, version=6), Record(OWNED, 1, version=8))
    ),
}

KEPT["no-redirect-cycle"] |= {
    "a client is sent on and then kept": lambda: state(
        with_views(Record(OWNED, 2, version=4), Record(OWNED, 3, version=6), Record(OWNED, 3, version=6))
    )
}


# ---- lookup-in-boundaries ----


def looking_up(unit: int, ring: Ring, known: Ring) -> Crafted:
    """Return a step that looks *unit* up at broker 2, whatever the model would do."""
    before = parent(OWNED_1, assigns=1)
    before.ring, before.boundaries[2] = ring, known
    return edited(before, f"look_up(broker=2, unit={unit})", lambda after: None)


BROKEN["lookup-in-boundaries"] |= {
    "a parent is looked up that the broker knows to be split": lambda: looking_up(1, CUT, CUT),
    "a child is looked up before the split": lambda: looking_up(2, Ring(), Ring()),
}

KEPT["lookup-in-boundaries"] |= {
    "a broker has yet to hear of the split": lambda: looking_up(1, CUT, Ring()),
    "a child is looked up after the split": lambda: looking_up(3, CUT, CUT),
}

BROKEN["lookup-in-boundaries-always"] |= {
    "a parent is looked up by stale boundaries": lambda: looking_up(1, CUT, Ring())
}

KEPT["lookup-in-boundaries-always"] |= {"a parent is looked up before the split": lambda: looking_up(1, Ring(), Ring())}

BROKEN["admin-call-ends"] |= {
    "the owner sends an admin call to itself": lambda: state(
        with_views(OWNED_1, OWNED_1, rules=Rules(one_oracle=False))
    )
}

KEPT["admin-call-ends"] |= {"the owner carries an admin call out": lambda: state(with_views(OWNED_1, OWNED_1))}


# ---- owner-is-loaded ----


def unloaded() -> State:
    """Return a cluster whose broker 1 owns the unit, of which those who listen do not know."""
    at = cluster(listeners=1)
    at.loaded[1, 1] = False
    return at


BROKEN["owner-is-loaded"] |= {"an owner has told nobody": lambda: state(unloaded())}


@keeps("owner-is-loaded")
def the_owner_of_a_tainted_unit_has_told_nobody() -> Crafted:
    at = unloaded()
    at.tainted[1] = True
    return state(at)


BROKEN["owner-is-loaded-always"] |= {
    "an owner of a tainted unit has told nobody": lambda: the_owner_of_a_tainted_unit_has_told_nobody()
}

KEPT["owner-is-loaded-always"] |= {"an owner has told who listens": lambda: state(cluster(listeners=1))}
