"""The story of the election gives reports the words for the owner of the node and for claims to lead."""

from typing import Any

from oneowner.model.kernel.story import Narrator
from oneowner.model.leader_election.bounds import Bounds
from oneowner.model.leader_election.state import Cached, Result, State, brokers, leads


class Story(Narrator):
    """The words in which reports tell of the election."""

    actors = ("broker",)

    def start(self, bounds: Bounds) -> str:
        return f"start: {bounds.brokers} brokers with a session each; nobody has asked to be elected, there is no node"

    def standing(self, state: State) -> list[str]:
        leaders = " and ".join(map(str, self.owners(state))) or "nobody"
        whose = f"an earlier session of broker {state.node}" if state.earlier else f"broker {state.node}"
        node = f"the node is of {whose}" if state.node else "there is no node"
        return [f"{node}; that it leads says: {leaders}"]

    def alarms(self, state: State) -> list[int]:
        return [1] if len(self.owners(state)) > 1 else []

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "broker", "lanes": bounds.brokers, "verbs": ["leads", "does not lead"]}
        return {**lanes, "place": "one leader's node, which is ephemeral"}

    def owners(self, state: State) -> list[int]:
        return [broker for broker in brokers(state) if leads(state, broker)]

    def held(self, state: State, actor: int) -> dict[str, str]:
        return {
            "session": "live" if state.live[actor] else "ended",
            "asked": state.elected[actor].value if state.elected[actor] != Result.NONE else "",
            "closed": state.closed[actor].value if state.closed[actor] != Result.NONE else "",
            "election": state.internal[actor].value,
            "says": state.says[actor].value,
            "cache": str(state.value[actor]) if state.cached[actor] == Cached.READY else state.cached[actor].value,
            "requests": ", ".join(self.value(state.bounds, one) for one in state.sent[actor]),
            "answers": ", ".join(self.value(state.bounds, one) for one in state.answers[actor]),
            "notifications": ", ".join(notice.kind for notice in state.notices[actor]),
            "timers": str(state.timers[actor] or ""),
        }

    def value(self, bounds: Bounds, value: Any) -> str:
        if hasattr(value, "outcome"):
            return f"{value.request.asked}: {value.outcome}"
        return f"{value.asked} for {value.origin}" if hasattr(value, "asked") else str(value)


STORY = Story()
