"""
A producer that loses an acknowledgement sends its record again.

The channel's topic is at-least-once: deduplication is off there, and the client sends what is pending anew when its
connection comes back (recordings: run.G8). Every reader meets the second copy with its own version check.
"""

from oneowner.model.channel.broker import require_publish
from oneowner.model.channel.channel import write
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget, Choice
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require

RESENDS = Budget("resends", "How many publishes may be appended although their publisher never learns it")

SEQUENCE_IDS = Choice(
    "sequence_ids",
    "1: the topic knows which publish it has taken before; 0: nobody asks",
    apart={"in_store crashes shutdowns": "only a topic has them, and a process that ends loses its own"},
)


@action(broker=BROKER, budget=RESENDS, fairness=never("a lost acknowledgement is a perturbation"))
def append_unacknowledged(state: State, broker: int) -> None:
    """
    The oldest publish of *broker* reaches the channel, but the broker does not learn it.

    Its producer will send it again: the topic is at-least-once (recordings: run.G8, one producer and sequence id
    twice).

    Enabled: as ``append``.
    Changes: as ``append``, but the outbox stays as it is; with ``sequence_ids`` its first entry is ``resent`` until
    ``append`` takes it, and with the repair ``deduplication`` that writes nothing.
    Mirrors: pulsar-client ``ProducerImpl``.
    """
    require(state.resends_left > 0, "the budget allows another lost acknowledgement")
    require_publish(state, broker)
    state.resends_left = state.resends_left - 1
    first = state.outbox[broker][1]
    write(state, first.unit, first.record)
    state.resent[broker] = state.bounds.sequence_ids > 0
