"""Laws of splits."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.laws.answers.splits import splits
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.cases import LAWS, Case, case, each, violation, warning
from tests.recordings.laws.crafted import B1, UNIT, channel, message, printed, scene, write
from tests.recordings.laws.recorded import recorded

REACHES, NEVER_LOST = "split-reaches-the-policies", "boundary-is-never-lost"
LOW, HIGH = "0x00000000_0x40000000", "0x40000000_0x80000000"
BEFORE, AFTER = (0, 0x80000000, 0xFFFFFFFF), (0, 0x40000000, 0x80000000, 0xFFFFFFFF)
OTHER_CUT = (0, 0x80000000, 0xC0000000, 0xFFFFFFFF)

RECORDS = (
    message(0, 1_000, printed("Owned", 2, B1)),
    message(1, 2_000, printed("Splitting", 3, "", B1)._replace(children=(HIGH, LOW))),
    message(2, 2_100, printed("Owned", 1, B1), f"t/n/{LOW}"),
    message(3, 2_100, printed("Owned", 1, B1), f"t/n/{HIGH}"),
    message(4, 2_200, printed("Deleted", 4, "", B1)),
)
"""A unit is split in two."""


def policies(time: int, cuts: tuple[int, ...], op: str = "setData", root: str = "local-policies") -> NodeWrite:
    """The boundaries of the namespace's bundles are written, or its node is deleted."""
    data = json.dumps({"bundles": {"boundaries": [f"0x{cut:08x}" for cut in cuts], "numBundles": len(cuts) - 1}})
    return write(time, time, op, f"/admin/{root}/t/n", "0x1", "" if op == "delete" else data)


def split(
    *writes: NodeWrite, boundaries: tuple[int, ...] = AFTER, records: tuple[Message, ...] = RECORDS
) -> Scene:  # fmt: skip
    """*boundaries* are those in the end."""
    begin = policies(100, BEFORE, "create")
    return scene(channel=channel(*records), writes=[begin, *writes], boundaries={"t/n": boundaries})


def begun_late(*writes: NodeWrite) -> Scene:
    """A history that does not have how the node was made."""
    return scene(channel=channel(*RECORDS), writes=[*writes, LATER], boundaries={"t/n": AFTER})


def namespace_with(*writes: NodeWrite, **fields: object) -> Scene:
    """Records of a namespace that the channel does not mention."""
    return scene(writes=list(writes), **fields)


LATER = write(99_000, 99_000, "createSession", session="0x9")
"""The history goes on."""
IN_TIME = policies(2_150, AFTER)
MADE_ANEW = policies(5_000, (), "delete"), policies(6_000, BEFORE, "create")
TORN = write(2, 100, "setData", "/admin/local-policies/t/n", "0x1", '{"bundles":')
OWNED_ALONE = scene(channel=channel(message(0, 0, printed("Owned", 1, B1))))

