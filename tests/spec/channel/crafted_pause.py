"""Crafted states for the laws of ``spec/channel/pause.py``."""

from __future__ import annotations

from oneowner.model.channel.parts import Message, Run
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import BROKEN, KEPT, Crafted, breaks, cluster, gives_no_occasion, keeps, state

GIVEN_TO_1 = Record(OWNED, 1, 2, True, 3)


def after_a_pause(cursor: int, units: int = 1) -> State:
    """Broker 2 has stood still, and its unit is given to broker 1; broker 2 has read *cursor* records since."""
    at = cluster(owner=2, pauses=1, units=units)
    at.pauses_left = 0
    at.log = Sequence([Message(1, GIVEN_TO_1)])
    at.view[1, 1] = GIVEN_TO_1
    at.cursor[1], at.cursor[2] = 1, cursor
    return at


BROKEN["one-claimant"] |= {"two answer as owner when one goes on": lambda: state(after_a_pause(0))}


@keeps("one-claimant")
def one_of_two_stands_still() -> Crafted:
    at = after_a_pause(0)
    at.run[2] = Run.PAUSED
    return state(at)


@gives_no_occasion("one-claimant")
def nobody_has_stood_still() -> Crafted:
    at = after_a_pause(0)
    at.pauses_left = 1
    return state(at)


BROKEN["second-claimant-lags"] |= {"two answer as owner and have read everything": lambda: state(after_a_pause(1))}


@breaks("second-claimant-lags")
def what_is_left_to_read_is_of_another_unit() -> Crafted:
    at = after_a_pause(1, units=2)
    at.log = at.log.plus(Message(2, Record(OWNED, 1, version=2)))
    return state(at)


KEPT["second-claimant-lags"] |= {"one of two has a record to read": lambda: state(after_a_pause(0))}


@gives_no_occasion("second-claimant-lags")
def one_alone_answers_as_owner() -> Crafted:
    at = after_a_pause(0)
    at.run[2] = Run.PAUSED
    return state(at)


@breaks("elected-can-publish")
def the_channel_stays_with_one_that_stands_still() -> Crafted:
    at = cluster(pauses=1, channel_host=1)
    at.run[1], at.leader = Run.PAUSED, 2
    return state(at)


@keeps("elected-can-publish")
def the_channel_has_moved() -> Crafted:
    at = cluster(pauses=1, channel_host=1)
    at.run[1], at.leader, at.host = Run.PAUSED, 2, 2
    return state(at)


@gives_no_occasion("elected-can-publish")
def nobody_is_elected() -> Crafted:
    at = cluster(pauses=1, channel_host=1)
    at.run[1], at.leader = Run.PAUSED, 0
    return state(at)
