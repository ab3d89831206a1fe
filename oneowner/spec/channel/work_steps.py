"""
Laws of the steps of a broker's own work: what shutdowns, topics and storages change.

They restate the *Changes* of these actions from the side of the cells, as those of ``session_steps.py`` do.
"""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Message, Metadata, Stage, Wait
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
)
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.spec.channel.brokers import publishes_of

# ---- shutdowns, shedding, selections ----


def a_broker_works(before: State, action: Action, after: State) -> bool:
    of_shutdown = action.name == "drain" or action.name == "unload_leftover" or action.name == "pass_over"
    of_shutdown = of_shutdown or action.name == "free_own"
    of_shedding = action.name == "begin_shedding" or action.name == "shed" or action.name == "end_shedding"
    return (
        of_shutdown or of_shedding or action.name == "set_aside" or action.name == "disable" or action.name == "assign"
    )


def gives(state: State, broker: int, action: Action, by_force: bool) -> bool:
    """Return whether the last publish of *broker* gives the unit to the destination of *action*."""
    last = state.outbox[broker][state.outbox[broker].length].record
    named = last.source if last.state == SPLITTING else last.destination
    return named == action.argument("destination") and last.force == by_force


def frees(state: State, broker: int) -> bool:
    """Return whether the last publish of *broker* frees a unit by force."""
    last = state.outbox[broker][state.outbox[broker].length].record
    return last.state == FREE and last.destination == 0 and last.force


@step_law(
    "work-goes-on",
    "ServiceUnitStateChannelImpl.doCleanup, publishAssignEventAsync; UnloadScheduler.execute;"
    " BrokerService.unloadNamespaceBundlesGracefully",
    when=a_broker_works,
    kind=LawKind.MIRROR,
)
def its_work_goes_on(before: State, action: Action, after: State) -> bool:
    """
    A broker that shuts down gives each unit up once, by force and to the broker that is selected, or to nobody if there
    is none, or unforced to nobody if it has unregistered, and does not return to it; a round of shedding moves one
    unit, and the load manager waits for that; a selection ends with one Assigning of the broker that is selected.
    """
    broker = action.argument("broker")
    if action.name == "disable":
        return after.stage[broker] == Stage.DRAINING
    if action.name == "begin_shedding":
        return after.shedding[broker]
    if action.name == "end_shedding":
        return not after.shedding[broker]
    is_sent = after.outbox[broker].length == before.outbox[broker].length + 1
    if action.name == "shed":
        return is_sent and not after.shedding[broker] and after.waits_for[broker] == Wait.UNLOAD
    unit = action.argument("unit")
    if action.name == "assign":
        return is_sent and not after.asking[broker, unit] and gives(after, broker, action, False)
    if action.name == "set_aside":
        is_first = before.set_aside[broker].state == NOTHING
        return is_first and after.set_aside[broker] == before.view[broker, unit] and not is_sent
    if action.name == "free_own":
        return after.drained[broker, unit] and (not is_sent or frees(after, broker))
    if not after.drained[broker, unit] or is_sent == (action.name == "pass_over"):
        return False
    if action.name == "unload_leftover":
        last = after.outbox[broker][after.outbox[broker].length].record
        return last.destination == 0 and not last.force
    return action.name == "pass_over" or gives(after, broker, action, True)


# ---- topics, boundaries, the channel's topic ----


def topics_or_boundaries_change(before: State, action: Action, after: State) -> bool:
    of_topics = action.name == "open" or action.name == "open_late" or action.name == "read_policies"
    of_closes = action.name == "time_out_close" or action.name == "end_close"
    of_namespace = action.name == "delete_namespace" or action.name == "create_namespace"
    of_bundles = action.name == "reload_boundaries" or action.name == "split_elsewhere" or of_namespace
    return (
        of_topics
        or of_closes
        or of_bundles
        or action.name == "move_boundaries"
        or action.name == "move_channel"
        or (action.name == "consume" and before.bounds.policies > 0)
    )


