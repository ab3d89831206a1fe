"""``SYSTEM`` describes a streams group of Kafka (KIP-1071) to the engines."""

from oneowner.model.handoff.requirement import Flight, Ownership
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.model.streams_group import client, coordinator, leaving, network, reconciler, state
from oneowner.model.streams_group.bounds import Bounds
from oneowner.model.streams_group.rules import RELEASES, Rules
from oneowner.model.streams_group.state import NOBODY, Client, Role, State, members, tasks
from oneowner.model.streams_group.story import STORY
from oneowner.spec.streams_group import epoch_laws, ownership_laws, progress_laws, step_laws, window_laws


def observed_ownership(now: State) -> Ownership:
    """Return for R0 who is assigned each task, and who is to have it by the target if nobody is."""
    owners = tuple(holder(now, now.assigned, task) for task in tasks(now))
    heirs = (holder(now, now.target, task) for task in tasks(now))
    flights = tuple(
        None if owner or not (heir or now.giver[task]) else Flight(now.giver[task], heir)
        for task, owner, heir in zip(tasks(now), owners, heirs, strict=True)
    )
    failed = (
        one for one in members(now) if now.client[one] != Client.NEW and (now.removed[one] or not now.member[one])
    )
    return Ownership(owners, flights, frozenset(failed))


def holder(now: State, roles: object, task: int) -> int:
    """Return the member that has *task* to run by these roles, or nobody."""
    return next((one for one in members(now) if roles[one, task] == Role.ACTIVE), NOBODY)  # type: ignore[index]


LAWS = (ownership_laws, window_laws, epoch_laws, progress_laws, step_laws)

SYSTEM = System(
    name="streams_group",
    title="KIP-1071: the coordinator of a streams group leads each member to its target, epoch by epoch",
    project="Kafka",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in((client, leaving, coordinator, network)),
    modules=(client, leaving, coordinator, network, reconciler, state, *LAWS),
    story=STORY,
    laws=found_in(LAWS, (StateLaw, StepLaw)),
    liveness=found_in(LAWS, LivenessLaw),
    witnesses=found_in(LAWS, Witness),
    rules=Rules,
    releases=RELEASES,
    default_release="4.1.1",
    observe=observed_ownership,
    aliases=("streams-group", "kip-1071"),
)
