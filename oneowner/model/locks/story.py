"""The story of the lock gives reports the words for the owner of the node and for its believed holders."""

from typing import Any

from oneowner.model.kernel.story import Narrator
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.state import Acquire, State, believes


class Story(Narrator):
    """The words in which reports tell of the lock."""

    actors = ("client",)

    def start(self, bounds: Bounds) -> str:
        return f"start: {bounds.clients} clients with a session each; nobody has asked for the lock, there is no node"

    def standing(self, state: State) -> list[str]:
        holders = " and ".join(map(str, self.owners(state))) or "nobody"
        node = f"the node is client {state.node}'s" if state.node else "there is no node"
        return [f"{node}; for the holder takes itself: {holders}"]

    def alarms(self, state: State) -> list[int]:
        return [1] if len(self.owners(state)) > 1 else []

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "client", "lanes": bounds.clients, "verbs": ["holds", "lets go"]}
        return {**lanes, "place": "one lock, an ephemeral node"}

    def owners(self, state: State) -> list[int]:
        return [client for client in range(1, state.bounds.clients + 1) if believes(state, client)]

    def held(self, state: State, actor: int) -> dict[str, str]:
        return {
            "session": "live" if state.live[actor] else "ended",
            "acquire": state.acquired[actor].value if state.acquired[actor] != Acquire.NONE else "",
            "lock": state.stage[actor].value,
            "told of its end": "yes" if state.expired[actor] else "",
            "requests": ", ".join(self.value(state.bounds, one) for one in state.sent[actor]),
            "answers": ", ".join(self.value(state.bounds, one) for one in state.answers[actor]),
            "notifications": ", ".join(state.notices[actor]),
            "timers": str(state.timers[actor] or ""),
        }

    def value(self, bounds: Bounds, value: Any) -> str:
        if hasattr(value, "outcome"):
            return f"{value.request.kind}: {value.outcome}"
        return f"{value.kind} of {value.purpose}" if hasattr(value, "purpose") else str(value)


STORY = Story()
