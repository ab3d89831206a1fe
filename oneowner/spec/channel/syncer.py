"""One law compares the two storages in which a cluster keeps the channel while it moves from one to the other."""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.ranges import units
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, Status, always
from oneowner.spec.channel.quiescence import is_quiet


def is_quiet_in_two_storages(state: State) -> bool:
    return state.bounds.synced > 0 and is_quiet(state)


@always(
    "stores-agree",
    "ServiceUnitStateTableViewSyncer; apache/pulsar#23301, #25946",  # models.S50, bugs.R34
    when=is_quiet_in_two_storages,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def storages_hold_the_same(state: State) -> bool:
    """
    While a syncer copies between the topic and the metadata store, both hold the same whenever nothing is under way.
    """
    return all(state.nodes[unit] == entry(state, unit) for unit in units(state))
