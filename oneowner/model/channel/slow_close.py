"""
A close of topics outlasts its time-out: the hand-over goes on, and the ledgers are closed later.

``BrokerService.unloadServiceUnit`` completes its future without error after ``namespaceBundleUnloadingTimeoutMs`` (60
s), whatever is still open; who waits for it cannot tell. The topics were fenced when the close began, so nobody is
served; but their ledgers are open until it ends. Seen in the recordings as ``Unloading bundle:.. with 0 topics
completed in 20001 ms`` (time-out 20 s).
"""

from oneowner.model.channel.broker import UP, follow_up
from oneowner.model.channel.parts import Run
from oneowner.model.channel.sorts import BROKER, CLOSING, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require

SLOW_CLOSES = Budget(
    "slow_closes",
    "How many closes of topics may outlast their time-out",
    apart={"splits": "topics that lie in two units and linger are not modelled"},
    clashes={"multi_phase": "what meets there is not modelled yet"},
)


@action(broker=BROKER, number=CLOSING, budget=SLOW_CLOSES, fairness=never("a perturbation"))
def time_out_close(state: State, broker: int, number: int) -> None:
    """
    The *number*-th close of topics at *broker* times out, and the record that follows a close is published.

    Enabled: as ``close``.
    Changes: as ``close``, but the ledgers stay open: the unit *lingers* there, who knows how long, and is tainted.
    Mirrors: ``BrokerService.unloadServiceUnit``, ``closeServiceUnit``.
    """
    require(state.slow_closes_left > 0, "the budget allows another close to time out")
    require(state.run[broker] == Run.UP, UP)
    require(number <= state.closing[broker].length, "that close of topics is under way")
    state.slow_closes_left = state.slow_closes_left - 1
    job = state.closing[broker][number]
    state.closing[broker] = state.closing[broker].without(number)
    state.lingering[broker, job.unit] = True
    taint(state, job.unit)
    follow_up(state, broker, job)


def taint(state: State, unit: int) -> None:
    """Set the ghost of *unit*: another broker may come to open its ledgers before they are closed here."""
    state.tainted[unit] = True


@action(broker=BROKER, unit=UNIT, budget=SLOW_CLOSES, fairness=never("no law of runs waits for it"))
def end_close(state: State, broker: int, unit: int) -> None:
    """
    The ledgers of topics whose close had timed out are closed after all.

    Enabled: the broker is up, and the unit lingers there.
    Changes: it lingers there no more.
    Mirrors: ``PersistentTopic.close``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.lingering[broker, unit], "topics of the unit linger at the broker")
    state.lingering[broker, unit] = False
