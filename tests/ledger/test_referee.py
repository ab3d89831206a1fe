"""The table of referees: big families are compared as far as slow engines go, and a difference is reported."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.ledger import referee, referee_rows, referee_table, tlc
from oneowner.checkers.ledger.referee_rows import Row
from oneowner.checkers.places import TOP
from oneowner.checkers.verdict import Verdict
from tests.command_line import oneowner

SMALL = families()["lock_manager/expiry"]


def rows_of(family: Family) -> list[Row]:
    return [find() for find in referee.ways(family).values()]


@pytest.fixture
def big(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a small family a big one."""
    monkeypatch.setattr(referee, "REFEREED", 1_000)
    monkeypatch.setattr(referee, "FIRST", {"python": 1_000, "native": 70})


@pytest.mark.slow
@pytest.mark.usefixtures("big")
def test_big_family_is_compared_as_far_as_an_engine_goes() -> None:
    rows = rows_of(SMALL)
    assert [(row.engine, row.distinct, row.verdict) for row in rows] == [
        ("c, 1 thread", 1_933, Verdict.VALID),
        ("c, 2 threads", 1_933, Verdict.VALID),
        ("python, first states", 1_000, Verdict.VALID),
        ("native, first states", 70, Verdict.VALID),
    ]


@pytest.mark.usefixtures("big")
def test_other_counts_than_the_pinned_ones_do_not_agree() -> None:
    rows = rows_of(replace(SMALL, transitions=SMALL.transitions + 1))
    assert [row.verdict for row in rows[:2]] == [Verdict.INVALID, Verdict.INVALID]


@pytest.mark.usefixtures("big")
def test_engine_that_visits_more_than_its_budget_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "FIRST", {"python": 6_000})
    *_, last = rows_of(SMALL)
    assert (last.verdict, last.words) == (Verdict.INVALID, "it visited all states")


