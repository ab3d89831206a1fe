"""Laws of splits."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.recordings.laws.answers.splits import (
    BOUNDARY_IS_NEVER_LOST,
    LAWS,
    SPLIT_REACHES_THE_POLICIES,
    splits,
)
from oneowner.checkers.recordings.read.observations import NodeWrite, Printed
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, UNIT, channel, message, printed, recorded, scene, write

LOW, HIGH = "0x00000000_0x40000000", "0x40000000_0x80000000"
BEFORE, AFTER = (0, 0x80000000, 0xFFFFFFFF), (0, 0x40000000, 0x80000000, 0xFFFFFFFF)
SPLITTING = Printed(printed("Splitting", 3, "", B1).record, 0, (HIGH, LOW))


def records(*, done: bool = True) -> tuple[Message, ...]:
    found = (
        message(0, 1_000, printed("Owned", 2, B1)),
        message(1, 2_000, SPLITTING),
        message(2, 2_100, printed("Owned", 1, B1), f"t/n/{LOW}"),
        message(3, 2_100, printed("Owned", 1, B1), f"t/n/{HIGH}"),
    )
    return (*found, message(4, 2_200, printed("Deleted", 4, "", B1))) if done else found


def policies(
    number: int, time: int, cuts: tuple[int, ...], op: str = "setData", root: str = "local-policies"
) -> NodeWrite:
    data = json.dumps({"bundles": {"boundaries": [f"0x{cut:08x}" for cut in cuts], "numBundles": len(cuts) - 1}})
    return write(number, time, op, f"/admin/{root}/t/n", "0x1", "" if op == "delete" else data)


def split(*writes: NodeWrite, boundaries: tuple[int, ...] = AFTER, done: bool = True) -> Scene:
    begin = [policies(1, 100, BEFORE, "create")]
    return scene(channel=channel(*records(done=done)), writes=[*begin, *writes], boundaries={"t/n": boundaries})


LATER = write(99, 99_000, "createSession", session="0x9")
"""The history goes on."""


def test_split_is_found_with_its_children_and_its_end() -> None:
    (one,) = splits(split())
    assert (one.unit.key, one.cut, one.deleted is not None) == (UNIT, frozenset({0x40000000}), True)


def test_split_whose_boundary_is_written_first_is_well() -> None:
    judged = SPLIT_REACHES_THE_POLICIES.judge(split(policies(2, 2_150, AFTER), LATER))
    assert judged.exercised == 1
    assert not judged.findings


def test_split_without_its_boundary_is_a_violation() -> None:
    (one,) = SPLIT_REACHES_THE_POLICIES.judge(split(LATER, boundaries=BEFORE)).findings
    assert (one.severity, one.unit, one.message_id) == (Severity.VIOLATION, UNIT, "0:4")
    assert "never written" in one.why


def test_boundary_written_after_deleted_is_a_violation() -> None:
    (one,) = SPLIT_REACHES_THE_POLICIES.judge(split(policies(2, 9_000, AFTER))).findings
    assert one.severity == Severity.VIOLATION
    assert "only later" in one.why


def test_boundary_missing_at_the_end_is_a_warning() -> None:
    (one,) = SPLIT_REACHES_THE_POLICIES.judge(split(policies(2, 2_150, AFTER), LATER, boundaries=BEFORE)).findings
    assert one.severity == Severity.WARNING


def test_split_that_is_not_done_is_a_warning_if_its_children_are_there() -> None:
    (one,) = SPLIT_REACHES_THE_POLICIES.judge(split(LATER, boundaries=BEFORE, done=False)).findings
    assert one.severity == Severity.WARNING


def test_split_is_judged_by_the_last_boundaries_without_history() -> None:
    found = scene(channel=channel(*records()), boundaries={"t/n": BEFORE})
    assert [one.severity for one in SPLIT_REACHES_THE_POLICIES.judge(found).findings] == [Severity.VIOLATION]
    assert not SPLIT_REACHES_THE_POLICIES.judge(replace(found, boundaries={"t/n": AFTER})).findings


def test_split_without_any_bundle_data_is_a_doubt() -> None:
    judged = SPLIT_REACHES_THE_POLICIES.judge(scene(channel=channel(*records())))
    assert (judged.exercised, len(judged.doubts)) == (0, 1)


def test_namespace_deleted_after_its_split_is_well() -> None:
    writes = policies(2, 2_150, AFTER), policies(3, 5_000, (), "delete"), policies(4, 6_000, BEFORE, "create")
    assert not SPLIT_REACHES_THE_POLICIES.judge(split(*writes, boundaries=BEFORE)).findings


@pytest.mark.parametrize("root", ["local-policies", "policies"])
def test_boundary_that_vanishes_is_a_violation(root: str) -> None:
    other = (0, 0x80000000, 0xC0000000, 0xFFFFFFFF)
    writes = [policies(2, 2_150, AFTER, root=root), policies(3, 2_160, other, root=root)]
    (one,) = BOUNDARY_IS_NEVER_LOST.judge(scene(writes=writes)).findings
    assert one.severity == Severity.VIOLATION
    assert "0x40000000" in one.why
    assert "#1428" in one.upstream


def test_boundary_that_vanishes_before_the_end_is_a_violation() -> None:
    found = scene(writes=[policies(2, 2_150, AFTER)], boundaries={"t/n": BEFORE})
    assert len(BOUNDARY_IS_NEVER_LOST.judge(found).findings) == 1


def test_boundaries_that_only_grow_are_well() -> None:
    judged = BOUNDARY_IS_NEVER_LOST.judge(split(policies(2, 2_150, AFTER)))
    assert judged.exercised == 2
    assert not judged.findings


def test_namespace_made_anew_loses_no_boundary() -> None:
    writes = [policies(2, 2_150, AFTER), policies(3, 5_000, (), "delete"), policies(4, 6_000, BEFORE, "create")]
    assert not BOUNDARY_IS_NEVER_LOST.judge(scene(writes=writes)).findings


def test_unreadable_bundle_data_are_a_doubt() -> None:
    torn = write(2, 100, "setData", "/admin/local-policies/t/n", "0x1", '{"bundles":')
    assert len(BOUNDARY_IS_NEVER_LOST.judge(scene(writes=[torn])).doubts) == 1


def test_missing_write_is_a_doubt_and_no_violation() -> None:
    found = split(policies(2, 2_150, BEFORE)._replace(version=2), boundaries=BEFORE)
    judged = SPLIT_REACHES_THE_POLICIES.judge(found)
    assert (judged.exercised, judged.findings, len(judged.doubts)) == (0, [], 1)


def test_history_that_ends_before_the_split_is_a_doubt() -> None:
    judged = SPLIT_REACHES_THE_POLICIES.judge(split())
    assert (judged.exercised, judged.findings, len(judged.doubts)) == (0, [], 1)


@pytest.mark.parametrize("law", LAWS)
def test_law_without_occasion_is_not_exercised(law: Any) -> None:
    judged = law.judge(scene(channel=channel(message(0, 0, printed("Owned", 1, B1)))))
    assert (judged.exercised, judged.findings) == (0, [])


@pytest.mark.parametrize(
    ("name", "count"), [("split", 16), ("healthy-quiet", 3), ("metadata-store", 3), ("healthy", 0)]
)
def test_every_recorded_split_reaches_the_policies(name: str, count: int) -> None:
    judged = SPLIT_REACHES_THE_POLICIES.judge(recorded(name))
    assert (judged.exercised, judged.findings, judged.doubts) == (count, [], [])


@pytest.mark.parametrize("name", ["split", "healthy-quiet", "metadata-store", "delete-decommission", "healthy"])
def test_no_recorded_boundary_is_lost(name: str) -> None:
    judged = BOUNDARY_IS_NEVER_LOST.judge(recorded(name))
    assert judged.exercised
    assert (judged.findings, judged.doubts) == ([], [])


def test_write_removed_from_a_recording_shows_its_split_undone() -> None:
    whole = recorded("split")
    held = [one for one in whole.writes if one.path.startswith("/admin/local-policies/rig/a")]
    writes = [one for one in whole.writes if one not in held[1:]]
    found = SPLIT_REACHES_THE_POLICIES.judge(replace(whole, writes=writes)).findings
    assert found
    assert all(one.severity == Severity.VIOLATION and (one.unit or "").startswith("rig/a/") for one in found)
