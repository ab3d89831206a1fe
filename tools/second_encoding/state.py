"""
The bounds of a family, and the fields of its states.

Written from the description in `docs/reference/protocol.md`. Every family here has one unit, so it has no name. A state
is a tuple of plain values: equal states are equal tuples.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tools.second_encoding.resolver import ACTIVE, NOBODY, OWNED, Held, Record, accepts, next_version


@dataclass(frozen=True)
class Bounds:
    """Under the names of `spec/channel/families/*.yaml`. A bound that this encoding lacks is a TypeError."""

    brokers: int
    versions: int  # none is cut off: to need one more is an error, because the family may then be infinite
    storage: str = "system-topic"
    owner: int = NOBODY
    window: int = 3
    pending: int = 1
    closings: int = 1
    assigns: int = 0
    unloads: int = 0
    transfers: int = 0
    resends: int = 0
    crashes: int = 0
    expiries: int = 0
    tombstones: int = 0
    unplaced: int = 0


class Publish(NamedTuple):
    record: Held  # None: a tombstone
    basis: Held  # the view that the record was computed from


GONE, MINE, LEFT_OVER = range(3)  # a broker's node: none, its latest process's, one from before that process


class Broker(NamedTuple):
    alive: bool = False
    node: int = GONE
    session: bool = True  # False: it ended while the broker lived, and the broker has no new one
    told: bool = False  # that its node is gone: it takes itself for unregistered
    known: frozenset[int] = frozenset()  # the brokers that its cache of the registry lists
    view: Held = None
    cursor: int = 0
    changed: bool = False  # metadata store: a notification waits
    outbox: tuple[Publish, ...] = ()
    asking: bool = False
    serving: bool = False
    closing: tuple[Record, ...] = ()

    @property
    def writes(self) -> bool:
        """A topic that is closing is fenced, and its ledger is still open."""
        return self.serving or bool(self.closing)


class State(NamedTuple):
    base: Held  # metadata store: what the unit's node holds
    log: tuple[Held, ...]
    brokers: tuple[Broker, ...]
    leader: int
    # What is left of the budgets.
    assigns: int
    unloads: int
    transfers: int
    resends: int
    crashes: int
    expiries: int
    tombstones: int
    unplaced: int
    # Ghosts.
    won: frozenset[int]
    tainted: bool


def start(bounds: Bounds) -> State:
    """At the start "every broker lives, is registered and known to all, broker 1 leads"."""
    everybody = frozenset(range(1, bounds.brokers + 1))
    owned = Record(OWNED, bounds.owner, NOBODY, False, 2) if bounds.owner else None
    idle = Broker(alive=True, node=MINE, known=everybody, view=owned)
    return State(
        base=owned,
        log=(),
        brokers=tuple(idle._replace(serving=number == bounds.owner) for number in sorted(everybody)),
        leader=1,
        assigns=bounds.assigns,
        unloads=bounds.unloads,
        transfers=bounds.transfers,
        resends=bounds.resends,
        crashes=bounds.crashes,
        expiries=bounds.expiries,
        tombstones=bounds.tombstones,
        unplaced=bounds.unplaced,
        won=frozenset({1, 2} if bounds.owner else ()),
        tainted=False,
    )


def normalised(state: State) -> State:
    """The window moves "as long as every living broker's cursor is at least 1"."""
    while state.log and all(broker.cursor for broker in state.brokers if broker.alive):
        first, *rest = state.log
        state = state._replace(
            base=first if accepts(state.base, first, False) else state.base,
            log=tuple(rest),
            brokers=tuple(b._replace(cursor=b.cursor - 1) if b.alive else b for b in state.brokers),
        )
    return state


def updated(state: State, number: int, broker: Broker) -> State:
    return state._replace(brokers=(*state.brokers[: number - 1], broker, *state.brokers[number:]))


def judged(state: State, held: Held, record: Held) -> State:
    """The ghosts, after the channel's entry, which was `held`, accepted the record."""
    if record is None:
        return state._replace(won=frozenset(), tainted=state.tainted or (held is not None and held.state in ACTIVE))
    gap = held is not None and record.version != next_version(held)
    return state._replace(won=state.won | {record.version}, tainted=state.tainted or record.force or gap)


def entry(state: State) -> Held:
    """The channel's: "the fold of `log` over `base`"."""
    held = state.base
    for record in state.log:
        if accepts(held, record, False):
            held = record
    return held


def registry(state: State) -> frozenset[int]:
    return frozenset(number for number, broker in enumerate(state.brokers, 1) if broker.node)


def anybody_lives(state: State) -> bool:
    return any(broker.alive for broker in state.brokers)
