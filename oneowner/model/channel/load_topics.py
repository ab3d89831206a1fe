"""
The topic of load data is open at the leader, and brokers report there.

It is an internal topic, non-persistent, which every broker finds at the channel's owner whatever its bundle
(``isInternalTopic``), so it lies at the leader. The new leader creates it, the former one closes it, which
disconnects whoever reports there; no ledger fences an old one. Modelled with the bound ``load_topics`` only. Sources:
``ExtensibleLoadManagerImpl.playLeader`` (``createSystemTopics``), ``playFollower`` (``closeInternalTopics``),
``LoadDataStore``, ``TableViewLoadDataStoreImpl`` (v4.0.6); #21764, #23144; bugs.R48.
"""

from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require

LOAD_TOPICS = Choice(
    "load_topics",
    "1: the topic of load data lies at who plays the leader, and every broker reports there; needs beliefs",
    needs={"beliefs": "who opens and closes them is a matter of roles (beliefs: 1)"},
)


def open_load_topic(state: State, broker: int) -> None:
    """*broker*, which takes the leader's role, creates the topic."""
    if state.bounds.load_topics:
        state.load_open[broker] = True


def close_load_topic(state: State, broker: int) -> None:
    """*broker*, which gives the leader's role up, closes the topic and disconnects who reports there."""
    if state.bounds.load_topics:
        state.load_open[broker] = False
        for other in range(1, state.bounds.brokers + 1):
            if state.reports_to[other] == broker:
                state.reports_to[other] = NOBODY


@action(
    broker=BROKER,
    destination=BROKER,
    when=lambda bounds: bounds.load_topics,
    fairness=weak("a producer connects again until it is connected", choice="destination"),
)
def report(state: State, broker: int, destination: int) -> None:
    """
    *broker*, whose producer of load data is not connected, connects to the topic at *destination*.

    A client is sent to whoever plays the leader; of two, to either.

    Enabled: the broker is up and reports to nobody; the destination is up, plays the leader and has the topic open.
    Changes: the broker reports there.
    Mirrors: pulsar-client ``ProducerImpl``, ``TableViewLoadDataStoreImpl.startProducer``.
    """
    require(state.run[broker] == Run.UP, "the broker is up")
    require(state.reports_to[broker] == NOBODY, "the broker's producer of load data is not connected")
    require(state.run[destination] == Run.UP, "the destination is up")
    require(state.believes[destination], "the destination plays the leader")
    require(state.load_open[destination], "the topic of load data is open at the destination")
    state.reports_to[broker] = destination
