"""
``parting`` finds the step of a run at which real classes show the values of some switches.

A run that breaks a law separates a defect from its repair only if the classes act differently there, not the script. So
the same steps are taken under both rules until the two part.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.scenarios.under_release import counterpart
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import actions, initial_states, step

REFUSED: Final = frozenset(
    {
        "override", "free_orphan", "free_refused", "end_flight", "tombstone", "look_up", "open", "time_out",
        "monitor", "drain", "pass_over", "unload_leftover", "restart",
    }
)  # fmt: skip
"""Actions that the harness complains about if the real classes do not take them."""
UNSEEN: Final = {
    "override_when_caught_up": "the script answers a flush of the table view at once",
    "bundles_validated": "lookups begin behind the validation of bundles",
    "tombstone_is_read": "the client's table view is scripted",
    **dict.fromkeys(
        (
            "compactor_reads_kept",
            "phase_two_stops",
            "horizon_before_cursor",
            "batch_per_attempt",
            "seek_keeps_horizon",
            "original_at_cursor",
            "ledger_closed_first",
        ),
        "the host of the channel's topic is scripted, but for phase one of a compaction",
    ),
    **dict.fromkeys(
        ("session_events_seen", "monitor_runs"), "a thread that does not see a field's new value is none of one thread"
    ),
    "deduplication": "the channel's topic is scripted",
    "long_pause_ends_process": "a pause is the script's",
    "ephemeral_registration": "the metadata store keeps nodes as the script says",
}
"""Switches whose code the script stands in for, each with the reason that no run shows them."""
SCRIPTED: Final = "destination"
"""The argument of an action that the script chooses."""


class Parting(NamedTuple):
    """The step, counted from 1, at which the other rules part from a run; 0: the classes cannot show it there."""

    at: int
    other: str = ""
    """The projection of the real objects after it by the other rules; empty if these refuse the step."""
    why: str = ""
    """The reason that the classes cannot show it."""


def parting(run: Sequence[Action], states: Sequence[State], other: Bounds) -> Parting:
    """Return the step of a run, whose states are *states*, at which the rules of *other* part from it."""
    parts, others = shown(states[0].bounds), shown(other)
    state = initial_states(other)[0]
    for number, (original, expected) in enumerate(zip(run, states[1:], strict=True), 1):
        before, action = state, counterpart(original, other)
        try:
            if action not in actions(other):
                raise Disabled("an action of these rules")
            state = step(before, action)
        except (Disabled, BoundReached):
            if action.name in REFUSED and not _has_another_choice(before, action):
                return Parting(number)
            return Parting(0, why=f"the script decides step {number}, {action}")
        if (text := others.text(bytes(state.codes()))) != parts.text(bytes(expected.codes())):
            return Parting(number, text + "|")
    return Parting(0, why="the repaired rules show the same after each of its steps")


def _has_another_choice(state: State, action: Action) -> bool:
    """Return whether the step is refused for a choice of the script alone."""
    for one in actions(state.bounds):
        if one.name == action.name and _own(one) == _own(action):
            try:
                step(state, one)
            except (Disabled, BoundReached):
                continue
            return True
    return False


def _own(action: Action) -> tuple[tuple[str, int], ...]:
    return tuple((name, value) for name, value in action.arguments if name != SCRIPTED)
