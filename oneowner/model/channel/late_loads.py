"""
A topic loads while its unit is being closed, and the end of the close takes it off the broker's list.

A bundle that comes back to a broker which still disconnects its clients has topics that are closed already; a client
opens one anew. ``cleanUnloadedTopicFromCache`` asks for names only, and so drops it: no later close finds the topic
(until #26145, in 4.0.13 and 4.2.4). Left out: a second object of that topic, which the next client may have opened.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import owner
from oneowner.model.channel.ring import has_topics_open
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import is_disconnecting
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require

LATE_LOADS = Budget(
    "late_loads",
    "How many topics may load while a close of their unit is under way",
    apart={"splits slow_closes speaks_dialect": "not modelled"},
)


@action(broker=BROKER, unit=UNIT, budget=LATE_LOADS, fairness=never("a client connects when it likes"))
def open_late(state: State, broker: int, unit: int) -> None:
    """
    A client opens a topic of *unit* at *broker*, its owner again, which has closed that topic, but not all of the unit.

    Enabled: the broker is up and owns the unit by its view; a close that disconnects the unit's clients is under way
    there, and none of its listed topics is open.
    Changes: the broker serves the unit; when that close ends the topic is *dropped*, unless ``clean_spares_open``.
    Mirrors: ``BrokerService.getTopic``, ``cleanUnloadedTopicFromCache``, ``removeTopicFromCache``.
    """
    require(state.late_loads_left > 0, "the budget allows another topic to load late")
    require(state.run[broker] == Run.UP, UP)
    require(is_disconnecting(state, broker, unit), "a close that disconnects the unit's clients is under way")
    require(owner(state.view[broker, unit]) == broker, "the broker's view says that it owns the unit")
    require(not has_topics_open(state, broker, unit), "no topic of the unit is open there")
    state.late_loads_left = state.late_loads_left - 1
    state.serving[broker, unit] = True
