"""Crafted states for the laws of the metadata store: a view that was emptied, a channel kept in two storages."""

from oneowner.model.channel.record import OWNED, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import BROKEN, FORCED_2, KEPT, MS, OWNED_1, RELEASING_1, SILENT, after, cluster, state

SAFE = {"storage": MS, "expiries": 1, "safe_mode": 1, "closings": 2}


def cut(broker: int, *steps: str) -> State:
    """Broker 1 owns the unit, and *broker* has heard that its session is lost; it takes *steps* since."""
    return after(cluster(**SAFE), f"expire(broker={broker})", f"lose_session(broker={broker})", *steps)


BROKEN["listed-is-owned"] |= {
    "a broker without session lists what another owns": lambda: state(cut(2)),
    "a broker without session lists what was given away since": lambda: state(cut(1), base={1: FORCED_2}),
    "a broker lists what was deleted while it had no session": lambda: state(
        after(where(cut(2, "reconnect(broker=2)"), base={1: TOMBSTONE}), "fill(broker=2)")
    ),
}
KEPT["listed-is-owned"] |= {"a broker without session lists what it owned and owns": lambda: state(cut(1))}
SILENT["listed-is-owned"] |= {
    "a broker has read the node again": lambda: state(cut(2, "reconnect(broker=2)", "fill(broker=2)")),
    "a broker on the topic loses its session": lambda: state(
        after(cluster(expiries=1, safe_mode=1), "expire(broker=2)", "lose_session(broker=2)")
    ),
}

BROKEN["stores-agree"] |= {
    "two storages name two owners": lambda: state(
        cluster(synced=1), nodes={1: Record(OWNED, 2, version=2)}, view={(2, 1): Record(OWNED, 2, version=2)}
    )
}
KEPT["stores-agree"] |= {"two storages name one owner": lambda: state(cluster(synced=1), nodes={1: OWNED_1})}
SILENT["stores-agree"] |= {
    "the syncer has something to copy": lambda: state(
        cluster(synced=1), nodes={1: RELEASING_1}, view={(2, 1): RELEASING_1}, noticed={1: True}
    ),
}