@pytest.fixture
def searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The searches of engines, which all agree: families and engines; the cache is a new one."""
    names: list[str] = []

    def found(family: Family, engine: str) -> Row:
        names.append(f"{family.full_name} by {engine}")
        return Row(family.full_name, engine, 1, 2, 3, 0.1, Verdict.VALID)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        referee_table, "ways", lambda family: {one: partial(found, family, one) for one in ("c", "native", "spin")}
    )
    monkeypatch.setitem(referee_rows.VERSIONS, "spin", lambda: "Spin of this year")
    return names


def test_what_agrees_is_kept_and_found_again(tmp_path: Path, searches: list[str]) -> None:
    first = referee_table.rows_named("pip-192")
    again = referee_table.rows_named("pip-192")
    assert not any(row.is_kept for row in first)
    assert again == tuple(row._replace(is_kept=True) for row in first)
    assert searches == ["pip-192 by c", "pip-192 by native", "pip-192 by spin"]
    referee_table.rows_named("pip-192", anew=True)
    assert searches[3:] == searches[:3]
    for path in (tmp_path / "oneowner" / "referee").iterdir():
        path.write_text("[[")
    assert not any(row.is_kept for row in referee_table.rows_named("pip-192"))


def test_engine_that_is_another_one_is_asked_anew_and_no_other(
    searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_engine = referee_rows.of_engine
    referee_table.rows_named("pip-192")
    monkeypatch.setitem(referee_rows.VERSIONS, "spin", lambda: "Spin of next year")
    referee_table.rows_named("pip-192")
    assert searches[3:] == ["pip-192 by spin"]
    monkeypatch.setattr(referee_rows, "of_engine", lambda engine: engine if engine == "c" else of_engine(engine))
    referee_table.rows_named("pip-192")
    assert searches[4:] == ["pip-192 by c"]


def test_engine_depends_on_its_module_and_on_all_that_it_imports() -> None:
    read = {engine: referee_rows.imported(paths) for engine, paths in referee_rows.RUN_BY.items()}
    names = {engine: {path.relative_to(TOP).as_posix() for path in paths} for engine, paths in read.items()}
    assert all("oneowner/model/kernel/language.py" in there for there in names.values())
    assert all(("oneowner/checkers/trace/tracing.py" in names[engine]) != (engine == "native") for engine in names)
    assert {engine for engine in names if "oneowner/checkers/engines/explore/state_columns.py" in names[engine]} == {
        "python"
    }
    assert {engine for engine in names if "oneowner/checkers/engines/compile/promela.py" in names[engine]} == {"spin"}
    assert len({referee_rows.of_engine(engine) for engine in names}) == len(names)


@pytest.mark.parametrize("verdict", [Verdict.INVALID, Verdict.UNKNOWN])
def test_what_does_not_agree_is_never_kept(
    searches: list[str], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {
        "c": Row("pip-192", "c", 1, 2, 3, 0.1, Verdict.VALID),
        "spin": Row("pip-192", "spin", 1, 2, 3, 0.1, verdict),
    }
    monkeypatch.setattr(referee_table, "ways", lambda family: {one: lambda one=one: rows[one] for one in rows})
    referee_table.rows_named("pip-192")
    assert [row.is_kept for row in referee_table.rows_named("pip-192")] == [True, False]
    assert not searches


def test_family_is_tried_anew_when_its_program_changes(searches: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert len(searches) == 6


@pytest.mark.usefixtures("searches")
def test_family_is_tried_anew_when_pins_change(monkeypatch: pytest.MonkeyPatch) -> None:
    law = next(name for name, verdict in SMALL.laws.items() if verdict is Verdict.VALID)
    others = [replace(SMALL, depth=SMALL.depth + 1), replace(SMALL, laws={**SMALL.laws, law: Verdict.UNKNOWN})]
    referee_table.rows_named(SMALL.full_name)
    for other in others:
        monkeypatch.setattr(referee_table, "family_named", lambda name, other=other: other)
        assert not any(row.is_kept for row in referee_table.rows_named(SMALL.full_name))


def test_table_says_that_the_interpreter_ran_other_functions(
    searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee_table, "in_parallel", lambda work, items, told: {item: work(item) for item in items})
    assert "found before" not in oneowner("referee", SMALL.full_name).out
    same = " ".join(oneowner("referee", SMALL.full_name).out.split())
    assert "3 of 3 rows were found before" in same
    assert "the functions that it ran are not" not in same
    monkeypatch.setattr(referee_rows, "_of_model", lambda system: "sources of next year")
    told = " ".join(oneowner("referee", SMALL.full_name).out.split())
    assert "1 of them by the native interpreter: the program of the family is as before" in told
    assert len(searches) == 3


@pytest.mark.slow
def test_table_is_in_the_order_asked_though_families_are_tried_side_by_side() -> None:
    families = ["pip-192", "tombstone-metadata-store"]  # the larger one is begun first
    found = oneowner("referee", *families, "--progress", "--anew")
    assert found.code in (0, 3)  # 3 where TLC or Spin is not installed
    rows = [line.split() for line in found.out.splitlines() if line.startswith(tuple(families))]
    counts = {"pip-192": "17", "tombstone-metadata-store": "1,022"}
    assert [(*row[:3], row[-1]) for row in rows if row[1] in ("c", "python", "native")] == [
        (name, engine, counts[name], "yes") for name in families for engine in ("c", "python", "native")
    ]
    assert len(rows) == 10
    assert "2 of 2 done" in found.err


def test_tlc_shares_no_folder_with_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """At its end it removes the modules that it unpacked, which another one that begins may be reading."""
    folders = []

    def run(command: list[str], cwd: str, **_: Any) -> CompletedProcess[str]:
        folders.append(cwd)
        assert f"-Djava.io.tmpdir={cwd}" in command
        return CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("subprocess.run", run)
    for _ in range(2):
        assert tlc.verify({"a.tla": "", "a.cfg": ""}).wrong == "TLC did not finish"
    assert len({*folders}) == 2
