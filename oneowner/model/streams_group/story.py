"""The story of a streams group tells reports in words who has which task, who runs it, and how far each member is."""

from typing import Any

from oneowner.model.kernel.story import Narrator
from oneowner.model.streams_group.bounds import Bounds
from oneowner.model.streams_group.state import Client, Kind, Role, State, members, owner_at_start, tasks


class Story(Narrator):
    """The words in which reports tell of a streams group."""

    actors = ("member",)

    def start(self, bounds: Bounds) -> str:
        owners = [owner_at_start(bounds, task) for task in range(1, bounds.tasks + 1)]
        told = [f"task {task} is member {owner}'s" for task, owner in enumerate(owners, 1) if owner]
        whose = ", ".join(told) or "all tasks are nobody's"
        return f"start: of {bounds.members} clients, {bounds.joined} are members; {whose}"

    def standing(self, state: State) -> list[str]:
        epochs = f"group epoch {state.group_epoch}, target of epoch {state.target_epoch}"
        return [*(self.of_task(state, task) for task in tasks(state)), epochs]

    def of_task(self, state: State, task: int) -> str:
        """Return who has a task by the coordinator, who is to have it, and who runs it."""
        owners = [f"member {one}'s" for one in members(state) if state.assigned[one, task] == Role.ACTIVE]
        owners += [f"still member {one}'s" for one in members(state) if state.pending[one, task] == Role.ACTIVE]
        heirs = [f"member {one}'s" for one in members(state) if state.target[one, task] == Role.ACTIVE]
        is_whose = " and ".join(owners) or "nobody's"
        to_be = f", to be {heirs[0]}" if heirs and heirs != owners else ""
        return f"task {task} is {is_whose}{to_be}; run by {self.runners(state, task) or 'nobody'}"

    def runners(self, state: State, task: int) -> str:
        """Return the clients that run a task as the active one."""
        return ", ".join(f"member {one}" for one in members(state) if state.running[one, task] == Role.ACTIVE)

    def alarms(self, state: State) -> list[int]:
        return [
            task for task in tasks(state) if sum(state.running[one, task] == Role.ACTIVE for one in members(state)) > 1
        ]

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "member", "lanes": bounds.members, "verbs": ["runs", "stops"]}
        return {**lanes, "place": "the group coordinator"}

    def owners(self, state: State) -> list[int]:
        return [one for one in members(state) if any(state.running[one, task] == Role.ACTIVE for task in tasks(state))]

    def held(self, state: State, actor: int) -> dict[str, str]:
        at_coordinator = f"epoch {state.epoch[actor]}, {state.phase[actor]}" if state.member[actor] else "no member"
        at_client = state.client[actor].value
        if state.client[actor] not in (Client.NEW, Client.GONE):
            at_client += f", epoch {state.client_epoch[actor]}"
        return {
            "client": at_client,
            "coordinator": at_coordinator,
            "assigned": in_words(state, state.assigned, actor),
            "to give back": in_words(state, state.pending, actor),
            "target": in_words(state, state.target, actor),
            "runs": in_words(state, state.running, actor),
            "message": str(state.message[actor]) if state.message[actor].kind != Kind.NOTHING else "",
        }


def in_words(state: State, roles: Any, member: int) -> str:
    """Return the tasks of *member* among *roles*."""
    held = [(task, roles[member, task]) for task in tasks(state)]
    return ", ".join(f"task {task} {role.value}" for task, role in held if role != Role.NONE)


STORY = Story()
