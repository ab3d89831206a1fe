"""A loss, forgery or mix-up on the way to the auditor is noticed, or reported absent; a harmless one is harmless."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.yaml_text import data_of
from tests.command_line import Outcome, oneowner
from tests.recordings.laws.files import REAL, copied
from tests.recordings.laws.forging import FORGERIES
from tests.recordings.laws.injecting import INJECTIONS, SHIFT

BROKEN = "leader-hang"
"""A run that a law finds broken."""

CHANGES = {**INJECTIONS, **FORGERIES}

EXPECTED: dict[str, dict[str, Any]] = data_of((Path(__file__).parent / "injections.yaml").read_text(encoding="utf-8"))


def audited(folder: Path) -> Outcome:
    return oneowner("audit", folder, "--engine", "inline", "--json", "-")


@cache
def unchanged(run: str) -> dict[str, Any]:
    return audited(REAL / run).json


def findings_of(result: dict[str, Any], shift: int = 0) -> list[tuple[Any, ...]]:
    """The findings without the folder's name, times moved back."""
    return sorted(
        (f["law"], f["severity"], f["unit"] or "", Path(f["at"]["file"]).name, f["at"]["line"],
         (f["at"]["time"] or 0) - (shift if f["at"]["time"] else 0))
        for f in result["findings"]
    )  # fmt: skip


def test_every_injection_has_an_expectation_that_was_written_down() -> None:
    assert set(EXPECTED) == set(CHANGES)
    assert all({"healthy", "broken"} <= set(EXPECTED[name]) for name in INJECTIONS)
    assert len(INJECTIONS) >= 15


CASES = [
    pytest.param(name, kind, marks=[pytest.mark.slow] * (kind == "broken"))  # what is noticed of a healthy run is quick
    for name, expected in EXPECTED.items()
    for kind in expected
    if kind not in ("says", "same")
]


@pytest.mark.sample(6)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_injection_comes_out_as_written_down(name: str, kind: str, tmp_path: Path) -> None:
    run = BROKEN if kind == "broken" else kind
    folder = copied(run, tmp_path)
    CHANGES[name](folder)
    outcome, expected = audited(folder), EXPECTED[name]
    result = outcome.json
    verdict = "unknown" if outcome.code == 2 else result["verdict"]
    assert verdict in expected[kind], result["reasons"]
    if "says" in expected:
        assert expected["says"] in json.dumps([result["findings"], result["reasons"]])
    if expected.get("same"):
        shift = SHIFT if name == "times-shifted" else 0
        assert findings_of(result, shift) == findings_of(unchanged(run))
