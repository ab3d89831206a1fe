"""Every law of evidence is broken by a crafted case, and speaks of a recorded run."""

from importlib import import_module
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.checkers.yaml_text import data_of
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.cases import Case
from tests.recordings.laws.files import REAL
from tests.recordings.laws.test_injections import EXPECTED

HERE = Path(__file__).parent
ALTERATIONS: dict[str, list[str]] = data_of((TOP / "tests/tools/alterations.yaml").read_text(encoding="utf-8"))
PINNED = [data_of(path.read_text(encoding="utf-8")) for path in sorted(REAL.glob("*/expectation.yaml"))]
TABLES: list[dict[str, Case]] = [
    import_module(f"tests.recordings.laws.{path.stem}").CASES
    for path in sorted(HERE.glob("test_*.py"))
    if "\nCASES = {" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("law", SCENE_LAWS, ids=lambda law: law.name)
def test_crafted_case_breaks_the_law(law: SceneLaw) -> None:  # its own file tries whether it does
    cases = [case for table in TABLES for case in table.values() if case.law == law]
    if law.decides:
        assert Severity.VIOLATION in {found.severity for case in cases for found in case.found}
    else:  # a report warns at most, or notes
        assert any(case.found or case.doubts for case in cases)


@pytest.mark.parametrize("law", SCENE_LAWS, ids=lambda law: law.name)
def test_law_makes_a_finding_in_a_recorded_run(law: SceneLaw) -> None:
    """As it was recorded, with something done to a copy (test_injections.py), or altered (test_alterations.py)."""
    is_found = any(found.startswith(f"{law.name} ") for pinned in PINNED for found in pinned["findings"])
    is_injected = any(expected.get("says") == law.name for expected in EXPECTED.values())
    assert is_found or is_injected or any(law.name in notices for notices in ALTERATIONS.values())
