"""Failures of engines: never a traceback, never valid."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.engines.compile import python_scalar as python
from oneowner.checkers.engines.compile.program import Place, Program, trace
from oneowner.checkers.engines.compile.trees import Update
from oneowner.checkers.engines.compile.watched import At, unheard
from oneowner.checkers.engines.explore import building, generated
from oneowner.checkers.engines.explore.building import Build
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.ledger import gate
from oneowner.checkers.trace.expressions import TRUE, add, constant, variable
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.law import Law, LawKind, StateLaw, Witness
from oneowner.spec.channel.registry import PROPERTIES
from tests.command_line import oneowner

BOUNDS = Bounds(brokers=2, owner=1, unloads=1, window=2)


TYPE_OK = [law for law in PROPERTIES if law.name == "type-ok"]


def outgrown(bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness], at: At = unheard) -> Program:
    """The real model, but its first action adds one to the first slot for ever."""
    program = trace(bounds, laws, witnesses, at=at)
    first = program.places[0]
    more = Update(((0, add(variable(0, first.low, first.low + first.size - 1), constant(1))),))
    return replace(program, trees=(more, *program.trees[1:]))


def test_value_outside_its_domain_leaves_the_search_undecided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for engine in (building, generated):
        monkeypatch.setattr(engine, "trace", outgrown)
    by_c = explore_compiled(BOUNDS, TYPE_OK)
    by_python = explore_generated(BOUNDS, TYPE_OK)
    for found in (by_c, by_python):
        assert not found.finished
        assert found.stopped.startswith("a value leaves its domain")


def test_counterexample_of_a_model_that_was_traced_wrongly_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(building, "trace", outgrown)
    monkeypatch.setattr(generated, "trace", outgrown)
    for run in (explore_compiled, explore_generated):
        with pytest.raises(EngineError, match="append-only holds after the steps of its counterexample"):
            run(BOUNDS, PROPERTIES)


def test_generated_update_checks_what_it_writes_and_nothing_that_always_fits() -> None:
    places = (Place("a", 0, 2),)
    program = Program(places, ((0,),), (), (), Update(((0, add(variable(0, 0, 1), constant(1))),)), (), (), constant(0))
    space: dict[str, object] = {}
    exec(python.emit(program), space)
    normalise = space["normalise"]
    assert callable(normalise)
    assert (normalise(b"\0"), normalise(b"\1")) == (b"\1", "")
    assert "not 0 <=" not in python.emit(replace(program, normalisation=Update(((0, TRUE),))))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A compiled search that dies, as one would for want of memory."""
    program = tmp_path / "search"
    program.write_text("#!/bin/sh\necho out of memory >&2\nexit 70\n")
    program.chmod(0o755)
    monkeypatch.setattr(Build, "make", lambda *_, **__: None)
    monkeypatch.setattr(Build, "checks", (["type-ok"], []))
    monkeypatch.setattr(Build, "program", program)


@pytest.mark.usefixtures("broken")
def test_search_that_dies_is_one_line_and_unknown() -> None:
    with pytest.raises(EngineError, match="ended with code 70: out of memory"):
        explore_compiled(BOUNDS, PROPERTIES)
    found = oneowner("explore", "expiry", "--engine", "c")
    assert (found.code, found.out) == (3, "")
    assert found.err == "error: the compiled search ended with code 70: out of memory\n"


@pytest.mark.usefixtures("broken")
def test_search_that_dies_makes_its_row_of_the_gate_unknown() -> None:
    row = gate.check(gate.Task("family", "pip-192", 1, "nightly"))
    assert (row.ok, row.verdict) == (False, "unknown")
    assert row.reasons == ("the compiled search ended with code 70: out of memory",)


def test_cache_that_cannot_be_written_is_refused_with_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "oneowner").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(Misuse, match="XDG_CACHE_HOME names another place"):
        explore_compiled(BOUNDS, PROPERTIES)


def test_law_of_the_same_name_is_not_answered_from_the_cache() -> None:
    explore_compiled(BOUNDS, PROPERTIES)
    named = [StateLaw(law.name, "", "", lambda _: True, lambda _: False, kind=LawKind.PROTOCOL) for law in PROPERTIES]
    assert Build(BOUNDS, PROPERTIES).is_made
    assert not Build(BOUNDS, named).is_made
