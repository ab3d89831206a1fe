"""The document, the page and the JSON contain the computed cells, and their links resolve."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.comparison.comparison import compare
from oneowner.checkers.places import TOP
from oneowner.spec.handoff.requirements import REQUIREMENTS
from tests.command_line import VALIDATOR, items_of, oneowner, refused
from tools.hand_over import PAGE, written


def test_document_has_the_tables_that_are_computed() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "stale: run python -m tools.hand_over --tables"


def test_document_links_to_files_that_are_there() -> None:
    links = re.findall(r"\]\(([^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(links) > 100
    assert [link for link in links if not (PAGE.parent / link).resolve().is_file()] == []


def test_every_cell_that_fails_in_steps_names_a_run() -> None:
    for cell in compare():
        for claim in cell.claims:
            for one in claim.fails:
                is_run = one.file.startswith("traces/") or bool(one.least)
                assert one.steps is None or is_run, (cell.system, claim.name, one)
                assert not one.file or (TOP / one.file).is_file()


def test_table_shows_all_systems_and_one_system_tells_what_stands_for_what() -> None:
    whole = oneowner("compare")
    assert whole.code == 0
    assert "guarded (4)" in whole.out
    one = oneowner("compare", "lock-manager")
    assert one.code == 0
    words = "law single-server (guarded): holds within 17; fails after 4 steps in lock_manager/two-managers"
    assert words in one.out
    assert "not claimed: a bundle has no replicas" in one.out
    refused(oneowner("compare", "channels"), "no such system: channels", "did you mean channel?")


def test_unknown_cell_ends_with_3_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oneowner.checkers.comparison.comparison.MAPPING", "nothing.yaml")
    found = oneowner("compare", "locks", "--json", "-")
    assert found.code == 3
    assert found.json["verdict"] == "unknown"
    assert found.json["reasons"][0] == "locks, R0.1: there is no oneowner/spec/locks/nothing.yaml"
    assert {cell["says"] for cell in found.json["cells"]} == {"unknown"}


def document() -> dict[str, Any]:
    return oneowner("compare", "kafka", "lock_manager", "--json", "-").json


def test_json_is_as_the_schema_says_and_has_a_cell_of_each_requirement() -> None:
    found = document()
    assert [error.message for error in VALIDATOR.iter_errors(found)] == []
    assert [one["name"] for one in found["systems"]] == ["kafka", "lock_manager"]
    assert len(found["cells"]) == 2 * len(REQUIREMENTS) == 2 * len(found["requirements"])


def test_json_without_a_key_is_refused() -> None:
    found = document()
    found["cells"] = [cell for cell in found["cells"] if cell["claims"]][:2]
    found["requirements"], found["systems"] = found["requirements"][:1], found["systems"][:1]
    for at in items_of({key: found[key] for key in ("cells", "requirements", "systems")}):
        if isinstance(at[-1], str):
            damaged = copy.deepcopy(found)
            inner: Any = damaged
            for key in at[:-1]:
                inner = inner[key]
            del inner[at[-1]]
            assert not VALIDATOR.is_valid(damaged), at


def test_page_has_every_cell_and_every_run_and_leads_nowhere_else(tmp_path: Path) -> None:
    page = tmp_path / "hand-over.html"
    assert oneowner("compare", "--html", page, "--quiet").code == 0
    text = page.read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="([^"]+)"', text))
    links = re.findall(r'href="([^"]+)"', text)
    assert {link for link in links if not link.startswith("#")} == {"data:,"}
    assert {link[1:] for link in links if link.startswith("#")} <= anchors
    assert {f"{cell.system}-{cell.requirement.name}" for cell in compare()} <= anchors
    assert "<script" not in text
    scenario = "traces/counterexamples/two-managers/single-server.yaml"
    assert scenario in anchors
    assert (TOP / scenario).read_text(encoding="utf-8").splitlines()[-1].strip() in text
