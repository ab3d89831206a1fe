"""States and steps that break or keep the laws of the compaction of the channel's topic."""

from typing import Any

from oneowner.model.channel.parts import Phase, Run
from oneowner.model.channel.record import FREE, OWNED, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import BROKEN, KEPT, RELEASING_1, SILENT, Crafted, cluster, logged, model_step, state

UNREAD = Record(OWNED, 2, version=2)  # what a reader must not be given: the channel holds Releasing


def compacted(phase: Phase = Phase.IDLE, **cells: Any) -> State:
    """The log holds the release of unit 1, and all of it is kept, shown and saved."""
    at = logged(RELEASING_1, compactions=2, expiries=1, unloads=1)
    at = where(at, phase=phase, horizon=1, saved_horizon=1, ledger={1: RELEASING_1}, saved_ledger={1: RELEASING_1})
    return where(at, **cells)


def shown() -> Crafted:
    """A compaction of all there is, the first one, is shown to readers."""
    at = compacted(Phase.WRITTEN, horizon=0, saved_horizon=0, ledger={1: TOMBSTONE}, saved_ledger={1: TOMBSTONE})
    return model_step(where(at, read_to=1, result={1: RELEASING_1}), "show_ledger(broker=1)")


BROKEN["kept-is-fold"] |= {
    "readers are given an older record": lambda: state(compacted(), ledger={1: UNREAD}),
    "a later host starts from an older record": lambda: state(compacted(), saved_ledger={1: TOMBSTONE}),
    "the compaction under way keeps an older record": lambda: state(
        compacted(Phase.READ), read_to=1, result={1: UNREAD}
    ),
}
KEPT["kept-is-fold"] |= {"all that is kept is the last record": lambda: state(compacted())}


def changed(made: Crafted, **cells: Any) -> Crafted:
    """Return the same step with other cells after it."""
    return made._replace(after=where(made.after, **cells))


BROKEN["compaction-at-once"] |= {
    "the horizon moves before the ledger": lambda: changed(shown(), ledger={1: TOMBSTONE}),
    "a reader is given a ledger when another step is taken": lambda: changed(
        model_step(compacted(), "expire(broker=2)"), ledger={1: UNREAD}
    ),
}
KEPT["compaction-at-once"] |= {
    "a written ledger is shown with its horizon": shown,
}

BROKEN["no-ledger-leaks"] |= {"a ledger is left behind": lambda: state(compacted(), leaked=1)}
KEPT["no-ledger-leaks"] |= {"the cursor names the only ledger": lambda: state(compacted())}
SILENT["no-ledger-leaks"] |= {"a compaction is under way": lambda: state(compacted(Phase.SAVED))}


def carried_over(**cells: Any) -> Crafted:
    """Broker 1 serves the unit; a compaction swallowed the record that asked it to stop."""
    free = Record(FREE, source=2, version=5)
    at = compacted(base={1: free}, view={(1, 1): free, (2, 1): free}, log=[])
    return state(where(at, serving={(1, 1): True}, swallowed={(1, 1): True}), **cells)


for law in ("serve-implies-view", "quiescent-agreement"):
    BROKEN[law] |= {"a broker that was told is not excused": lambda: carried_over(swallowed={(1, 1): False})}
    KEPT[law] |= {"a broker that was never told is excused": carried_over}
    BROKEN[f"{law}-always"] |= {"a broker serves on because it was never told": carried_over}
    KEPT[f"{law}-always"] |= {"the owner serves and all is quiet": lambda: state(cluster())}
    SILENT[f"{law}-always"] |= {"nobody serves anything": lambda: state(cluster(owner=0))}

KEPT["dual-serving-explained"] |= {"one of two servers was never told": lambda: carried_over(serving={(2, 1): True})}


def over_a_tombstone(**cells: Any) -> Crafted:
    """Both brokers have read all of the channel; a compaction carried broker 2 over the tombstone of a free unit."""
    at = cluster(compactions=2, tombstones=1, owner=0)
    return state(where(at, view={(2, 1): Record(FREE, source=2, version=4)}, missed={(2, 1): True}), **cells)


def compacted_and_read(**cells: Any) -> Crafted:
    return state(cluster(compactions=2, tombstones=1), **cells)


BROKEN["view-is-prefix-fold-always"] |= {"a broker holds what was deleted": over_a_tombstone}
KEPT["view-is-prefix-fold-always"] |= {"both hold what the channel does": compacted_and_read}
SILENT["view-is-prefix-fold-always"] |= {
    "nobody has read anything": lambda: state(cluster(owner=0)),
    "only a dead broker has read something": lambda: state(cluster(), run={1: Run.DOWN, 2: Run.DOWN}),
}

BROKEN["view-is-prefix-fold"] |= {
    "a broker that read the tombstone is not excused": lambda: over_a_tombstone(missed={(2, 1): False})
}
KEPT["view-is-prefix-fold"] |= {"a broker that was carried over a tombstone is excused": over_a_tombstone}

BROKEN["one-owner-always"] |= {
    "one of two refuses the next life of a unit": lambda: over_a_tombstone(base={1: UNREAD}, view={(1, 1): UNREAD})
}
KEPT["one-owner-always"] |= {"both hold what the channel does": compacted_and_read}
SILENT["one-owner-always"] |= {
    "only one broker lives": lambda: state(cluster(), run={2: Run.DOWN}),
}

BROKEN["single-server"] |= {
    "two serve and neither missed anything": lambda: compacted_and_read(serving={(1, 1): True, (2, 1): True})
}
KEPT["single-server"] |= {
    "one of two servers never saw the end of the unit": lambda: over_a_tombstone(
        base={1: UNREAD}, view={(1, 1): UNREAD}, serving={(1, 1): True, (2, 1): True}
    )
}
