"""
The leader's flush ends before its view shows all of the channel, and its clean-up goes on.

``ServiceUnitStateTableViewImpl.flush`` waits until the view is refreshed, 5 s at most. The view notes how far it has
read before it applies what it has read, and a refresh asks for that note alone: it may end one record early. A flush
that fails or takes too long is logged, and nothing else. Each override has a flush of its own here; those of a broker
that shuts down are as they should be. Sources: ``TableViewImpl``, ``ServiceUnitStateChannelImpl.doCleanup`` (v4.0.6).
"""

from oneowner.model.channel.orphans import is_orphan
from oneowner.model.channel.ranges import units
from oneowner.model.channel.recovery import is_caught_up, require_clean_up
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, since

EARLY_FLUSHES = Budget(
    "early_flushes",
    "How many flushes of the leader may end before its view has applied the last record",
    needs={"brokers_go": "nobody is cleaned up after"},
    clashes={"in_store": "its flush is empty"},
)

FAILED_FLUSHES = Budget(
    "failed_flushes",
    "How many flushes of the leader may fail, after which it cleans up all the same",
    needs={"brokers_go": "nobody is cleaned up after"},
    clashes={"in_store": "its flush is empty"},
)

FLUSH_APPLIES_LAST = Switch(
    "A flush ends once the last record is applied, not read alone (#26566).",
    turned=(since("4.0.14", "4.2.5", "5.0.0"),),
    source="apache/pulsar#26566: TableViewImpl.handleMessage notes a position when its message is applied",
)

CLEAN_UP_NEEDS_FLUSH = Switch(
    "A clean-up whose flush has failed is left to the monitor's next pass; no release does so."
)


@action(broker=BROKER, budget=EARLY_FLUSHES, fairness=never("a refresh may end when it should"))
def flush_early(state: State, broker: int) -> None:
    """
    The flush of the leader *broker* ends although its view has yet to apply the last record.

    Enabled: as ``override``, but for session and destination, and that one record of the channel is not consumed yet.
    Changes: its next override does not wait (``flushed``).
    Mirrors: ``TableViewImpl.refreshAsync``, ``TableViewImpl.filterReceivedMessages`` (apache/pulsar#26566).
    """
    require(state.early_flushes_left > 0, "the budget allows another flush to end early")
    require(not state.bounds.rules.flush_applies_last, "a refresh may end before the last record is applied")
    require_flush(state, broker)
    require(state.cursor[broker] == state.log.length - 1, "the leader has read the last record, and not applied it")
    state.early_flushes_left = state.early_flushes_left - 1
    state.flushed[broker] = True


@action(broker=BROKER, budget=FAILED_FLUSHES, fairness=never("a disturbance"))
def fail_to_flush(state: State, broker: int) -> None:
    """
    The flush of the leader *broker* fails or takes longer than 5 s, and its clean-up goes on by the view that it has.

    Enabled: as ``override``, but for session and destination, and that the channel is not consumed.
    Changes: its next override does not wait (``flushed``).
    Mirrors: ``ServiceUnitStateChannelImpl.doCleanup``.
    """
    require(state.failed_flushes_left > 0, "the budget allows another flush to fail")
    require(not state.bounds.rules.clean_up_needs_flush, "a clean-up goes on when its flush has failed")
    require_flush(state, broker)
    state.failed_flushes_left = state.failed_flushes_left - 1
    state.flushed[broker] = True


def require_flush(state: State, broker: int) -> None:
    """Require that *broker* cleans up after somebody by its view, which lags behind the channel."""
    require_clean_up(state, broker)
    require(any(is_orphan(state, broker, state.view[broker, unit]) for unit in units(state)), "an entry is orphaned")
    require(not is_caught_up(state, broker), "the leader has records of the channel to consume")
    require(not state.flushed[broker], "its flush is under way")
