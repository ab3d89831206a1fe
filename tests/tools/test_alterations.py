"""Recordings are altered in one place each, and who notices is as pinned."""

from pathlib import Path
from random import Random

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.yaml_text import data_of
from tools.alterations.kinds import JSON_KINDS, KINDS
from tools.alterations.operations import drop, repeat, swap
from tools.alterations.recording_lines import Recorded
from tools.alterations.trying import Kind, Row, rows_of, table, trials

REAL = TOP / "traces" / "real"
PINS = Path(__file__).parent / "alterations.yaml"
RUN = "zombie"
PINNED: dict[str, list[str]] = data_of(PINS.read_text(encoding="utf-8"))
"""By kind, the checkers that notice the first alteration of that recording; none: the table of kinds has the reason."""
DOCUMENT = TOP / "docs" / "reference" / "alterations.md"


def name_of(kind: Kind) -> str:
    return f"{kind.source}: {kind.name}"


def test_kinds_are_many_and_of_every_source() -> None:
    assert len(KINDS) >= 30
    assert {kind.source for kind in KINDS} == {"channel", "zookeeper", "lookups", "owned", "actions", "logs"}
    assert len({name_of(kind) for kind in KINDS}) == len(KINDS)


def test_operations_leave_all_other_lines() -> None:
    lines = ["a", "b", "c"]
    assert drop(lines, 1, Random(1)).lines == ["a", "c"]
    assert repeat(lines, 1, Random(1)).lines == ["a", "b", "b", "c"]
    swapped = swap(lines, 1, Random(1))
    assert swapped is not None
    assert swapped.lines == ["a", "c", "b"]
    assert swap(lines, 2, Random(1)) is None


def test_alteration_changes_one_file_of_a_copy() -> None:
    recorded = Recorded(REAL / RUN)
    kind = next(kind for kind in KINDS if name_of(kind) == "channel: record dropped")
    altered = next(kind.altered(recorded, Random(1)))
    before = recorded.lines(altered.file)
    with recorded.with_altered(altered) as copy:
        assert Recorded(copy).lines(altered.file) == list(altered.lines)
        assert len(altered.lines) == len(before) - 1
        assert {path.name for path in copy.iterdir()} == {path.name for path in recorded.folder.iterdir()}
    assert recorded.lines(altered.file) == before


def test_every_kind_is_pinned_and_only_what_cannot_be_noticed_is_missed() -> None:
    kinds = {name_of(kind): kind for kind in KINDS}
    assert set(PINNED) <= set(kinds)
    assert [name for name, by in PINNED.items() if not by and not kinds[name].cannot] == []


QUICK = ("zookeeper: deregistration dropped", "channel: producer changed", "logs: a minute back", "lookups: dropped")


def test_some_kinds_of_alteration_are_noticed_by_whom_is_pinned() -> None:
    rows = rows_of(trials(REAL / RUN, [kind for kind in KINDS if name_of(kind) in QUICK], 1, 1))
    assert_as_pinned(rows)
    assert [row.noticed for row in rows] == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("run", "noticed"),
    [
        ("locks-healthy", {"zookeeper: registration dropped": ["replay"]}),  # by the model of locks
        (
            "late-clean-up",
            {
                "channel: record sent twice": ["sent-once"],  # without sequence ids
                "logs: elected broker changed": ["logs-and-history-agree"],
            },
        ),
    ],
)
def test_recordings_of_other_kinds_are_altered_as_well(run: str, noticed: dict[str, list[str]]) -> None:
    rows = rows_of(trials(REAL / run, [kind for kind in KINDS if name_of(kind) in noticed], 1, 1))
    assert {name_of(row.kind): list(row.by) for row in rows} == noticed


def test_deletion_by_a_broker_that_is_about_to_end_its_session_is_no_deregistration() -> None:
    gone = {"op": "delete", "path": "/loadbalance/brokers/b1:8080", "session": "0x1", "time": 5_000}
    ended = {"op": "closeSession", "session": "0x1", "time": 5_900}
    [kind] = [kind for kind in JSON_KINDS if kind.name == "deregistration dropped"]
    assert kind.fits([gone, {**ended, "time": 6_001}], 0)
    assert kind.fits([gone, {**ended, "session": "0x2"}], 0)
    assert not kind.fits([gone, ended], 0)


@pytest.mark.slow
def test_every_kind_of_alteration_is_noticed_by_whom_is_pinned() -> None:
    rows = rows_of(trials(REAL / RUN, KINDS, 1, 1))
    assert_as_pinned(rows)
    assert {name_of(row.kind) for row in rows} == set(PINNED)


def assert_as_pinned(rows: list[Row]) -> None:
    assert rows
    for row in rows:
        assert list(row.by) == PINNED[name_of(row.kind)], (name_of(row.kind), row.missed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in REAL.glob("*/expectation.yaml")), ids=lambda p: p.name
)
def test_what_can_be_noticed_is_noticed_in_every_recording(folder: Path) -> None:
    certain = [kind for kind in KINDS if not kind.cannot]
    assert [(name_of(t.kind), t.what) for t in trials(folder, certain, 1, 1) if not t.by] == []


def test_document_has_the_table_of_all_kinds() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for kind in KINDS:
        assert f"| {kind.source} | {kind.name} |" in text
        assert not kind.cannot or kind.cannot in text


def test_table_says_who_noticed_and_why_not() -> None:
    kind = next(kind for kind in KINDS if kind.cannot)
    row = Row(kind, tried=2, noticed=1)
    row.by["some-law"] += 1
    assert list(table([row]))[-1] == f"| {kind.source} | {kind.name} | 1 of 2 | some-law 1; {kind.cannot} |"
