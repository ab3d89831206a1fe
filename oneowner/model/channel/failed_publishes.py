"""
A publish fails at a broker that lives: its record never reaches the channel, and nobody publishes it again.

The producer gives up after its time-out of 30 s, or the metadata store refuses the write. The broker logs it, and only
a lookup hears of it; a hand-over waits for the leader's monitor, an orphan for its next clean-up. Mirrors ``pubAsync``,
``tombstoneAsync`` and the ends of their callers in ``ServiceUnitStateChannelImpl`` (v4.0.6).
"""

from oneowner.model.channel.answers import reply, take_off
from oneowner.model.channel.broker import UP
from oneowner.model.channel.channel import is_publishing
from oneowner.model.channel.parts import Outcome, Request, Run
from oneowner.model.channel.record import ASSIGNING, NOBODY
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require

ENDED = "crashes shutdowns"
TOLD = "splits operators"

FAILED_PUBLISHES = Budget(
    "failed_publishes",
    "How many publishes of living brokers may fail",
    apart={
        ENDED: "a publish that outlives its process is lost, and fails for nobody",
        TOLD: "the end of a split, and the answer to an operator, are not modelled",
        "synced": "a syncer that fails is not modelled",
    },
)


@action(broker=BROKER, budget=FAILED_PUBLISHES, fairness=never("a failure is a perturbation"))
def fail_publish(state: State, broker: int) -> None:
    """
    The oldest publish of *broker* fails, and its record is lost.

    A record that arrives although its publish has timed out is ``append``, but for the lookup.

    Enabled: the broker is up, and its outbox is not empty.
    Changes: the first entry of its outbox is gone. If that is the Assigning of a lookup that waits, the lookup fails.
    Mirrors: ``publishAssignEventAsync``, ``publishUnloadEventAsync``, ``publishOverrideEventAsync``, ``pubAsync``.
    """
    require(state.failed_publishes_left > 0, "the budget allows another publish to fail")
    require(state.run[broker] == Run.UP, UP)
    require(state.outbox[broker].length > 0, "the broker has a publish under way")
    state.failed_publishes_left = state.failed_publishes_left - 1
    first = state.outbox[broker][1]
    state.outbox[broker] = state.outbox[broker].without(1)
    is_of_lookup = first.record.state == ASSIGNING and first.record.source == NOBODY
    if is_of_lookup and state.request[broker, first.unit] == Request.PUBLISHED:
        if not is_publishing(state, broker, first.unit):  # else by a later lookup
            take_off(state, broker, first.unit)
            reply(state, broker, first.unit, Outcome.FAILED, NOBODY)
