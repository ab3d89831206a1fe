"""
One law of the steps of a lookup: answered, by which broker, waiting, selecting or failed.

It restates channel.7 from the side of the client, for brokers that neither shut down nor take themselves for
unregistered; those of ``lookup.py`` state the possible grounds of an answer.
"""

from oneowner.model.channel.parts import Outcome, Request, Stage
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    NOBODY,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
)
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.spec.channel.brokers import speaks_as_released

# ---- channel.7 ----


def a_lookup_goes_on(before: State, action: Action, after: State) -> bool:
    if before.bounds.lookups == 0 or not speaks_as_released(before.bounds):
        return False
    is_step = action.name == "open_lookup" or action.name == "select" or action.name == "time_out"
    return is_step or action.name == "consume"


def opens(before: State, after: State, broker: int, unit: int) -> bool:
    held = before.view[broker, unit]
    if held.state == OWNED or held.state == SPLITTING:
        owner = held.destination if held.state == OWNED else held.source
        return is_answered(after, broker, unit, owner) if before.known[broker, owner] else waits(after, broker, unit)
    if held.state == ASSIGNING or (held.state == RELEASING and held.destination != NOBODY):
        if held.destination == broker:
            return waits(after, broker, unit)
        return answers_or_fails(before, after, broker, unit, held.destination)
    if held.state == DELETED:
        return has_failed(after, broker, unit)
    return after.request[broker, unit] == Request.SELECTING


def times_out(before: State, after: State, broker: int, unit: int) -> bool:
    held = before.view[broker, unit]
    if held.state == OWNED or held.state == SPLITTING:
        owner = held.destination if held.state == OWNED else held.source
        return answers_or_fails(before, after, broker, unit, owner)
    if held.state == ASSIGNING or held.state == RELEASING or held.state == DELETED:
        return has_failed(after, broker, unit)
    return finds_nobody(before, after, broker, unit)


def is_told(before: State, after: State, broker: int, unit: int) -> bool:
    """Return whether a lookup that waits at *broker* has gone on as the record asks that the broker has read."""
    asked, record = before.request[broker, unit], after.view[broker, unit]
    is_waiting = asked == Request.WAITING or asked == Request.PUBLISHED
    if not is_waiting or before.unlisted[broker, unit] or record == before.view[broker, unit]:
        return after.request[broker, unit] == asked or record != before.view[broker, unit] or is_skipped(after, record)
    if before.stage[broker] != Stage.RUNNING and not record.force:
        return has_failed(after, broker, unit)
    if record.state == OWNED:
        return answers_or_fails(before, after, broker, unit, record.destination)
    if record.state == FREE or record.state == NOTHING:
        return finds_nobody(before, after, broker, unit)
    if record.state == DELETED:
        return has_failed(after, broker, unit)
    return after.request[broker, unit] == asked


def is_skipped(state: State, record: Record) -> bool:
    """Return whether a refused record lets a view answer a lookup with the owner that it holds (until 4.0.0)."""
    return record.state == OWNED


def finds_nobody(before: State, after: State, broker: int, unit: int) -> bool:
    if before.request[broker, unit] == Request.WAITING:
        return after.request[broker, unit] == Request.SELECTING
    is_over = after.request[broker, unit] == Request.NONE
    return is_over and after.reply[broker, unit].outcome == Outcome.EMPTY


def answers_or_fails(before: State, after: State, broker: int, unit: int, named: int) -> bool:
    if not before.known[broker, named]:
        return has_failed(after, broker, unit)
    return is_answered(after, broker, unit, named)


def is_answered(after: State, broker: int, unit: int, named: int) -> bool:
    reply = after.reply[broker, unit]
    is_over = after.request[broker, unit] == Request.NONE
    return is_over and reply.outcome == Outcome.OWNER and reply.owner == named


def has_failed(after: State, broker: int, unit: int) -> bool:
    return after.request[broker, unit] == Request.NONE and after.reply[broker, unit].outcome == Outcome.FAILED


def waits(after: State, broker: int, unit: int) -> bool:
    return after.request[broker, unit] == Request.WAITING


@step_law(
    "lookups-go-by-rule",
    "ServiceUnitStateChannelImpl.getOwnerAsync, getActiveOwnerAsync, dedupeGetOwnerRequest, deferGetOwner;"
    " ExtensibleLoadManagerImpl.getBrokerLookupData",
    when=a_lookup_goes_on,
    kind=LawKind.MIRROR,
)
def it_goes_on_by_rule(before: State, action: Action, after: State) -> bool:
    """
    A lookup is answered with the owner that the view names, if the registry cache lists it, else it waits; a hand-over
    to another broker is answered with that one, one to the broker itself is waited for; Deleted fails; where there is
    no owner a broker is selected. What is read later completes a lookup that waits in the same way, and a time-out ends
    it by what the view says then.
    """
    broker = action.argument("broker")
    if action.name == "consume":
        return all(is_told(before, after, broker, unit) for unit in units(before))
    unit = action.argument("unit")
    if action.name == "select":
        is_sent = after.outbox[broker].length == before.outbox[broker].length + 1
        return after.request[broker, unit] != Request.SELECTING and is_sent
    if before.stage[broker] != Stage.RUNNING or before.unregistered[broker]:
        return True
    if action.name == "time_out":
        return times_out(before, after, broker, unit)
    return opens(before, after, broker, unit)
