"""A finding looks like a known bug only of a release that may have it."""

import ast
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.laws import known_bugs
from oneowner.checkers.recordings.laws.known_bugs import (
    CARRIED_OVER,
    CUT_SPLIT,
    GIVEN_BACK,
    LATE,
    LATE_TOMBSTONE,
    LISTS_WHAT_IT_KNEW,
    NO_WATCH,
    SAME_VERSION,
    STORE_CLOSES,
    UNSTABLE,
    issue,
)
from tests.recordings.dumps import audit
from tests.recordings.laws.crafted import B1, logs, said, scene


def starting(version: str, manifest: str = "") -> bool:
    started = scene(said=logs(said(1, 0, "broker-starting", version=version)), release=manifest)
    return bool(issue(started, started.lives[B1], UNSTABLE))


@pytest.mark.parametrize(
    ("known", "last", "repaired"),
    [
        (STORE_CLOSES, ("3.0.3", "3.1.3", "3.3.9", "4.0.12", "4.1.3", "4.2.3"), ("3.0.2", "3.1.2", "4.0.13", "4.2.4")),
        (LATE, ("3.3.2", "4.0.7", "4.1.1"), ("3.3.1", "4.0.8", "4.1.2", "4.2.9", "2.10.5")),
        (SAME_VERSION, ("4.0.0", "4.0.4"), ("3.3.9", "4.0.5", "4.1.0")),
        (LISTS_WHAT_IT_KNEW, ("4.0.6", "4.0.99", "5.0.1", "6.0.0"), ("3.0.0", "3.3.9", "4.0.5")),
        (CARRIED_OVER, ("3.0.0", "4.0.99", "5.0.0"), ("2.10.5", "5.0.1", "5.1.0")),
        (NO_WATCH, ("4.0.10", "4.1.3", "4.2.1"), ("4.0.11", "4.2.2", "5.0.0-M1")),
        (UNSTABLE, ("3.3.9", "4.0.8", "4.1.2"), ("4.0.9", "4.1.3", "4.2.0", "5.0.1")),
    ],
)
def test_hint_ends_with_the_release_that_repairs_it(
    known: known_bugs.Issue, last: tuple[str, ...], repaired: tuple[str, ...]
) -> None:
    for name in (*last, *repaired):
        started = scene(said=logs(said(1, 0, "broker-starting", version=name)))
        assert issue(started, started.lives[B1], known) == (known.words if name in last else ""), name


def test_release_is_that_of_the_process_else_of_the_manifest_else_any() -> None:
    assert starting("4.0.6", "4.0.9")
    assert not starting("4.0.9", "4.0.6")
    assert starting("", "4.0.6")
    assert not starting("", "4.0.9")
    assert starting("", "")


def test_every_hint_of_a_law_asks_for_the_release() -> None:
    """An issue that is named in words of its own would be named of every release."""
    for file in Path(known_bugs.__file__).parent.rglob("*.py"):
        named = [
            node.value
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("looks like #")
        ]
        assert not named or file.name == "known_bugs.py", (file, named)


REPORTS = {
    "fenced-for-good": ("fenced-for-good-4.2.4", GIVEN_BACK),
    "forced-free": ("forced-free", LATE_TOMBSTONE),
    "split-crash": ("split-crash", CUT_SPLIT),
}


@pytest.mark.parametrize("report", REPORTS)
def test_run_of_a_report_looks_like_it_before_anything_else(report: str) -> None:
    run, words = REPORTS[report]
    assert f"docs/upstream/{report}.md" in words
    assert (TOP / "docs" / "upstream" / f"{report}.md").is_file()
    first, *_ = audit(TOP / "traces" / "real" / run).json["incidents"]
    assert first["like"][0] == words
