"""
Two threads of one broker publish, and the second record may reach the channel first.

The thread that reads the channel puts a record into the view, makes its answer, and hands it to the producer. In
between, the thread of a lookup, an unload or a transfer may see the new view and hand over its own record (recordings:
compaction 482:5, where an Assigning v43 is before the Owned v43 that was made 2 ms earlier; every reader drops the
former). Elsewhere in the model a broker's records arrive in the order in which they were made.
"""

from oneowner.model.channel.broker import require_publish
from oneowner.model.channel.channel import write
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require

OVERTAKES = Budget(
    "overtakes",
    "How many publishes may reach the topic before the one that the same broker handed over earlier",
    apart={"in_store": "on the topic only"},
)


@action(
    broker=BROKER,
    budget=OVERTAKES,
    fairness=never("which of two threads is faster is nobody's duty"),
)
def overtake(state: State, broker: int) -> None:
    """
    The second publish of *broker* reaches the channel before its first.

    Enabled: as ``append``, and the second entry of its outbox is of the same unit and has the same basis (system
    topic).
    Changes: the second entry of its outbox goes to the end of the log.
    Mirrors: ``ServiceUnitStateChannelImpl.pubAsync``, called by ``handleAssignEvent`` and by
    ``publishAssignEventAsync``.
    """
    require(state.overtakes_left > 0, "the budget allows another publish to overtake one")
    require_publish(state, broker)
    require(state.outbox[broker].length > 1, "another publish of the broker is under way")
    first, second = state.outbox[broker][1], state.outbox[broker][2]
    require(first.unit == second.unit and first.basis == second.basis, "both were computed from the same entry")
    state.overtakes_left = state.overtakes_left - 1
    state.outbox[broker] = state.outbox[broker].without(2)
    write(state, second.unit, second.record)
