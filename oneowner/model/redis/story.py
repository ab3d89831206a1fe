"""The story of Redis Cluster tells reports in words who claims which slot by which epoch, and where keys are."""

from typing import Any

from oneowner.model.kernel.story import Narrator
from oneowner.model.redis.bounds import DESTINATION, MOVED_SLOT, SOURCE, Bounds
from oneowner.model.redis.state import MISSING, NOBODY, State, claims, keys, nodes, slots


class Story(Narrator):
    """The words in which reports tell of a cluster."""

    actors = ("node", "receiver", "replica", "voter")

    def start(self, bounds: Bounds) -> str:
        replicas = f", {bounds.replicas} replicas of node {bounds.replicated}" if bounds.replicas else ""
        gone = ", who is gone" if bounds.gone else ""
        return f"start: {bounds.masters} masters{replicas}{gone}; node {SOURCE} owns slot {MOVED_SLOT} and has key 1"

    def standing(self, state: State) -> list[str]:
        lines = [self.of_slot(state, slot) for slot in slots(state)] + [self.of_key(state, key) for key in keys(state)]
        if state.bounds.migrations:
            lines.append(f"migration of slot {MOVED_SLOT} to node {DESTINATION}: {state.mover}")
        return lines

    def of_slot(self, state: State, slot: int) -> str:
        """Return who lives and claims a slot, and by which epoch."""
        words = ", ".join(f"node {one} (epoch {state.epoch[one, one]})" for one in claimants(state, slot))
        return f"slot {slot} is claimed by {words or 'nobody'}"

    def of_key(self, state: State, key: int) -> str:
        """Return which nodes have a key, and which write of it was the last to be acknowledged."""
        found = [f"node {one}" for one in nodes(state) if state.data[one, key] != MISSING]
        acked = f"acknowledged is write {state.acked[key]}" if state.acked[key] else "never written"
        return f"key {key} is at {', '.join(found) or 'no node'}; {acked}"

    def alarms(self, state: State) -> list[int]:
        return [slot for slot in slots(state) if len(claimants(state, slot)) > 1]

    def life(self, state: State, actor: int) -> str:
        return "up" if state.up[actor] else "down"

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "node", "lanes": bounds.masters + bounds.replicas, "verbs": ["claims", "claims no more"]}
        return {**lanes, "place": "the cluster bus"}

    def owners(self, state: State) -> list[int]:
        return claimants(state, MOVED_SLOT)

    def held(self, state: State, actor: int) -> dict[str, str]:
        return {
            "process": "lives" if state.up[actor] else "gone",
            "role": f"replica of node {state.master[actor]}" if state.master[actor] else "master",
            "epochs": f"own {state.epoch[actor, actor]}, current {state.current[actor]}",
            "slots": ", ".join(f"{slot}: {self.of_owner(state, actor, slot)}" for slot in slots(state)),
            f"slot {MOVED_SLOT}": self.of_move(state, actor),
            "keys": ", ".join(
                f"key {key}, write {state.data[actor, key]}" for key in keys(state) if state.data[actor, key] != MISSING
            ),
            "failed": ", ".join(f"node {other}" for other in nodes(state) if state.failed[actor, other]),
            "election": f"epoch {state.election[actor]}, {state.votes[actor]} votes" if state.election[actor] else "",
            "commands": f"key {state.wanted}{', asking' if state.asking else ''}" if state.at == actor else "",
        }

    def of_owner(self, state: State, node: int, slot: int) -> str:
        """Return whom a node takes for the owner of a slot."""
        owner = f"node {state.owner[node, slot]}" if state.owner[node, slot] else "nobody"
        return f"{owner}, in doubt" if state.in_doubt[node, slot] else owner

    def of_move(self, state: State, node: int) -> str:
        """Return whether a node migrates or imports slot 1."""
        if state.migrating[node] != NOBODY:
            return f"migrating to node {state.migrating[node]}"
        return f"importing from node {state.importing[node]}" if state.importing[node] != NOBODY else ""


def claimants(state: State, slot: int) -> list[int]:
    return [one for one in nodes(state) if state.up[one] and claims(state, one, slot)]


STORY = Story()
