"""
Edits that make a law fail: for each, a change of a few words in one line of the model, found and undone.

Each row is a mistake that somebody could make. With it, the law named beside it breaks within tiny bounds; undone, it
holds there and has had its occasions. So each of these lines is needed, and each of these laws looks where it should.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.model.channel import (
    broker,
    channel,
    cleanup,
    dialects,
    leader,
    lookup,
    orphans,
    recovery,
    resolver,
    sessions,
    shutdown,
    starts,
    topics,
)
from oneowner.model.channel.bounds import Bounds
from tests.channel import LAWS, LIVENESS_LAWS
from tests.spec.channel.changing import changed


class Change(NamedTuple):
    """A law, the steps of its shortest counterexample (of a law of runs, before the loop), and the change behind it."""

    law: str
    steps: int
    bounds: Bounds
    function: Callable[..., Any]
    mistake: str
    was: str
    now: str


# fmt: off
CHANGES = (
    Change("type-ok", 1, Bounds(assigns=1), lookup.look_up,
           "a lookup is counted twice",
           "state.assigns_left - 1",
           "state.assigns_left - 2"),
    Change("append-only", 12, Bounds(owner=1, unloads=2), channel.forget_first,
           "a record that lost is kept when the log is cut, as a compactor that keeps the last value would",
           "folded(state, state.base[first.unit], first.record)",
           "first.record"),
    Change("view-is-prefix-fold", 9, Bounds(owner=1, unloads=2), broker.consume,
           "a reader does not ask the resolver",
           "and takes(state, dialect, held, message.record):",
           "and message.record != held:"),
    Change("version-chain", 5, Bounds(owner=1, unloads=1), dialects.released,
           "the follow-up of an unload skips a version",
           "FREE, NOBODY, record.source, False, next_version(record)",
           "FREE, NOBODY, record.source, False, next_version(record) + 1"),
    Change("legal-step", 6, Bounds(owner=1, assigns=1, unloads=1), resolver.refusal,
           "every record in its turn is taken for a forced one",
           "if proposed.force and rules.force_overrules:",
           "if rules.force_overrules:"),
    Change("unique-winner", 8, Bounds(owner=1, assigns=1, unloads=1), resolver.refusal,
           "a record of the same version is let through to the tables",
           "if held.version >= proposed.version:",
           "if held.version > proposed.version:"),
    Change("accepted-is-cas", 8, Bounds(owner=1, assigns=1, unloads=1), lookup.assign,
           "an assignment skips a version, and so fits behind a record that its broker had not seen",
           "False, next_version(held))",
           "False, next_version(held) + 1)"),
    Change("one-owner", 2, Bounds(owner=1, crashes=1), starts.start_channel,
           "a new process does not read the channel to its end before it starts",
           "state.view[broker, unit] = entry(state, unit)",
           "pass"),
    Change("serve-implies-view", 1, Bounds(owner=1, unloads=1), broker.open,
           "a broker opens topics because somebody owns them",
           "owner(state.view[broker, unit]) == broker",
           "owner(state.view[broker, unit]) != 0"),
    Change("single-server", 9, Bounds(owner=1, transfers=1), broker.release,
           "a release does not close what is open",
           "elif must_close(state, broker, unit, record):",
           "elif not must_close(state, broker, unit, record):"),
    Change("single-writer", 9, Bounds(owner=1, transfers=1), broker.release,
           "the source of a transfer does not wait for its close",
           "if record.destination != NOBODY and not state.bounds.rules.close_before_assign:",
           "if record.destination != NOBODY:"),
    Change("dual-serving-explained", 6, Bounds(owner=2, expiries=1), recovery.naming,
           "an override does not name the former owner, so nobody tells it to close",
           "NOBODY if former == destination else former",
           "NOBODY"),
    Change("quiescent-agreement", 8, Bounds(owner=1, unloads=1), topics.start_closing,
           "a close leaves the topics open",
           "fence(state, broker, unit, record)",
           "pass"),
    Change("override-names-the-gone", 2, Bounds(owner=2, expiries=1), orphans.is_gone,
           "the leader does not look into its registry cache",
           "if broker == NOBODY or not is_suspected(state, leader, broker):",
           "if broker == NOBODY:"),
    Change("flight-ends", 5, Bounds(assigns=1), broker.handle,
           "an assignment is handled by its source",
           "if record.destination == broker:  # handleAssignEvent",
           "if record.source == broker:"),
    Change("orphan-cleaned", 3, Bounds(owner=2, crashes=1), orphans.is_orphan,
           "the leader looks at hand-overs only",
           "if is_active(record) and is_gone(",
           "if is_in_flight(record) and is_gone("),
    Change("leader-acts", 3, Bounds(owner=2, crashes=1), sessions.expire,
           "a session that ends leaves the leader's node behind",
           "if state.leader == broker and not of_older_process:",
           "if state.leader == broker and of_older_process:"),
    Change("leader-caught-up", 5, Bounds(owner=2, unloads=1, expiries=1), recovery.is_caught_up,
           "a leader that lags behind counts as having read everything",
           "state.cursor[broker] == state.log.length",
           "state.cursor[broker] <= state.log.length"),
    Change("registered-again", 4, Bounds(owner=2, expiries=1, beliefs=1), leader.is_stuck,
           "any broker that does not play the leader waits for the role before it registers",
           "if state.leader == broker:",
           "if not state.believes[broker]:"),
    Change("scheduled-in-contact", 6, Bounds(owner=2, outages=1, safe_mode=1), cleanup.notice,
           "whoever has lost contact to ZooKeeper schedules a clean-up all the same",
           " and state.metadata[observer] != Metadata.UNSTABLE",
           ""),
    Change("opens-in-contact", 8, Bounds(assigns=1, outages=1, safe_mode=1), broker.open,
           "topics are opened without their ledgers",
           "require(has_session(state, broker), HAS_SESSION)",
           "pass"),
    Change("deletion-is-forced", 1, Bounds(owner=1, removals=1), lookup.remove,
           "a deletion asks like an unload",
           "True, next_version(held)",
           "False, next_version(held)"),
    Change("closes-before-hand-over", 2, Bounds(owner=1, shutdowns=1), shutdown.giving_up,
           "a broker that shuts down releases what is in flight, and gives away what it serves",
           "held.state == OWNED",
           "held.state != OWNED"),
    Change("one-elected", 1, Bounds(owner=1, crashes=1), sessions.crash,
           "a crash deletes the node at once",
           "Node.LEFTOVER",
           "Node.ABSENT"),
)
# fmt: on


def steps_against(law: str, bounds: Bounds) -> int | None:
    """Return the number of steps after which the law breaks, or None if it holds; it must have had an occasion."""
    if law in LAWS:
        found = explore(bounds, [LAWS[law]], stop_at=frozenset({law}))
        assert found.stopped == ""
        assert found.laws[law].exercised
        steps = found.laws[law].steps
        return None if steps is None else len(steps)
    _, results = check_liveness(bounds, [LIVENESS_LAWS[law]])
    assert results[law].exercised
    assert not results[law].undecided
    lasso = results[law].lasso
    return None if lasso is None else lasso.loop - 1


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.law)
def test_smallest_change_breaks_the_law_and_undone_it_holds(change: Change) -> None:
    with changed(change.function, change.was, change.now):
        assert steps_against(change.law, change.bounds) == change.steps
    assert steps_against(change.law, change.bounds) is None


def test_ten_laws_of_every_file_have_a_smallest_change() -> None:
    laws = {**LAWS, **LIVENESS_LAWS}
    modules = {laws[change.law].when.__module__ for change in CHANGES}
    assert {
        "oneowner.spec.channel.channel",
        "oneowner.spec.channel.ownership",
        "oneowner.spec.channel.recovery",
        "oneowner.spec.channel.liveness",
    } <= modules
    assert len({change.law for change in CHANGES}) >= 10
