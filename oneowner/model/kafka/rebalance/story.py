"""The story of a group lists, in words, the runners of tasks, the warm-ups, and the rebalance under way."""

from typing import Any

from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import FollowUp, State, Store, is_zombie, members, tasks
from oneowner.model.kernel.story import Narrator


class Story(Narrator):
    """The words for a group in reports."""

    actors = ("member", "first")

    def start(self, bounds: Bounds) -> str:
        if bounds.running == 0:
            return "start: member 1 lives and is not in the group, nobody has any state"
        who = "member 1 runs" if bounds.running == 1 else f"members 1 to {bounds.running} run"
        return f"start: {who} all tasks and no rebalance is under way; nobody else lives"

    def standing(self, state: State) -> list[str]:
        phase = "a rebalance is being prepared" if state.preparing else "no rebalance is being prepared"
        return [*(self.of_task(state, one) for one in tasks(state)), phase]

    def of_task(self, state: State, task: int) -> str:
        """Return the runner of a task, the keepers of copies, and the member that it is on its way to."""
        runners = [self.runner(state, one, task) for one in runners_of(state, task)]
        copies = [f"member {one}" for one in members(state) if state.up[one] and state.role[one, task] == Role.STANDBY]
        words = [f"task {task} is run by {' and '.join(runners) or 'nobody'}"]
        words += [f"standby {', '.join(copies)}"] if copies else []
        words += [f"meant for member {state.heir[task]}"] if state.heir[task] else []
        return "; ".join(words)

    def runner(self, state: State, member: int, task: int) -> str:
        """Return a runner, and its condition."""
        words = f"member {member}"
        if state.store[member, task] != Store.CAUGHT_UP:
            words += " (restores)"
        return words + (" (not in the group)" if is_zombie(state, member) else "")

    def alarms(self, state: State) -> list[int]:
        return [task for task in tasks(state) if len(runners_of(state, task)) > 1]

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "member", "lanes": bounds.members, "verbs": ["runs a task", "runs none any more"]}
        return {**lanes, "place": "the group coordinator"}

    def life(self, state: State, actor: int) -> str:
        return "up" if state.up[actor] else "down"

    def owners(self, state: State) -> list[int]:
        return [one for one in members(state) if any(one in runners_of(state, task) for task in tasks(state))]

    def held(self, state: State, actor: int) -> dict[str, str]:
        rows = {f"task {task}": self.of_copy(state, actor, task) for task in tasks(state)}
        asks = state.follow_up[actor]
        return {
            "process": "lives" if state.up[actor] else "gone",
            "group": self.standing_in_group(state, actor),
            **rows,
            "is to ask for": "" if asks == FollowUp.NONE else f"a rebalance ({asks})",
        }

    def standing_in_group(self, state: State, member: int) -> str:
        if not state.listed[member]:
            return "not in it, and does not know" if is_zombie(state, member) else "not in it"
        if state.joined[member]:
            return "has joined the next generation"
        return "its part is due" if state.due[member] else "has its part"

    def of_copy(self, state: State, member: int, task: int) -> str:
        """Return a member's role in a task, its copy of the state, and its next role."""
        role, store, given = state.role[member, task], state.store[member, task], state.given[member, task]
        words = [str(role)] if role != Role.NONE else []
        words += [f"state {store}"] if store != Store.NONE else []
        words += [f"given {given}"] if state.due[member] and given != role else []
        return ", ".join(words)


def runners_of(state: State, task: int) -> list[int]:
    """Return the living member that runs or restores *task* as its active."""
    return [one for one in members(state) if state.up[one] and state.role[one, task] == Role.ACTIVE]


STORY = Story()
