"""The reconciler over cells decides as the function of ``model.kafka``, which is held to the class of 4.1.1."""

from collections.abc import Iterator
from itertools import islice, product

import pytest

from oneowner.model.kafka.streams_group import reconciler as decision
from oneowner.model.kafka.streams_group.reconciler import Heartbeat, Holders, Member, MemberState, TasksTuple
from oneowner.model.streams_group.bounds import Bounds
from oneowner.model.streams_group.reconciler import reconcile
from oneowner.model.streams_group.state import NOTHING, Kind, Message, Phase, Role, State
from tests.cells import where

BOUNDS = Bounds(members=3, joined=3, sharing=1, epochs=4)
"""Member 1 is asked; member 2 is in its process, member 3 in another."""
TARGET_EPOCH = 3
TASK = ("s", 1)
ROLES = {Role.ACTIVE: 0, Role.STANDBY: 1, Role.WARMUP: 2}


def tuple_of(role: Role) -> TasksTuple:
    """Return the one task in a role, as the decision has it."""
    tasks = [frozenset({TASK}) if ROLES.get(role) == place else frozenset() for place in range(3)]
    return TasksTuple(*tasks)


def holders_of(has: dict[str, set[Role]]) -> Holders:
    """Return the owner of the task, by process."""
    held = [tuple((TASK, process) for process, roles in has.items() if role in roles) for role in ROLES]
    return Holders(*held)


Case = tuple[Phase, int, Role, Role, Role, Role, Role, Message]


def cases() -> Iterator[Case]:
    """Yield every phase, epoch, assignment, pending, target of member 1, the others' tasks, its report."""
    requests = [NOTHING._replace(kind=Kind.BEAT), *(Message(Kind.FULL, 0, role, Role.NONE) for role in Role)]
    for case in product(Phase, (1, 3), Role, Role, Role, Role, Role, requests):
        if case[3] == Role.NONE or case[0] == Phase.UNREVOKED:
            yield case


@pytest.mark.parametrize(
    ("every", "number"), [pytest.param(1, 10_240, marks=pytest.mark.slow), (7, 1_464)], ids=["all", "some"]
)
def test_reconciler_decides_as_the_pure_function_on_small_inputs(every: int, number: int) -> None:
    """Every seventh is asked with each change: no value of an input comes every seven cases."""
    count = 0
    for phase, epoch, assigned, pending, target, beside, elsewhere, request in islice(cases(), 0, None, every):
        if phase == Phase.UNREVOKED and epoch == TARGET_EPOCH:
            continue  # its epoch would pass the target's, and a law says that no member is so
        state = where(
            State(BOUNDS),
            target_epoch=TARGET_EPOCH,
            epoch={1: epoch},
            phase={1: phase},
            assigned={(1, 1): assigned, (2, 1): beside, (3, 1): elsewhere},
            pending={(1, 1): pending},
            target={(1, 1): target},
        )
        member = Member("here", MemberState(phase.value), epoch, tuple_of(assigned), tuple_of(pending))
        has = {"here": {assigned, pending, beside}, "there": {elsewhere}}
        owned = tuple_of(request.first) if request.kind == Kind.FULL else None
        asked = Heartbeat(member, tuple_of(target), TARGET_EPOCH, owned, holders_of(has))
        found = decision.reconcile(asked)
        assert isinstance(found, Member)
        after = state.copy()
        reconcile(after, 1, request)
        made = (after.phase[1].value, after.epoch[1], tuple_of(after.assigned[1, 1]), tuple_of(after.pending[1, 1]))
        assert made == (found.state.value, found.epoch, found.assigned, found.pending_revocation), asked
        count += 1
    assert count == number
