"""One law of shedding: which broker may move units away from loaded brokers."""

from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, step_law


def a_unit_is_shed(before: State, action: Action, after: State) -> bool:
    return action.name == "shed"


@step_law(
    "shed-only-by-leader",
    "UnloadScheduler.execute; apache/pulsar#26253 (the same in ModularLoadManagerImpl)",  # bugs.S8, bugs.R47
    when=a_unit_is_shed,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def the_leader_sheds(before: State, action: Action, after: State) -> bool:
    """
    Only the elected leader moves units away from brokers with much load.

    (A round that began while its broker led continues when it no longer leads. The writes of two rounds are harmless:
    accepted-is-cas.)
    """
    return before.leader == action.argument("broker")
