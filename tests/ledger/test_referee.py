"""The table of referees: big families are compared as far as slow engines go, and a difference is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.ledger import referee, referee_rows, referee_table, spin
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


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the families that engines are asked of, which all agree; the cache is a new one."""
    names: list[str] = []

    def rows_of(family: Family) -> list[Row]:
        names.append(family.full_name)
        return [Row(family.full_name, "c", 1, 2, 3, 0.1, Verdict.VALID)]

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(referee_table, "rows_of", rows_of)
    monkeypatch.setattr(spin, "version", lambda: "Spin of this year")
    return names


def test_what_agrees_is_kept_and_found_again(tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = referee_table.rows_named("pip-192")
    (again,) = referee_table.rows_named("pip-192")
    assert (first.is_kept, again, len(asked)) == (False, first._replace(is_kept=True), 1)
    referee_table.rows_named("pip-192", anew=True)
    referee_table.rows_named("transfer")
    assert asked[1:] == ["pip-192", "transfer"]
    monkeypatch.setattr(spin, "version", lambda: "Spin of next year")
    referee_table.rows_named("pip-192")
    assert asked[3:] == ["pip-192"]
    for path in (tmp_path / "oneowner" / "referee").iterdir():
        path.write_text("[[")
    rows = [row for name in ("pip-192", "transfer") for row in referee_table.rows_named(name)]
    assert not any(row.is_kept for row in rows)


@pytest.mark.parametrize("verdict", [Verdict.INVALID, Verdict.UNKNOWN])
@pytest.mark.usefixtures("asked")
def test_what_does_not_agree_is_never_kept(verdict: Verdict, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Row("pip-192", "c", 1, 2, 3, 0.1, Verdict.VALID), Row("pip-192", "spin", 1, 2, 3, 0.1, verdict)]
    monkeypatch.setattr(referee_table, "rows_of", lambda family: rows)
    assert [referee_table.rows_named("pip-192") for _ in range(2)] == [tuple(rows)] * 2


def test_family_is_tried_anew_when_its_program_changes(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def in_another_program() -> tuple[Row, ...]:
        with monkeypatch.context() as patch:
            changed = replace(
                SMALL, bounds=replace(SMALL.bounds, rules=replace(SMALL.bounds.rules, expiry_unloads=False))
            )
            patch.setattr(referee_table, "family_named", lambda name: changed)
            return referee_table.rows_named(SMALL.full_name)

    referee_table.rows_named(SMALL.full_name)
    assert not any(row.is_kept for row in in_another_program())
    assert all(row.is_kept for row in in_another_program())
    assert all(row.is_kept for row in referee_table.rows_named(SMALL.full_name))
    assert len(asked) == 2


@pytest.mark.usefixtures("asked")
def test_family_is_tried_anew_when_pins_or_engines_change(monkeypatch: pytest.MonkeyPatch) -> None:
    law = next(name for name, verdict in SMALL.laws.items() if verdict is Verdict.VALID)
    others = [replace(SMALL, depth=SMALL.depth + 1), replace(SMALL, laws={**SMALL.laws, law: Verdict.UNKNOWN})]
    referee_table.rows_named(SMALL.full_name)
    for other in others:
        monkeypatch.setattr(referee_table, "family_named", lambda name, other=other: other)
        assert not any(row.is_kept for row in referee_table.rows_named(SMALL.full_name))
    monkeypatch.setattr(referee_rows, "_of_engines", lambda: "engines of next year")
    assert not any(row.is_kept for row in referee_table.rows_named(SMALL.full_name))


def test_table_says_that_kept_rows_have_other_sources(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee_table, "in_parallel", lambda work, items, told: {item: work(item) for item in items})
    assert "were tried before" not in oneowner("referee", SMALL.full_name).out
    same = oneowner("referee", SMALL.full_name).out
    assert "1 families were tried before, with the same program" in same
    assert "the model's source is not" not in same
    monkeypatch.setattr(referee_rows, "_of_sources", lambda system: "sources of next year")
    told = oneowner("referee", SMALL.full_name).out
    assert "1 families' programs are as before, though the model's source is not" in " ".join(told.split())
    assert asked == [SMALL.full_name]


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
