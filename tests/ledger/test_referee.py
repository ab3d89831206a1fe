"""The table of referees: big families are compared as far as slow engines go, and a difference is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.ledger import referee, spin
from oneowner.checkers.ledger.referee_rows import Row
from oneowner.checkers.verdict import Verdict
from tests.command_line import oneowner

SMALL = families()["lock_manager/expiry"]


@pytest.fixture
def big(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a small family a big one."""
    monkeypatch.setattr(referee, "REFEREED", 1_000)
    monkeypatch.setattr(referee, "FIRST", {"python": 1_000, "native": 70})


@pytest.mark.slow
@pytest.mark.usefixtures("big")
def test_big_family_is_compared_as_far_as_an_engine_goes() -> None:
    rows = list(referee.rows_of(SMALL))
    assert [(row.engine, row.distinct, row.verdict) for row in rows] == [
        ("c, 1 thread", 1_933, Verdict.VALID),
        ("c, 2 threads", 1_933, Verdict.VALID),
        ("python, first states", 1_000, Verdict.VALID),
        ("native, first states", 70, Verdict.VALID),
    ]


@pytest.mark.usefixtures("big")
def test_other_counts_than_the_pinned_ones_do_not_agree() -> None:
    rows = list(referee.rows_of(replace(SMALL, transitions=SMALL.transitions + 1)))
    assert [row.verdict for row in rows[:2]] == [Verdict.INVALID, Verdict.INVALID]


@pytest.mark.usefixtures("big")
def test_engine_that_visits_more_than_its_budget_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "FIRST", {"python": 6_000})
    *_, last = referee.rows_of(SMALL)
    assert (last.verdict, last.words) == (Verdict.INVALID, "it visited all states")


def test_what_agrees_is_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked: list[str] = []

    def rows_of(family: Family) -> list[Row]:
        asked.append(family.full_name)
        return [Row(family.full_name, "c", 1, 2, 3, 0.1, verdict)]

    monkeypatch.setattr(referee, "rows_of", rows_of)
    verdict = Verdict.INVALID
    assert not any(row.is_kept for _ in range(2) for row in referee.rows_named("pip-192"))
    assert len(asked) == 2  # what does not agree is not kept
    verdict = Verdict.VALID
    (first,) = referee.rows_named("pip-192")
    (again,) = referee.rows_named("pip-192")
    assert len(asked) == 3
    assert (first.is_kept, again) == (False, first._replace(is_kept=True))
    referee.rows_named("pip-192", anew=True)
    referee.rows_named("transfer")
    assert asked[3:] == ["pip-192", "transfer"]
    monkeypatch.setattr(spin, "version", lambda: "Spin of next year")
    referee.rows_named("pip-192")
    assert asked[5:] == ["pip-192"]
    next((tmp_path / "oneowner" / "referee").iterdir()).write_text("[[")
    assert all(row.verdict == Verdict.VALID for name in ("pip-192", "transfer") for row in referee.rows_named(name))


@pytest.mark.slow
def test_table_is_in_the_order_asked_though_families_are_tried_side_by_side() -> None:
    asked = ["pip-192", "tombstone-metadata-store"]  # the larger one is begun first
    found = oneowner("referee", *asked, "--progress", "--anew")
    assert found.code in (0, 3)  # 3 where TLC or Spin is not installed
    rows = [line.split() for line in found.out.splitlines() if line.startswith(tuple(asked))]
    counts = {"pip-192": "17", "tombstone-metadata-store": "1,022"}
    assert [(*row[:3], row[-1]) for row in rows if row[1] in ("c", "python", "native")] == [
        (name, engine, counts[name], "yes") for name in asked for engine in ("c", "python", "native")
    ]
    assert len(rows) == 10
    assert "2 of 2 families done" in found.err
