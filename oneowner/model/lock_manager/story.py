"""The story of the lock-based manager tells reports in words who owns which bundle, who leads, and whom clients ask."""

from typing import Any

from oneowner.model.kernel.story import Narrator
from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.state import Entry, Lock, State, Unload, brokers, bundles, clients


class Story(Narrator):
    """The words in which reports tell of the manager."""

    actors = ("broker", "client")

    def start(self, bounds: Bounds) -> str:
        owned = "nobody owns a bundle" if bounds.idle else f"{min(bounds.bundles, bounds.brokers)} of them own one each"
        return f"start: {bounds.brokers} brokers live, broker 1 leads; of {bounds.bundles} bundles, {owned}"

    def standing(self, state: State) -> list[str]:
        leader = f"broker {state.leader} leads" if state.leader else "nobody leads"
        return [*(self.of_bundle(state, one) for one in bundles(state)), leader]

    def of_bundle(self, state: State, bundle: int) -> str:
        """Return the broker that has the node of a bundle, and those that have topics of it open."""
        owner = f"is broker {state.node[bundle]}'s" if state.node[bundle] else "has no node"
        return f"bundle {bundle} {owner}, served by {servers(state, bundle) or 'nobody'}"

    def alarms(self, state: State) -> list[int]:
        return [bundle for bundle in bundles(state) if sum(state.serving[one, bundle] for one in brokers(state)) > 1]

    def life(self, state: State, actor: int) -> str:
        return "up" if state.up[actor] else "down"

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "broker", "lanes": bounds.brokers, "verbs": ["serves", "serves no more"]}
        return {**lanes, "place": "the metadata store"}

    def owners(self, state: State) -> list[int]:
        return [one for one in brokers(state) if any(state.serving[one, bundle] for bundle in bundles(state))]

    def held(self, state: State, actor: int) -> dict[str, str]:
        rows = {f"bundle {bundle}": self.of_entry(state, actor, bundle) for bundle in bundles(state)}
        asked = [f"client {one} ({state.stage[one]})" for one in clients(state) if state.at[one] == actor]
        return {
            "process": "lives" if state.up[actor] else "gone",
            "session": "has one" if state.live[actor] else "ended",
            **rows,
            "lookups": ", ".join(asked),
        }

    def of_entry(self, state: State, broker: int, bundle: int) -> str:
        """Return what a broker holds of a bundle."""
        entry, lock, unload = state.entry[broker, bundle], state.lock[broker, bundle], state.unload[broker, bundle]
        words = [f"entry {entry}"] if entry != Entry.NONE else []
        words += [f"lock {lock}"] if lock != Lock.NONE else []
        words += [f"unload {unload}"] if unload != Unload.NONE else []
        return ", ".join(words)


def servers(state: State, bundle: int) -> str:
    """Return the brokers that have topics of *bundle* open."""
    return ", ".join(f"broker {one}" for one in brokers(state) if state.serving[one, bundle])


STORY = Story()
