"""Single laws of a shard of Elasticsearch: excuses, and verdicts that differ between families and releases."""

from __future__ import annotations

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.verdict import Verdict
from oneowner.model.elasticsearch.rules import RELEASES, Rules
from oneowner.model.elasticsearch.state import Mode, Recovery, Request, Stage, State
from oneowner.model.kernel.law import StateLaw
from oneowner.spec.elasticsearch.system import SYSTEM
from tests.cells import where
from tests.crafted_laws import Cells
from tests.elasticsearch.law_cases import AMPLE


@pytest.mark.parametrize(
    "cells",
    [
        {"stage": {1: Stage.OPEN}},
        {"request": {(1, 2): Request.SENT}},
        {"behind": {2: True}},
        {"resync": {2: True}},
        {"recovery": {3: Recovery.COPYING}},
        {"up": {3: False}},
        {"closing": {3: True}},
    ],
    ids=lambda cells: str(*cells),
)
def test_copies_may_differ_while_something_is_under_way(cells: Cells) -> None:
    law = SYSTEM.laws_by_name["copies-agree"]
    assert isinstance(law, StateLaw)
    assert not law.when(where(where(State(AMPLE), holds={(1, 1): True}), **cells))


def test_target_that_took_over_accepts_only_what_its_source_passes_on() -> None:
    law = SYSTEM.laws_by_name["single-primary-in-term"]
    assert isinstance(law, StateLaw)
    taken = where(State(AMPLE), mode={3: Mode.TAKEN_OVER}, copy_term={3: 1})
    assert law.holds(taken)
    assert law.when(where(taken, mode={1: Mode.RELOCATED}))
    assert not law.when(where(taken, mode={1: Mode.HANDING_OVER}))


def test_releases_mend_one_thing_after_another() -> None:
    kept = [sum(getattr(rules, switch) for switch in Rules.__dataclass_fields__) for rules in RELEASES.values()]
    assert kept == sorted(kept)


@pytest.mark.parametrize(
    ("row", "law", "verdict"),
    [
        ("partition", "single-primary-in-term", Verdict.VALID),
        ("partition", "single-primary-always", Verdict.INVALID),
        ("relocation-loss", "in-sync-has-acknowledged", Verdict.VALID),
        ("relocation-loss", "in-sync-has-acknowledged-always", Verdict.INVALID),
        ("relocation-loss", "primary-has-acknowledged-always", Verdict.INVALID),
        ("relocation-cancelled", "in-sync-has-acknowledged-always", Verdict.VALID),
    ],
)
def test_terms_and_last_copies_make_the_difference(row: str, law: str, verdict: Verdict) -> None:
    assert families()[f"elasticsearch/{row}"].laws[law] == verdict