CASES = {
    # split-reaches-the-policies
    "split whose boundary is written first is well": case(REACHES, split(IN_TIME, LATER), occasions=1),
    "split without its boundary is a violation":
        case(REACHES, split(LATER, boundaries=BEFORE), violation(unit=UNIT, at="0:4", why="never written")),
    "boundary written after Deleted is a violation":
        case(REACHES, split(policies(9_000, AFTER)), violation(why="only later")),
    "boundary that may have been written before the history begins is a doubt":
        case(REACHES, begun_late(policies(9_000, AFTER)), occasions=0, doubts="history begins after"),
    "boundary written after the history began late and after Deleted is a violation":
        case(REACHES, begun_late(policies(9_000, BEFORE), policies(9_500, AFTER)), violation(why="only later")),
    "boundary missing at the end is a warning": case(REACHES, split(IN_TIME, LATER, boundaries=BEFORE), warning()),
    "split that is not done is a warning if its children are there":
        case(REACHES, split(LATER, boundaries=BEFORE, records=RECORDS[:-1]), warning()),
    "split is broken by the last boundaries without history":
        case(REACHES, scene(channel=channel(*RECORDS), boundaries={"t/n": BEFORE}), violation()),
    "split is well by the last boundaries without history":
        case(REACHES, scene(channel=channel(*RECORDS), boundaries={"t/n": AFTER})),
    "split is not broken by boundaries that were asked for before it":
        case(REACHES, scene(channel=channel(*RECORDS), boundaries={"t/n": BEFORE}, bounded_at=2_199), occasions=0,
             doubts="no bundle data of its namespace"),
    "split is broken by boundaries that were asked for after it":
        case(REACHES, scene(channel=channel(*RECORDS), boundaries={"t/n": BEFORE}, bounded_at=2_201), violation()),
    "split without any bundle data is a doubt": case(REACHES, scene(channel=channel(*RECORDS)), occasions=0, doubts=1),
    "namespace deleted after its split is well": case(REACHES, split(IN_TIME, *MADE_ANEW, boundaries=BEFORE)),
    "missing write is a doubt and no violation":
        case(REACHES, split(policies(2_150, BEFORE)._replace(version=2), boundaries=BEFORE), occasions=0, doubts=1),
    "history that ends before the split is a doubt": case(REACHES, split(), occasions=0, doubts=1),
    "unit that is only owned is no split": case(REACHES, OWNED_ALONE, occasions=0),
    # boundary-is-never-lost
    **{f"boundary that vanishes from {root} is a violation":
        case(NEVER_LOST, namespace_with(policies(2_150, AFTER, root=root), policies(2_160, OTHER_CUT, root=root)),
             violation(why="0x40000000", symptom=None))
       for root in ("local-policies", "policies")},
    "boundary that vanishes before the end is a violation":
        case(NEVER_LOST, namespace_with(IN_TIME, boundaries={"t/n": BEFORE}), violation()),
    "boundary that was written after the last boundaries were asked for is not lost":
        case(NEVER_LOST, occasions=1, given=namespace_with(
                 policies(100, BEFORE, "create"), IN_TIME, boundaries={"t/n": BEFORE}, bounded_at=2_000
             )),
    "boundaries that only grow are well": case(NEVER_LOST, split(IN_TIME), occasions=2),
    "namespace made anew loses no boundary": case(NEVER_LOST, namespace_with(IN_TIME, *MADE_ANEW)),
    "unreadable bundle data are a doubt": case(NEVER_LOST, namespace_with(TORN), occasions=0, doubts=1),
    "namespace without bundle data loses none": case(NEVER_LOST, OWNED_ALONE, occasions=0),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ('{"before": {"t": 5, "namespaces": {}}, "after": {"t": 9, "namespaces": %s}}', 9),
        ('{"before": {"t": 5, "namespaces": %s}}', 5),
        ('{"before": {"namespaces": %s}}', 0),
        ('{"after": {"namespaces": %s}}', None),
    ],
)
def test_boundaries_are_of_when_they_were_asked_for(text: str, time: int | None, tmp_path: Path) -> None:
    (tmp_path / "bundles.json").write_text(text % '{"t/n": {"boundaries": ["0x00000000", "0xffffffff"]}}')
    found, _ = gather(find_runs([str(tmp_path)], Options())[0], Options())
    assert (found.boundaries, found.bounded_at) == ({"t/n": (0, 0xFFFFFFFF)}, time)


@each(CASES)
def test_split_is_judged_by_the_boundaries_that_are_written(case: Case) -> None:
    case.check()


def test_split_is_found_with_its_children_and_its_end() -> None:
    [one] = splits(split())
    assert (one.unit.key, one.cut, one.deleted is not None) == (UNIT, frozenset({0x40000000}), True)


def test_write_removed_from_a_recording_shows_its_split_undone() -> None:
    whole = recorded("split")
    held = [one for one in whole.writes if one.path.startswith("/admin/local-policies/rig/a")]
    writes = [one for one in whole.writes if one not in held[1:]]
    found = LAWS[REACHES].judge(replace(whole, writes=writes)).findings
    assert found
    assert all(one.severity == Severity.VIOLATION and (one.unit or "").startswith("rig/a/") for one in found)