def owns_something(state: State, broker: int) -> bool:
    return any(owns(state, broker, unit) for unit in units(state))


def owns(state: State, broker: int, unit: int) -> bool:
    held = state.view[broker, unit]
    return (held.state == OWNED and held.destination == broker) or (held.state == SPLITTING and held.source == broker)


def disconnects(state: State, broker: int, unit: int) -> bool:
    """Return whether a close of *unit* is under way at *broker* that is no first close of a transfer."""
    return any(
        state.closing[broker][number].unit == unit and not keeps_clients(state.closing[broker][number].record)
        for number in range(1, state.bounds.closings + 1)
        if number <= state.closing[broker].length
    )


def keeps_clients(record: Record) -> bool:
    return record.state == RELEASING and record.destination != 0


def is_in_use(record: Record) -> bool:
    return record.state == OWNED or record.state == RELEASING or record.state == SPLITTING or record.state == ASSIGNING


@step_law(
    "topics-change-by-rule",
    "BrokerService.getTopic, unloadServiceUnit; NamespaceBundleFactory.splitBundles;"
    " SystemTopicBasedTopicPoliciesService.removeOwnedNamespaceBundleAsync;"
    " NamespacesBase.internalDeleteNamespaceAsync",
    when=topics_or_boundaries_change,
    kind=LawKind.MIRROR,
)
def they_change_as_it_says(before: State, action: Action, after: State) -> bool:
    """
    Who opens topics serves them; one that loads late does so at the owner, while its clients are disconnected; a close
    that times out leaves ledgers open until it ends; a broker reads the policies of the namespace where they are
    served, and keeps them while it owns a unit of it; boundaries that are moved keep every other cut, and a namespace
    goes by force and comes with its bundles unused.
    """
    broker = action.argument("broker")
    if action.name == "consume":
        keeps = before.initialized[broker] and owns_something(after, broker)
        return after.initialized[broker] == keeps or after.stage[broker] != Stage.RUNNING
    if action.name == "open" or action.name == "open_late":
        unit = action.argument("unit")
        is_lawful = action.name == "open" or (owns(before, broker, unit) and disconnects(before, broker, unit))
        return after.serving[broker, unit] and is_lawful
    if action.name == "read_policies":
        return after.initialized[broker] and after.serving[action.argument("other"), 1]
    if action.name == "end_close":
        return not after.lingering[broker, action.argument("unit")]
    if action.name == "time_out_close":
        unit = before.closing[broker][action.argument("number")].unit
        return after.lingering[broker, unit] and after.tainted[unit]
    if action.name == "move_channel":
        return after.host == broker and not after.channel_closed
    if action.name == "reload_boundaries":
        return after.boundaries[broker] == after.ring == before.ring
    if after.boundaries[broker] != after.ring:
        return False
    if action.name == "move_boundaries":
        is_kept = after.ring.others == before.ring.others and after.ring.deleted == before.ring.deleted
        is_cut = (after.ring.split or not before.ring.split) and (after.ring.nested or not before.ring.nested)
        return is_kept and is_cut and (after.ring.split or after.ring.nested)
    if action.name == "split_elsewhere":
        is_cut = after.ring.split == before.ring.split and after.ring.nested == before.ring.nested
        return is_cut and after.ring.others == before.ring.others + 1
    if action.name == "create_namespace":
        is_over = not any(is_in_use(entry(before, unit)) for unit in range(2, 4))
        return is_over and not after.ring.split and not after.ring.deleted
    is_shut = not any(after.serving[other, unit] for other in brokers(after) for unit in range(2, 4))
    is_given_up = all(
        after.outbox[broker][number].record.force and after.outbox[broker][number].record.state == RELEASING
        for number in range(1, after.bounds.pending + 1)
        if before.outbox[broker].length < number <= after.outbox[broker].length
    )
    return after.ring.deleted and is_shut and is_given_up and not is_in_use(before.view[broker, 1])


