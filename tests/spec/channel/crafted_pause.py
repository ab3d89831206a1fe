"""Crafted states for the laws of ``spec/channel/pause.py``."""

from __future__ import annotations

from oneowner.model.channel.parts import Message, Run
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import BROKEN, KEPT, SILENT, cluster, logged, state

GIVEN_TO_1 = Record(OWNED, 1, 2, True, 3)


def after_a_pause(cursor: int, units: int = 1) -> State:
    """Broker 2 has stood still, and its unit is given to broker 1; broker 2 has read *cursor* records since."""
    at = logged(GIVEN_TO_1, owner=2, pauses=1, units=units)
    return where(at, pauses_left=0, view={(1, 1): GIVEN_TO_1}, cursor={1: 1, 2: cursor})


BROKEN["one-claimant"] |= {"two answer as owner when one goes on": lambda: state(after_a_pause(0))}
KEPT["one-claimant"] |= {"one of two stands still": lambda: state(after_a_pause(0), run={2: Run.PAUSED})}
SILENT["one-claimant"] |= {"nobody has stood still": lambda: state(after_a_pause(0), pauses_left=1)}

BROKEN["second-claimant-lags"] |= {
    "two answer as owner and have read everything": lambda: state(after_a_pause(1)),
    "what is left to read is of another unit": lambda: state(
        after_a_pause(1, units=2), log=[Message(1, GIVEN_TO_1), Message(2, Record(OWNED, 1, version=2))]
    ),
}
KEPT["second-claimant-lags"] |= {"one of two has a record to read": lambda: state(after_a_pause(0))}
SILENT["second-claimant-lags"] |= {"one alone answers as owner": lambda: state(after_a_pause(0), run={2: Run.PAUSED})}

BROKEN["elected-can-publish"] |= {
    "the channel stays with one that stands still": lambda: state(
        cluster(pauses=1, channel_host=1), run={1: Run.PAUSED}, leader=2
    )
}
KEPT["elected-can-publish"] |= {
    "the channel has moved": lambda: state(cluster(pauses=1, channel_host=1), run={1: Run.PAUSED}, leader=2, host=2)
}
SILENT["elected-can-publish"] |= {
    "nobody is elected": lambda: state(cluster(pauses=1, channel_host=1), run={1: Run.PAUSED}, leader=0)
}
