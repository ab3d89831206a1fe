"""Crafted states and steps for the laws of redirects, of boundaries, of kept connections and of listeners."""

from typing import Any

from oneowner.model.channel.parts import Message, Ring, Run, Stage
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, Record
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    FREE_1,
    HANDED_OVER,
    KEPT,
    OWNED_1,
    RELEASING_1,
    SILENT,
    Crafted,
    cluster,
    edited,
    state,
)
from tests.spec.channel.crafted_split import CUT, parent


def keeping(view: Record, **bounds: Any) -> State:
    """Return a cluster in which broker 1 keeps the clients of a unit that it has closed; its view holds *view*."""
    return where(cluster(multi_phase=1, **bounds), serving={(1, 1): False}, kept={(1, 1): True}, view={(1, 1): view})


BROKEN["keep-connections"] |= {
    "the source has read that the transfer is over and does nothing": lambda: state(keeping(HANDED_OVER)),
    "the source keeps clients while others hand the unit over": lambda: state(
        keeping(Record(ASSIGNING, 3, 2, False, 7), brokers=3)
    ),
}
KEPT["keep-connections"] |= {
    "the source keeps clients during the transfer": lambda: state(keeping(ASSIGNING_2)),
    "the source owns the unit again": lambda: state(keeping(Record(OWNED, 1, 0, True, 5))),
    "the source disconnects them": lambda: state(keeping(HANDED_OVER), closing={1: [Message(1, HANDED_OVER)]}),
    "the source shuts down": lambda: state(keeping(HANDED_OVER, shutdowns=1), stage={1: Stage.DRAINING}),
}

BROKEN["fenced-while-closing"] |= {
    "the source owns the unit again": lambda: state(keeping(Record(OWNED, 1, 0, True, 5))),
    "the source owns the unit again while its first close goes on": lambda: state(
        keeping(Record(OWNED, 1, 0, True, 5)), closing={1: [Message(1, RELEASING_1)]}
    ),
    "the source has read that the transfer is over and does nothing": lambda: state(keeping(HANDED_OVER)),
}
KEPT["fenced-while-closing"] |= {
    "the source keeps clients during the transfer": lambda: state(keeping(ASSIGNING_2)),
    "the source disconnects them": lambda: state(keeping(HANDED_OVER), closing={1: [Message(1, HANDED_OVER)]}),
    "the source shuts down": lambda: state(keeping(HANDED_OVER, shutdowns=1), stage={1: Stage.DRAINING}),
}


LOADING_LATE = {"late_loads": 1, "multi_phase": 1}
BROKEN["topics-are-listed"] |= {
    "a topic that is open is not listed": lambda: state(
        cluster(**LOADING_LATE), dropped={(1, 1): True}, serving={(1, 1): True}
    ),
}
KEPT["topics-are-listed"] |= {"a topic that is open is listed": lambda: state(cluster(**LOADING_LATE))}


def disconnecting(view: Record, is_listed: bool = True) -> Crafted:
    """Return a step that disconnects the clients that broker 1 has kept, while its view holds *view*."""
    before = where(keeping(view), known={(1, 2): is_listed}, closing={1: [Message(1, HANDED_OVER)]})
    return edited(before, "close(broker=1)", kept={(1, 1): False})


BROKEN["clients-sent-on"] |= {
    "the source knows no owner by then": lambda: disconnecting(Record(RELEASING, 0, 2, False, 6)),
    "the unit is on its way back": lambda: disconnecting(Record(RELEASING, 1, 2, False, 6)),
    "the new owner is not registered": lambda: disconnecting(HANDED_OVER, is_listed=False),
}
KEPT["clients-sent-on"] |= {"the clients are told the new owner": lambda: disconnecting(HANDED_OVER)}


def with_views(*views: Record, **bounds: Any) -> Crafted:
    at = cluster(brokers=len(views), lookups=1, **bounds)
    return state(at, view={(broker, 1): view for broker, view in enumerate(views, 1)})


BROKEN["one-redirect"] |= {
    "the destination sends back what it is sent": lambda: with_views(
        ASSIGNING_2, ASSIGNING_2, rules=Rules(destination_waits=False)
    )
}
KEPT["one-redirect"] |= {
    "the owner keeps the client": lambda: with_views(OWNED_1, OWNED_1),
    "the destination lets the client wait": lambda: with_views(ASSIGNING_2, ASSIGNING_2, ASSIGNING_2),
}
SILENT["one-redirect"] |= {"a broker is sent clients by another view": lambda: with_views(OWNED_1, RELEASING_1)}

BROKEN["no-redirect-cycle"] |= {
    "the destination still names the source": lambda: with_views(RELEASING_1, OWNED_1),
    "three brokers send a client round": lambda: with_views(
        Record(OWNED, 2, version=4), Record(OWNED, 3, version=6), Record(OWNED, 1, version=8)
    ),
}
KEPT["no-redirect-cycle"] |= {
    "a client is sent on and then kept": lambda: with_views(
        Record(OWNED, 2, version=4), Record(OWNED, 3, version=6), Record(OWNED, 3, version=6)
    )
}
SILENT["no-redirect-cycle"] |= {"clients are redirected once": lambda: with_views(OWNED_1, OWNED_1)}


def looking_up(unit: int, ring: Ring, known: Ring) -> Crafted:
    """Return a step that looks *unit* up at broker 2, whatever the model would do."""
    before = where(parent(OWNED_1, assigns=1), ring=ring, boundaries={2: known})
    return edited(before, f"look_up(broker=2, unit={unit})")


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
    "the owner sends an admin call to itself": lambda: with_views(OWNED_1, OWNED_1, rules=Rules(one_oracle=False))
}
KEPT["admin-call-ends"] |= {"the owner carries an admin call out": lambda: with_views(OWNED_1, OWNED_1)}
SILENT["admin-call-ends"] |= {"an admin call waits at every broker": lambda: with_views(FREE_1, FREE_1)}


def unknown(**cells: Any) -> Crafted:
    """Return a cluster whose broker 1 owns the unit, while its listeners have not heard of that."""
    return state(cluster(listeners=1), loaded={(1, 1): False}, **cells)


BROKEN["owner-is-loaded"] |= {"an owner has told nobody": unknown}
KEPT["owner-is-loaded"] |= {"the owner of a tainted unit has told nobody": lambda: unknown(tainted={1: True})}
SILENT["owner-is-loaded"] |= {"an owner is down": lambda: state(cluster(listeners=1), run={1: Run.DOWN})}

BROKEN["owner-is-loaded-always"] |= {"an owner of a tainted unit has told nobody": lambda: unknown(tainted={1: True})}
KEPT["owner-is-loaded-always"] |= {"an owner has told who listens": lambda: state(cluster(listeners=1))}