# ---- storages ----


def a_storage_is_read(before: State, action: Action, after: State) -> bool:
    of_syncer = action.name == "copy_to_topic" or action.name == "start_syncer" or action.name == "copy_existing"
    of_store = action.name == "lose_session" or action.name == "fill" or action.name == "put" or action.name == "fail"
    return of_syncer or of_store or action.name == "jump" or action.name == "trim"


def handles_what_is_new(before: State, after: State, broker: int) -> bool:
    """Return whether *broker* publishes nothing about units whose entry it has known before."""
    return all(
        before.view[broker, unit] != after.view[broker, unit]
        or publishes_of(before, broker, unit) == publishes_of(after, broker, unit)
        for unit in units(before)
    )


def is_gone(state: State, unit: int) -> bool:
    return entry(state, unit).state == NOTHING


def is_let_go(before: State, after: State, broker: int, unit: int) -> bool:
    """Return whether *broker*, which has lost its session, has no entry of *unit* and closes its topics."""
    if after.view[broker, unit].state != NOTHING or after.changed[broker, unit]:
        return False
    if before.view[broker, unit].state == NOTHING:
        return True
    is_closing = any(
        after.closing[broker][number] == Message(unit, TOMBSTONE)
        for number in range(1, before.bounds.closings + 1)
        if number <= after.closing[broker].length
    )
    return after.listed[broker, unit] and (is_closing or not before.serving[broker, unit])


@step_law(
    "storages-are-read",
    "MetadataStoreTableViewImpl.handleSessionEvent, fillAsync; CompactedTopicUtils.asyncReadCompactedEntries;"
    " ServiceUnitStateTableViewSyncer.syncExistingItems; ManagedLedgerImpl.internalTrimLedgers",
    when=a_storage_is_read,
    kind=LawKind.MIRROR,
)
def it_is_read_to_its_end(before: State, action: Action, after: State) -> bool:
    """
    A lost session empties the view in the metadata store and closes every unit, and a publish that fails with it is not
    sent again; the next one reads each node once; a reader that is given what was kept goes on behind the horizon and
    handles what is new; a syncer that starts empties the nodes, and copies every entry; the log is trimmed up to what
    was saved.
    """
    if action.name == "trim":
        return after.trimmed == before.saved_horizon
    if action.name == "start_syncer":
        is_empty = all(after.nodes[unit].state == NOTHING and not after.noticed[unit] for unit in units(after))
        return after.cleaned and is_empty
    if action.name == "copy_existing":
        is_same = all(after.nodes[unit] == entry(after, unit) or is_gone(after, unit) for unit in units(after))
        return not after.cleaned and is_same and after.copied == after.log.length
    if action.name == "copy_to_topic":
        return not after.noticed[action.argument("unit")]
    broker = action.argument("broker")
    if action.name == "fail":
        return after.outbox[broker] == before.outbox[broker].without(1)
    if action.name == "jump":
        return after.cursor[broker] == before.horizon and handles_what_is_new(before, after, broker)
    if action.name == "put":
        is_told = all(after.noticed[unit] or before.nodes[unit] == after.nodes[unit] for unit in units(after))
        return is_told and after.outbox[broker].length >= before.outbox[broker].length - 1
    if action.name == "fill":
        unit = action.argument("unit")
        held = before.view[broker, unit]  # read in this session: the cache has it
        if held.state == NOTHING:
            held = entry(before, unit)
        is_read = held.state == NOTHING or (after.view[broker, unit] == held and not after.listed[broker, unit])
        return not after.filling[broker, unit] and is_read
    if after.metadata[broker] != Metadata.UNSTABLE or after.session_ended[broker]:
        return False
    return not before.bounds.in_store or all(is_let_go(before, after, broker, unit) for unit in units(before))
