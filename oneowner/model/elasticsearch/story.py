"""The story of a shard gives reports the words for the cluster state, the roles of nodes, and writes."""

from typing import Any

from oneowner.model.elasticsearch.bounds import Bounds
from oneowner.model.elasticsearch.state import (
    Delay,
    Mode,
    Recovery,
    Request,
    Role,
    Stage,
    State,
    accepts,
    nodes,
    writes,
)
from oneowner.model.kernel.story import Narrator


class Story(Narrator):
    """The words in which reports tell of a shard."""

    actors = ("node", "write")

    def start(self, bounds: Bounds) -> str:
        there = 0 if bounds.unassigned else min(bounds.replicas, bounds.nodes - 1)
        return f"start: {bounds.nodes} nodes live, node 1 has the primary in term 1, {there} others have replicas"

    def standing(self, state: State) -> list[str]:
        return [self.of_shard(state), *(self.of_write(state, one) for one in writes(state))]

    def of_shard(self, state: State) -> str:
        """Return the cluster state's entry of the shard, and the node that accepts writes."""
        copies = [f"node {one} {state.role[one]}" for one in nodes(state) if state.role[one] != Role.NONE]
        in_sync = ", ".join(str(one) for one in nodes(state) if state.in_sync[one])
        table = f"term {state.term}: {', '.join(copies) or 'nobody has a copy'}; in sync: {in_sync or 'nobody'}"
        return f"{table}; writes are accepted by {acceptors(state) or 'nobody'}"

    def of_write(self, state: State, write: int) -> str:
        """Return what has become of a write, and which copies have it."""
        if state.stage[write] == Stage.NONE:
            return f"write {write} was not sent"
        holders = ", ".join(f"node {one}" for one in nodes(state) if state.holds[one, write])
        accepted = f"accepted by node {state.author[write]} in term {state.write_term[write]}"
        return f"write {write} {state.stage[write]}, {accepted}, held by {holders or 'nobody'}"

    def alarms(self, state: State) -> list[int]:
        return [1] if sum(accepts(state, one) for one in nodes(state)) > 1 else []

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "node", "lanes": bounds.nodes, "verbs": ["is the primary", "is the primary no more"]}
        return {**lanes, "place": "the cluster state"}

    def owners(self, state: State) -> list[int]:
        return [one for one in nodes(state) if accepts(state, one)]

    def held(self, state: State, actor: int) -> dict[str, str]:
        known = ", ".join(f"node {one} {state.tracks[actor, one]}" for one in nodes(state) if one != actor)
        in_charge = state.mode[actor] not in (Mode.CLOSED, Mode.COPY)
        return {
            "process": ("shuts down" if state.closing[actor] else "lives") if state.up[actor] else "gone",
            "cluster": ("member, behind" if state.behind[actor] else "member") if state.member[actor] else "removed",
            "copy": of_copy(state, actor),
            "knows": known if in_charge else "",
            "is sent": ", ".join(f"write {one} ({state.request[one, actor]})" for one in sent_to(state, actor)),
        }


def of_copy(state: State, node: int) -> str:
    """Return what a node has of the shard."""
    if state.mode[node] == Mode.CLOSED:
        words = ["on disk"] if state.disk[node] else []
    else:
        words = [str(state.mode[node]), f"term {state.copy_term[node]}"]
    words += [f"recovery {state.recovery[node]}"] if state.recovery[node] != Recovery.NONE else []
    words += ["to be sent what the promoted one has"] if state.resync[node] else []
    words += [f"delay {state.delay[node]}"] if state.delay[node] != Delay.NONE else []
    return ", ".join(words)


def sent_to(state: State, node: int) -> list[int]:
    """Return the writes of which a request to a node is under way, or to be told of."""
    return [one for one in writes(state) if state.request[one, node] != Request.NONE]


def acceptors(state: State) -> str:
    """Return the nodes that accept writes as the primary."""
    return ", ".join(f"node {one}" for one in nodes(state) if accepts(state, one))


STORY = Story()
