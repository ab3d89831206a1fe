"""A group from one rebalance of the draft to the next: members that join, crash, leave, are ready; their reports."""

from typing import NamedTuple

from oneowner.model.kafka.learners.group import Learner, LearnerGroup, Share, Tasks


class Event(NamedTuple):
    """A change before a rebalance, by numbers of members."""

    joins: tuple[int, ...] = ()
    crashes: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    """They are asked to leave, and go on until others are ready for their tasks."""
    ready: tuple[int, ...] = ()
    """They have restored all that they learn."""


class Told(NamedTuple):
    """A member's report when it joins: of the tasks that it ran, it has revoked those that somebody learns."""

    member: int
    assigned: Tasks = ()
    revoked: Tasks = ()
    learning: Tasks = ()


def after(group: LearnerGroup, given: tuple[Share, ...], event: Event) -> LearnerGroup:
    """
    Return the group as it joins the next rebalance, by the shares of the last.

    Only the leader remembers the members that were there or are to leave: if it crashes, all seem to have been there.
    """
    is_led_on = not group.members or group.members[0].number not in event.crashes
    shares = {one.member: one for one in given}
    members = [
        one._replace(
            runs=shares[one.number].active,
            learns=shares[one.number].learning,
            is_ready=one.number in event.ready,
            is_new=False,
            is_leaving=is_led_on and (one.is_leaving or one.number in event.leaves),
        )
        for one in group.members
        if one.number not in event.crashes
    ]
    members += [Learner(number, is_new=is_led_on) for number in event.joins]
    return group._replace(members=tuple(sorted(members)))


def told_at_join(group: LearnerGroup) -> tuple[Told, ...]:
    """Return the members' reports: the owner of a learned task revokes it beforehand, so that no rebalance is lost."""
    learned = {task for one in group.members for task in one.learns}
    return tuple(
        Told(
            one.number,
            tuple(task for task in one.runs if task not in learned),
            tuple(task for task in one.runs if task in learned),
            one.learns,
        )
        for one in group.members
    )
