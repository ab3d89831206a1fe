"""The verb ``export``: which files it writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkers.itf import read_itf
from checkers.trace import read_scenario
from tests.checkers.tool import QUICK, oneowner, refused


def test_export_of_a_family_says_what_it_wrote_and_how_to_run_it(tmp_path: Path) -> None:
    found = oneowner("export", "transfer-metadata-store", "--to", "tla", "--out", tmp_path / "new")
    assert found.code == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "transfer_metadata_store.cfg", "transfer_metadata_store.tla",
    ]  # fmt: skip
    assert "tlc2.TLC" in found.out


def test_export_of_a_scenario_is_the_same_run_as_a_trace(tmp_path: Path) -> None:
    path = QUICK.with_suffix(".yaml")
    assert oneowner("export", path, "--to", "itf", "--out", tmp_path).code == 0
    trace = read_itf(tmp_path / f"{QUICK.name}.itf.json")
    assert [str(step) for step in trace.steps] == [str(step) for step in read_scenario(path).steps]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("transfr", "--to", "tla"), "no such family: transfr; did you mean transfer?"),
        (("transfer", "--to", "tla", "--fault", "none"), "no such fault: none"),
        (("transfer", "--to", "tla", "--set", "brokers=0"), "bound refused: brokers=0"),
        (("nowhere.yaml", "--to", "itf"), "nowhere.yaml"),
        (
            (QUICK.with_suffix(".yaml"), "--to", "itf", "--fault", "no_version_check"),
            "go with a family",
        ),
    ],
)
def test_export_refuses_what_is_not_there(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    refused(oneowner("export", *arguments, "--out", tmp_path), words)
