"""The story of load data gives reports the words for the leader, and for the reports that each broker has."""

from typing import Any

from oneowner.model.kernel.story import Narrator
from oneowner.model.load_data.bounds import Bounds
from oneowner.model.load_data.state import CleanUp, Report, State, brokers


class Story(Narrator):
    """The words in which reports tell of load data."""

    actors = ("observer", "broker")

    def start(self, bounds: Bounds) -> str:
        return f"start: {bounds.brokers} brokers are registered and own units, broker 1 leads; nobody has reported yet"

    def standing(self, state: State) -> list[str]:
        leader = f"broker {state.leader} leads" if state.leader else "nobody leads"
        return [leader, *(self.has(state, one) for one in brokers(state))]

    def has(self, state: State, observer: int) -> str:
        """Return whose load *observer* has read."""
        if not state.up[observer]:
            return f"broker {observer} is gone" + (", and still registered" if state.registered[observer] else "")
        rows = [f"{one} ({state.view[observer, one]})" for one in brokers(state) if has_row(state, observer, one)]
        return f"broker {observer} has the load of {', '.join(rows) or 'nobody'}"

    def alarms(self, state: State) -> list[int]:
        return []

    def life(self, state: State, actor: int) -> str:
        return "up" if state.up[actor] else "down"

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "broker", "lanes": bounds.brokers, "verbs": ["leads", "leads no more"]}
        return {**lanes, "place": "the topic of broker load data, which keeps nothing"}

    def owners(self, state: State) -> list[int]:
        return [state.leader] if state.leader else []

    def held(self, state: State, actor: int) -> dict[str, str]:
        rows = {f"load of {one}": str(state.view[actor, one]) for one in brokers(state) if has_row(state, actor, one)}
        cleaning = [one for one in brokers(state) if state.cleaning[actor, one] != CleanUp.NONE]
        return {
            "process": "lives" if state.up[actor] else "gone",
            "registered": "yes" if state.registered[actor] else "no",
            "units": "owns some" if state.owns[actor] else "",
            **rows,
            "cleans up": ", ".join(f"broker {one}" for one in cleaning),
        }


def has_row(state: State, observer: int, broker: int) -> bool:
    return state.view[observer, broker] != Report.NONE


STORY = Story()
