"""A sentence gives the reason why an observed step could not be explained."""

from oneowner.checkers.recordings.explain.inferring import commands, handlers
from oneowner.checkers.recordings.explain.recording import Recording, RegistryStep
from oneowner.checkers.recordings.explain.search_result import Explained
from oneowner.checkers.recordings.explain.unit_groups import Append, Observed, Opening
from oneowner.model.channel.channel import entry
from oneowner.model.channel.explanation import why
from oneowner.model.channel.record import Record
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.system import step


def tell(recording: Recording, seen: Observed, found: Explained) -> str:
    """Name the step without an explanation, the states before it, and the guard that refused it."""
    if isinstance(seen, RegistryStep):
        return f"{seen.action}(broker={seen.broker}) cannot come next"
    if isinstance(seen, Opening):
        return f"broker {seen.broker} cannot open topics"
    state = max(found.tried or [node.state for node in found.nodes], key=lambda one: _read(one, seen))
    actor, record = seen.written.broker, seen.written.record
    held = state.view[actor, seen.unit]
    words = [
        f"broker {actor} does not publish {record}: the channel holds {entry(state, seen.unit)},"
        f" the broker's view {held}"
    ]
    if state.outbox[actor].length:
        under_way = ", ".join(str(publish.record) for publish in state.outbox[actor])
        words.append(f"under way there: {under_way}")
    words += _guards(state, actor, seen)
    refused = refusal(entry(state, seen.unit), record, recording.storage)
    words.append(f"the fold: {why(refused)}" if refused is not None else "the fold would accept it")
    return "; ".join(words)


def _read(state: State, seen: Append) -> int:
    """Return the publisher's progress in its required reading."""
    return state.cursor[seen.written.broker]


def _guards(state: State, actor: int, seen: Append) -> list[str]:
    """Return the unmet condition of each action that publishes such a record."""
    wanted: Record = seen.written.record
    told = []
    handler = handlers(wanted)
    if handler:
        told.append(f"{handler} would follow another record")
    for one in commands(state, actor, seen.unit, wanted, any_version=True):
        words = _outcome(state, actor, one)
        if words:
            told.append(f"{one} {words}")
    return told


def _outcome(state: State, actor: int, one: Action) -> str:
    """Describe the needs of a command, or its other record; empty for a step that publishes nothing."""
    try:
        after = step(state, one)
    except Disabled as disabled:
        return f"needs: {disabled.guard}"
    except BoundReached as reached:
        return f"goes beyond the bounds: {reached}"
    count = after.outbox[actor].length
    return f"would publish {after.outbox[actor][count].record}" if count > state.outbox[actor].length else ""
