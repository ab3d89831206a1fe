"""Single laws of the lock-based manager: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import StateLaw
from oneowner.model.lock_manager.state import Lock, State, Unload
from oneowner.spec.lock_manager.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import Cells
from tests.lock_manager.law_cases import AMPLE, LOST


@pytest.mark.parametrize(
    "cells",
    [
        LOST | {"live": {1: False}},
        {"window": {(1, 1): 2}, "lock": {(1, 1): Lock.IN_DOUBT}},
        {"window": {(1, 1): 1}, "unload": {(1, 1): Unload.OUTLIVED}},
    ],
    ids=["hears of it", "checks its lock", "closes topics"],
)
def test_window_is_open_while_its_next_step_is_on_its_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["window-closes"]
    assert isinstance(law, StateLaw)
    state = where(State(AMPLE), **cells)
    assert law.when(state)
    assert law.holds(state)
    assert not law.holds(where(state, live={1: True}, lock={(1, 1): Lock.VALID}, unload={(1, 1): Unload.NONE}))


@pytest.mark.parametrize(
    "cells",
    [
        {"live": {2: False}},
        {"ghost": {1: True}},
        {"splitting": {1: 1}},
        {"lock": {(1, 1): Lock.WANTED}},
        {"unload": {(1, 1): Unload.CLOSING}},
    ],
    ids=lambda cells: str(*cells),
)
def test_cache_may_differ_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["cache-is-store"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(where(State(AMPLE), node={1: 2}), **cells))


@pytest.mark.parametrize(
    ("row", "law", "verdicts"),
    [
        ("expiry", "single-server", {"4.0.6": Verdict.VALID}),
        ("lost-acquire", "owner-lets-clients-in", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.VALID}),
        ("stop", "stopping-is-spared", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.VALID}),
        ("splits", "cut-has-no-node", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.VALID}),
        ("acquired-anew", "single-server", {"2.9.1": Verdict.INVALID, "4.0.6": Verdict.INVALID}),
        ("two-managers", "single-server", {"4.0.6": Verdict.INVALID}),
    ],
)
def test_releases_differ_where_their_bugs_are(row: str, law: str, verdicts: dict[str, Verdict]) -> None:
    family = families()[f"lock_manager/{row}"]
    for release, verdict in verdicts.items():
        pinned = family if release == "4.0.6" else family.under(release)
        assert pinned.is_pinned
        assert pinned.laws[law] == verdict
