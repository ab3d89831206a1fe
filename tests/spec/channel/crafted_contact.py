"""Crafted steps for the laws of who schedules clean-ups, opens topics and deletes bundles."""

from __future__ import annotations

from oneowner.model.channel.parts import Metadata, Node, Publish
from oneowner.model.channel.record import FREE, RELEASING, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    BROKEN,
    KEPT,
    OWNED_1,
    SILENT,
    Crafted,
    breaks,
    cluster,
    edited,
    gives_no_occasion,
    keeps,
    taken,
)
from tests.spec.channel.crafted_sessions import SAFE, leading, nothing

# ---- scheduled-in-contact ----


def told_of_one_that_is_gone(metadata: Metadata) -> State:
    """Leader 1 has yet to hear that broker 2 is not registered."""
    at = leading(metadata=metadata)
    at.known[1, 2], at.cleaning[1, 2] = True, False
    return at


def scheduled(after: State) -> None:
    after.cleaning[1, 2] = True


BROKEN["scheduled-in-contact"] |= {
    "a leader out of contact schedules a clean up": lambda: edited(
        told_of_one_that_is_gone(Metadata.UNSTABLE), "notice(observer=1, broker=2)", scheduled
    )
}


@breaks("scheduled-in-contact")
def a_monitor_schedules_one_before_it_is_stable() -> Crafted:
    at = leading(metadata=Metadata.JITTERY)
    at.cleaning[1, 2] = False
    return edited(at, "monitor(broker=1, gone=2)", scheduled)


KEPT["scheduled-in-contact"] |= {
    "a leader schedules a clean up while jittery": lambda: taken(
        told_of_one_that_is_gone(Metadata.JITTERY), "notice(observer=1, broker=2)"
    )
}


@keeps("scheduled-in-contact")
def a_stable_monitor_schedules_one() -> Crafted:
    at = leading()
    at.cleaning[1, 2] = False
    return taken(at, "monitor(broker=1, gone=2)")


SILENT["scheduled-in-contact"] |= {
    "a leader out of contact only hears of it": lambda: taken(
        told_of_one_that_is_gone(Metadata.UNSTABLE), "notice(observer=1, broker=2)"
    )
}


@gives_no_occasion("scheduled-in-contact")
def a_clean_up_that_is_scheduled_already_stays() -> Crafted:
    at = leading(metadata=Metadata.UNSTABLE)
    at.node[2] = Node.PRESENT
    return edited(at, "notice(observer=1, broker=2)", nothing)


# ---- opens-in-contact ----


def closed(down: bool) -> State:
    at = cluster(**{**SAFE, "owner": 1})
    at.serving[1, 1], at.zookeeper_down = False, down
    return at


BROKEN["opens-in-contact"] |= {
    "topics are opened without zookeeper": lambda: edited(
        closed(down=True), "open(broker=1, unit=1)", lambda after: after.serving.__setitem__((1, 1), True)
    )
}

KEPT["opens-in-contact"] |= {"topics are opened with it": lambda: taken(closed(down=False), "open(broker=1, unit=1)")}


@gives_no_occasion("opens-in-contact")
def zookeeper_cannot_be_down() -> Crafted:
    at = cluster(owner=1, unloads=1)
    at.serving[1, 1] = False
    return taken(at, "open(broker=1, unit=1)")


# ---- deletion-is-forced ----

DELETING = {"owner": 1, "unloads": 1, "removals": 1, "pending": 2}


def asked(force: bool) -> Crafted:
    """A deletion is asked for behind an older publish, which nobody forced."""
    at = cluster(**DELETING)
    older = Publish(2, Record(FREE, 0, 1, version=4), OWNED_1)
    at.outbox[1] = Sequence([older])

    def unlike(after: State) -> None:
        after.outbox[1] = Sequence([older, Publish(1, Record(RELEASING, 0, 1, force, 3), OWNED_1)])

    return edited(at, "remove(broker=1, unit=1)", unlike)


BROKEN["deletion-is-forced"] |= {"a deletion asks like an unload": lambda: asked(force=False)}

KEPT["deletion-is-forced"] |= {"a deletion takes the unit by force": lambda: asked(force=True)}

SILENT["deletion-is-forced"] |= {
    "a bundle is unloaded not deleted": lambda: taken(cluster(**DELETING), "unload(broker=1, unit=1)")
}
