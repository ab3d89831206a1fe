"""
What to edit to make a law fail: for each, a change of a few words in one line of the model, found and undone.

Each row is a mistake that somebody could make. With it, the law named beside it breaks within tiny bounds; undone, it
holds there and has had its occasions. So each of these lines is needed, and each of these laws looks where it should.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.engines.liveness.check import check_liveness
from oneowner.model.channel import (
    broker,
    channel,
    cleanup,
    leader,
    lookup,
    recovery,
    resolver,
    sessions,
    shutdown,
    starts,
)
from oneowner.model.channel.bounds import Bounds
from tests.channel import LAWS, LIVENESS_LAWS
from tests.spec.channel.changing import changed


class Change(NamedTuple):
    """A law, and the change that breaks it."""

    law: str
    mistake: str
    function: Callable[..., Any]
    was: str
    now: str
    bounds: Bounds
    steps: int
    """To the shortest counterexample; of a law of runs, before the loop."""


CHANGES = (
    Change(
        "type-ok",
        "a lookup is counted twice",
        lookup.look_up,
        was="state.assigns_left - 1",
        now="state.assigns_left - 2",
        bounds=Bounds(assigns=1),
        steps=1,
    ),
    Change(
        "append-only",
        "a record that lost is kept when the log is cut, as a compactor that keeps the last value would",
        channel.forget_first,
        was="folded(state, state.base[first.unit], first.record)",
        now="first.record",
        bounds=Bounds(owner=1, unloads=2),
        steps=12,
    ),
    Change(
        "view-is-prefix-fold",
        "a reader does not ask the resolver",
        broker.consume,
        was="and takes(state, dialect, held, message.record):",
        now="and message.record != held:",
        bounds=Bounds(owner=1, unloads=2),
        steps=9,
    ),
    Change(
        "version-chain",
        "the follow-up of an unload skips a version",
        broker.released,
        was="FREE, NOBODY, record.source, False, next_version(record)",
        now="FREE, NOBODY, record.source, False, next_version(record) + 1",
        bounds=Bounds(owner=1, unloads=1),
        steps=5,
    ),
    Change(
        "legal-step",
        "every record in its turn is taken for a forced one",
        resolver.refusal,
        was="if proposed.force and rules.force_overrules:",
        now="if rules.force_overrules:",
        bounds=Bounds(owner=1, assigns=1, unloads=1),
        steps=6,
    ),
    Change(
        "unique-winner",
        "a record of the same version is let through to the tables",
        resolver.refusal,
        was="if held.version >= proposed.version:",
        now="if held.version > proposed.version:",
        bounds=Bounds(owner=1, assigns=1, unloads=1),
        steps=8,
    ),
    Change(
        "accepted-is-cas",
        "an assignment skips a version, and so fits behind a record that its broker had not seen",
        lookup.assign,
        was="False, next_version(held))",
        now="False, next_version(held) + 1)",
        bounds=Bounds(owner=1, assigns=1, unloads=1),
        steps=8,
    ),
    Change(
        "one-owner",
        "a new process does not read the channel to its end before it starts",
        starts.start_channel,
        was="state.view[broker, unit] = entry(state, unit)",
        now="state.view[broker, unit] = TOMBSTONE",
        bounds=Bounds(owner=1, crashes=1),
        steps=2,
    ),
    Change(
        "serve-implies-view",
        "a broker opens topics because somebody owns them",
        broker.open,
        was="owner(state.view[broker, unit]) == broker",
        now="owner(state.view[broker, unit]) != 0",
        bounds=Bounds(owner=1, unloads=1),
        steps=1,
    ),
    Change(
        "single-server",
        "a release does not close what is open",
        broker.release,
        was="elif must_close(state, broker, unit, record):",
        now="elif not must_close(state, broker, unit, record):",
        bounds=Bounds(owner=1, transfers=1),
        steps=9,
    ),
    Change(
        "dual-serving-explained",
        "an override does not name the former owner, so nobody tells it to close",
        recovery.naming,
        was="NOBODY if former == destination else former",
        now="NOBODY",
        bounds=Bounds(owner=2, expiries=1),
        steps=6,
    ),
    Change(
        "quiescent-agreement",
        "a close that ends leaves the topics open",
        broker.close,
        was="end_close(state, broker, job.unit, job.record)",
        now="pass",
        bounds=Bounds(owner=1, unloads=1),
        steps=8,
    ),
    Change(
        "override-names-the-gone",
        "the leader does not look into its registry cache",
        recovery.is_gone,
        was="if broker == NOBODY or not is_suspected(state, leader, broker):",
        now="if broker == NOBODY:",
        bounds=Bounds(owner=2, expiries=1),
        steps=2,
    ),
    Change(
        "flight-ends",
        "an assignment is handled by its source",
        broker.handle,
        was="if record.destination == broker:  # handleAssignEvent",
        now="if record.source == broker:",
        bounds=Bounds(assigns=1),
        steps=5,
    ),
    Change(
        "orphan-cleaned",
        "the leader looks at hand-overs only",
        recovery.is_orphan,
        was="if is_active(record) and is_gone(",
        now="if is_in_flight(record) and is_gone(",
        bounds=Bounds(owner=2, crashes=1),
        steps=3,
    ),
    Change(
        "leader-acts",
        "a session that ends leaves the leader's node behind",
        sessions.expire,
        was="if state.leader == broker and not of_older_process:",
        now="if state.leader == broker and of_older_process:",
        bounds=Bounds(owner=2, crashes=1),
        steps=3,
    ),
    Change(
        "leader-caught-up",
        "a leader that lags behind counts as having read everything",
        recovery.is_caught_up,
        was="state.cursor[broker] == state.log.length",
        now="state.cursor[broker] <= state.log.length",
        bounds=Bounds(owner=2, unloads=1, expiries=1),
        steps=5,
    ),
    Change(
        "registered-again",
        "any broker that does not play the leader waits for the role before it registers",
        leader.is_stuck,
        was="state.leader == broker and not",
        now="not",
        bounds=Bounds(owner=2, expiries=1, beliefs=1),
        steps=5,
    ),
    Change(
        "scheduled-in-contact",
        "whoever has lost contact to ZooKeeper schedules a clean-up all the same",
        cleanup.notice,
        was=" and state.metadata[observer] != Metadata.UNSTABLE",
        now="",
        bounds=Bounds(owner=2, outages=1, safe_mode=1),
        steps=6,
    ),
    Change(
        "opens-in-contact",
        "topics are opened without their ledgers",
        broker.open,
        was="not state.zookeeper_down",
        now="True",
        bounds=Bounds(assigns=1, outages=1, safe_mode=1),
        steps=8,
    ),
    Change(
        "deletion-is-forced",
        "a deletion asks like an unload",
        lookup.remove,
        was="True, next_version(held)",
        now="False, next_version(held)",
        bounds=Bounds(owner=1, removals=1),
        steps=1,
    ),
    Change(
        "closes-before-hand-over",
        "a broker that shuts down releases what is in flight, and gives away what it serves",
        shutdown.giving_up,
        was="held.state == OWNED",
        now="held.state != OWNED",
        bounds=Bounds(owner=1, shutdowns=1),
        steps=2,
    ),
    Change(
        "one-elected",
        "a crash deletes the node at once",
        sessions.crash,
        was="Node.LEFTOVER",
        now="Node.ABSENT",
        bounds=Bounds(owner=1, crashes=1),
        steps=1,
    ),
)


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


BIG = ("opens-in-contact",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [pytest.param(one, id=one.law, marks=[pytest.mark.slow] if one.law in BIG else []) for one in CHANGES],
)
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
