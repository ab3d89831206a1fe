"""A checkout of one's own for the tests of the gate; the same small families are searched once."""

import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration
from oneowner.checkers.ledger import family_check, gate, gate_rows, recording_pins
from oneowner.checkers.yaml_text import data_of
from tests.command_line import QUICK, REAL, RUN, pinned, write_ledger


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of one's own: one family, one counterexample and one recorded run, all as pinned."""
    known = data_of((families.SPEC / "channel" / "faults.yaml").read_text())
    (fault,) = [row for row in known if row["fault"] == QUICK.parent.name]
    expiry = data_of((families.SPEC / "channel" / "families" / "expiry.yaml").read_text()) | {"profile": "nightly"}
    write_ledger(tmp_path / "spec", pinned(), expiry, faults=[fault])
    examples, runs = tmp_path / "traces" / "counterexamples", tmp_path / "traces" / "real"
    shutil.copytree(QUICK.parent, examples / QUICK.parent.name)
    shutil.copytree(REAL / RUN, runs / RUN)
    monkeypatch.setattr(families, "SPEC", tmp_path / "spec")
    monkeypatch.setattr(gate_rows, "COUNTEREXAMPLES", examples)
    monkeypatch.setattr(recording_pins, "RUNS", runs)
    return tmp_path


SEARCHES: dict[object, Exploration] = {}
"""The results of each engine: test_ledger searches anew; the other tests search the same few families again."""


def once(search: Callable[..., Exploration]) -> Callable[..., Exploration]:
    def searched(bounds: Any, laws: Any, witnesses: Any, ends: Any, *more: Any, **known: Any) -> Exploration:
        limits = more[0] if more else NO_LIMITS
        asked = (search, bounds, *(one.name for one in (*laws, *witnesses)), frozenset(ends), limits)
        if asked not in SEARCHES:
            SEARCHES[asked] = search(bounds, laws, witnesses, ends, *more, **known)
        return deepcopy(SEARCHES[asked])

    return searched


@pytest.fixture
def searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("explore", "explore_generated"):
        monkeypatch.setattr(family_check, name, once(getattr(family_check, name)))


@pytest.fixture
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the gate's rows in this process: test_gate starts the processes that it has otherwise."""
    monkeypatch.setattr(gate, "in_parallel", lambda work, items, on_progress: {item: work(item) for item in items})
