"""The observable state of a cluster beside the model's: views, records under way, open topics."""

from collections.abc import Callable, Mapping
from typing import Any

from oneowner.checkers.lab.drive.namespace import Names
from oneowner.checkers.lab.drive.real_event import Point
from oneowner.checkers.lab.gates.client import Gates, read_record
from oneowner.model.channel.operators import is_asked
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import OWNED


def predicted(state: Any) -> dict[str, str]:
    """
    Return the model's view of every running broker, and of every unit.

    >>> from oneowner.model.channel.bounds import Bounds
    >>> from oneowner.model.kernel.system import initial_states
    >>> predicted(initial_states(Bounds(brokers=2, owner=1))[0])["broker 1 serves"]
    'bundle 1'
    """
    found = {}
    units = range(1, state.bounds.units + 1)
    for broker in range(1, state.bounds.brokers + 1):
        if state.run[broker] != Run.UP:
            continue
        for unit in units:
            found[f"broker {broker} holds of bundle {unit}"] = str(state.view[broker, unit])
        sent = [f"bundle {publish.unit} {publish.record}" for publish in state.outbox[broker]]
        found[f"broker {broker} is about to write"] = by_bundle(sent)
        found[f"broker {broker} serves"] = served(state, {unit for unit in units if state.serving[broker, unit]})
        if shows_roles(state):
            found[f"broker {broker} plays the leader"] = "yes" if state.believes[broker] else "no"
        if state.bounds.empties_views:
            listed = {unit for unit in units if lists(state, broker, unit)}
            found[f"broker {broker} lists as its own"] = in_words(listed)
        if state.bounds.operators:
            for unit in units:
                asked = is_asked(state.unloading[broker, unit]) or is_asked(state.dividing[broker, unit])
                found[f"an operator waits at broker {broker} for bundle {unit}"] = "yes" if asked else "no"
    return found


def seen(
    state: Any,
    names: Names,
    gates: Mapping[int, Gates],
    is_waiting: Callable[[int, int], bool],
    listed: Callable[[int], set[int]],
) -> dict[str, str]:
    """
    Return the cluster's view, from the brokers' gates, the operators that wait for an answer, and the brokers' lists.
    """
    found = {}
    units = range(1, state.bounds.units + 1)
    topics = {names.topic(unit): unit for unit in reversed(units)}
    for broker, gate in gates.items():
        if state.run[broker] != Run.UP:
            continue
        for unit in units:
            found[f"broker {broker} holds of bundle {unit}"] = str(names.record(gate.view(names.unit(unit))))
        ours = f"{names.namespace}/"
        sent = [about(names, words) for point, words in gate.held() if point == Point.APPEND and words.startswith(ours)]
        found[f"broker {broker} is about to write"] = by_bundle(sent)
        there = gate.topics(f"persistent://{names.namespace}/")
        open_ = {topics[name] for name, _, standing in there if standing == "open" and name in topics}
        found[f"broker {broker} serves"] = served(state, open_)
        if shows_roles(state):
            found[f"broker {broker} plays the leader"] = "yes" if gate.plays_leader() else "no"
        if state.bounds.empties_views:
            found[f"broker {broker} lists as its own"] = in_words(listed(broker))
        if state.bounds.operators:
            for unit in units:
                waits = "yes" if is_waiting(broker, unit) else "no"
                found[f"an operator waits at broker {broker} for bundle {unit}"] = waits
    return found


def shows_roles(state: Any) -> bool:
    """Return whether the leader's role is compared: if it is modelled, and waits only for its own steps."""
    return bool(state.bounds.beliefs and not state.bounds.channel_host)


def by_bundle(sent: list[str]) -> str:
    """
    Return records in words, bundle by bundle: those of one bundle in their order.

    The order of bundles is left open: the children of a split are published in the order of a hash map of their ranges
    (``splitServiceUnit``), the model publishes the lower half first.
    """
    return "; ".join(sorted(sent, key=lambda words: words.split()[1])) or "nothing"


def served(state: Any, units: set[int]) -> str:
    """Return the served units in words; if bundles are split, one topic, in its present bundle."""
    if state.bounds.splits:
        return "the topic" if units else "nothing"
    return in_words(units)


def in_words(units: set[int]) -> str:
    return ", ".join(f"bundle {unit}" for unit in sorted(units)) or "nothing"


def lists(state: Any, broker: int, unit: int) -> bool:
    """Return whether *broker* lists a unit as its own: by its view, or by its list from before a lost session."""
    held = state.view[broker, unit]
    return bool(state.listed[broker, unit]) or (held.state == OWNED and held.destination == broker)


def about(names: Names, text: str) -> str:
    """Return the content of a call at a gate, in the model's words."""
    unit = next((at for at in range(1, len(names.parts) + 1) if text.startswith(names.unit(at) + " ")), 0)
    return f"bundle {unit} {names.record(read_record(text))}"


def differences(model: Mapping[str, str], other: Mapping[str, str], whose: str = "the cluster") -> list[str]:
    """
    Return the differences of the two, one line each.

    >>> differences({"broker 1 serves": "bundle 1"}, {"broker 1 serves": "nothing"})
    ['broker 1 serves: bundle 1 by the model, nothing in the cluster']
    """
    return [
        f"{what}: {said} by the model, {other.get(what, 'unseen')} in {whose}"
        for what, said in model.items()
        if other.get(what) != said
    ]
