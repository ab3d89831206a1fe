"""Crafted states and steps for ``spec/channel/connections.py`` and ``spec/channel/redirects.py``."""

from __future__ import annotations

from typing import Any

from oneowner.model.channel.lookup_parts import Stage
from oneowner.model.channel.parts import Message, Ring
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import ASSIGNING_2, OWNED_1, RELEASING_1, Crafted, breaks, cluster, edited, keeps, state
from tests.spec.channel.crafted_split import CUT, parent

HANDED_OVER = Record(OWNED, 2, 1, False, 5)


# ---- keep-connections ----


def keeping(view: Record, **bounds: Any) -> State:
    """Return a cluster in which broker 1 keeps the clients of a unit that it has closed; its view holds *view*."""
    at = cluster(multi_phase=1, **bounds)
    at.serving[1, 1], at.kept[1, 1], at.view[1, 1] = False, True, view
    return at


@breaks("keep-connections")
def the_source_has_read_that_the_transfer_is_over_and_does_nothing() -> Crafted:
    return state(keeping(HANDED_OVER))


@breaks("keep-connections")
def the_source_keeps_clients_while_others_hand_the_unit_over() -> Crafted:
    return state(keeping(Record(ASSIGNING_2.state, 3, 2, False, 7), brokers=3))


@keeps("keep-connections")
def the_source_keeps_clients_during_the_transfer() -> Crafted:
    return state(keeping(ASSIGNING_2))


@keeps("keep-connections")
def the_source_disconnects_them() -> Crafted:
    at = keeping(HANDED_OVER)
    at.closing[1] = Sequence([Message(1, HANDED_OVER)])
    return state(at)


@keeps("keep-connections")
def the_source_shuts_down() -> Crafted:
    at = keeping(HANDED_OVER, shutdowns=1)
    at.stage[1] = Stage.DRAINING
    return state(at)


@keeps("keep-connections")
def the_source_owns_the_unit_again() -> Crafted:
    return state(keeping(Record(OWNED, 1, 0, True, 5)))


# ---- clients-sent-on ----


def disconnecting(view: Record, is_listed: bool = True) -> Crafted:
    """Return a step that disconnects the clients that broker 1 has kept, while its view holds *view*."""
    before = keeping(view)
    before.known[1, 2] = is_listed
    before.closing[1] = Sequence([Message(1, HANDED_OVER)])

    def disconnect(after: State) -> None:
        after.kept[1, 1] = False

    return edited(before, "close(broker=1)", disconnect)


@breaks("clients-sent-on")
def the_source_knows_no_owner_by_then() -> Crafted:
    return disconnecting(Record(RELEASING_1.state, 0, 2, False, 6))


@breaks("clients-sent-on")
def the_unit_is_on_its_way_back() -> Crafted:
    return disconnecting(Record(RELEASING_1.state, 1, 2, False, 6))


@breaks("clients-sent-on")
def the_new_owner_is_not_registered() -> Crafted:
    return disconnecting(HANDED_OVER, is_listed=False)


@keeps("clients-sent-on")
def the_clients_are_told_the_new_owner() -> Crafted:
    return disconnecting(HANDED_OVER)


# ---- one-redirect, no-redirect-cycle ----


def with_views(*views: Record, **bounds: Any) -> State:
    at = cluster(brokers=len(views), lookups=1, **bounds)
    for broker, view in enumerate(views, 1):
        at.view[broker, 1] = view
    return at


@breaks("one-redirect")
def the_destination_sends_back_what_it_is_sent() -> Crafted:
    return state(with_views(ASSIGNING_2, ASSIGNING_2, rules=Rules(destination_waits=False)))


@keeps("one-redirect")
def the_owner_keeps_the_client() -> Crafted:
    return state(with_views(OWNED_1, OWNED_1))


@keeps("one-redirect")
def the_destination_lets_the_client_wait() -> Crafted:
    return state(with_views(ASSIGNING_2, ASSIGNING_2, ASSIGNING_2))


@breaks("no-redirect-cycle")
def the_destination_still_names_the_source() -> Crafted:
    return state(with_views(RELEASING_1, OWNED_1))


@breaks("no-redirect-cycle")
def three_brokers_send_a_client_round() -> Crafted:
    return state(with_views(Record(OWNED, 2, version=4), Record(OWNED, 3, version=6), Record(OWNED, 1, version=8)))


@keeps("no-redirect-cycle")
def a_client_is_sent_on_and_then_kept() -> Crafted:
    return state(with_views(Record(OWNED, 2, version=4), Record(OWNED, 3, version=6), Record(OWNED, 3, version=6)))


# ---- lookup-in-boundaries ----


def looking_up(unit: int, ring: Ring, known: Ring) -> Crafted:
    """Return a step that looks *unit* up at broker 2, whatever the model would do."""
    before = parent(OWNED_1, assigns=1)
    before.ring, before.boundaries[2] = ring, known
    return edited(before, f"look_up(broker=2, unit={unit})", lambda after: None)


@breaks("lookup-in-boundaries")
def a_parent_is_looked_up_that_the_broker_knows_to_be_split() -> Crafted:
    return looking_up(1, CUT, CUT)


@breaks("lookup-in-boundaries")
def a_child_is_looked_up_before_the_split() -> Crafted:
    return looking_up(2, Ring(), Ring())


@keeps("lookup-in-boundaries")
def a_broker_has_yet_to_hear_of_the_split() -> Crafted:
    return looking_up(1, CUT, Ring())


@keeps("lookup-in-boundaries")
def a_child_is_looked_up_after_the_split() -> Crafted:
    return looking_up(3, CUT, CUT)


@breaks("lookup-in-boundaries-always")
def a_parent_is_looked_up_by_stale_boundaries() -> Crafted:
    return looking_up(1, CUT, Ring())


@keeps("lookup-in-boundaries-always")
def a_parent_is_looked_up_before_the_split() -> Crafted:
    return looking_up(1, Ring(), Ring())


# ---- admin-call-ends ----


@breaks("admin-call-ends")
def the_owner_sends_an_admin_call_to_itself() -> Crafted:
    return state(with_views(OWNED_1, OWNED_1, rules=Rules(one_oracle=False)))


@keeps("admin-call-ends")
def the_owner_carries_an_admin_call_out() -> Crafted:
    return state(with_views(OWNED_1, OWNED_1))


# ---- owner-is-loaded ----


def unloaded() -> State:
    """Return a cluster whose broker 1 owns the unit, of which those who listen do not know."""
    at = cluster(listeners=1)
    at.loaded[1, 1] = False
    return at


@breaks("owner-is-loaded")
def an_owner_has_told_nobody() -> Crafted:
    return state(unloaded())


@keeps("owner-is-loaded")
def the_owner_of_a_tainted_unit_has_told_nobody() -> Crafted:
    at = unloaded()
    at.tainted[1] = True
    return state(at)


@breaks("owner-is-loaded-always")
def an_owner_of_a_tainted_unit_has_told_nobody() -> Crafted:
    return the_owner_of_a_tainted_unit_has_told_nobody()


@keeps("owner-is-loaded-always")
def an_owner_has_told_who_listens() -> Crafted:
    return state(cluster(listeners=1))
