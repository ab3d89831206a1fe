"""Every law of a channel dump, on the smallest dumps that keep it, break it, or give it no occasion."""

from pathlib import Path

import pytest

from tests.recordings.dumps import START, audit, dump, judged, range_of, write

TAKEN = ("0-8 Assigning(1) v1", "0-8 Owned(1) v2")
RELEASED = (*TAKEN, "0-8 Releasing(from 1) v3", "0-8 Free(from 1) v4")
SPLIT = ("0-8 Owned(1) v1", "0-8 Splitting(from 1) v2 split 0-4 4-8", "0-4 Owned(1) v1", "4-8 Owned(1) v1")
SPLIT_AWAY = (*SPLIT, "0-8 Deleted(from 1) v3", "0-8 -")
GIVEN_UP = (*SPLIT_AWAY, "0-4 Releasing(from 1) v2", "0-4 Free(from 1) v3", "4-8 Releasing(from 1) v2")
MAX, MIN = 2**63 - 1, -(2**63)

HANDED_OVER = (*TAKEN, "0-8 Releasing(2, from 1) v3", "0-8 Assigning(2, from 1) v4")

Lines = tuple[str, ...]

HOLDS: dict[str, dict[str, Lines]] = {
    "tombstone-of-active": {
        "Free": (*RELEASED, "0-8 -"),
        "Deleted": SPLIT_AWAY,
        "no entry, after one": (*RELEASED, "0-8 -", "0-8 -"),
    },
    "version-chain": {
        "the next": TAKEN,
        "the wrap": (f"0-8 Assigning(1) v{MAX}", f"0-8 Owned(1) v{MIN}"),
        "forced": (*TAKEN, "0-8 Owned(2, from 1) v3 forced"),
    },
    "overlapping-owners": {
        "one owner of both": ("0-8 Owned(1) v1", "0-4 Owned(1) v1"),
        "neighbours that only touch": ("0-4 Owned(1) v1", "4-8 Owned(2) v1"),
        "another namespace": ("a:0-8 Owned(1) v1", "b:0-4 Owned(2) v1"),
        "the other one is handed over": ("0-8 Owned(1) v1", "0-8 Releasing(from 1) v2", "0-4 Owned(2) v1"),
        "the other one is gone": (*SPLIT_AWAY, "4-8 Owned(2, from 1) v2 forced"),
        "the same unit moves": ("0-8 Owned(1) v1", "0-8 Owned(2, from 1) v2 forced"),
    },
    "parent-revived": {
        "the children are given up": (*GIVEN_UP, "4-8 Free(from 1) v3", "0-8 Assigning(2) v1"),
        "a child is Free, the other tombstoned": (*GIVEN_UP, "4-8 Free(from 1) v3", "4-8 -", "0-8 Owned(2) v1 forced"),
    },
    "split-tiles": {
        "in order": SPLIT,
        "the upper child first": ("0-8 Owned(1) v1", "0-8 Splitting(from 1) v2 split 4-8 0-4"),
        "not in the middle": ("0-8 Owned(1) v1", "0-8 Splitting(from 1) v2 split 0-00000001 00000001-8"),
        "up to the end of the ring": ("8-end Owned(1) v1", "8-end Splitting(from 1) v2 split 8-c c-end"),
    },
    "children-before-deleted": {
        "both are owned": SPLIT_AWAY,
        "one came before the Splitting": ("0-4 Owned(1) v1", *SPLIT[:2], *SPLIT[3:], "0-8 Deleted(from 1) v3"),
        "one is gone again": (*SPLIT, "4-8 Releasing(from 1) v2", "4-8 Free(from 1) v3", "4-8 -", *SPLIT_AWAY[4:]),
    },
    "given-back-by-force": {
        "another broker is chosen": (*HANDED_OVER, "0-8 Owned(3, from 1) v5 forced"),
        "the destination itself is chosen": (*HANDED_OVER, "0-8 Owned(2, from 1) v5 forced"),
        "it comes back later": (*HANDED_OVER, "0-8 Owned(2, from 1) v5 forced", "0-8 Owned(1, from 2) v6 forced"),
    },
    "stuck-in-flight": {
        "in time": (*TAKEN, "0-8 Releasing(from 1) v3 @10", "0-8 Free(from 1) v4 @130"),
        "each state has its own time": (
            "0-8 Releasing(2, from 1) v3", "0-8 Assigning(2, from 1) v4 @119", "0-8 Owned(2, from 1) v5 @239",
        ),
        "the clock goes back": ("0-8 Assigning(1) v1 @500", "0-8 Owned(1) v2 @1"),
    },
}  # fmt: skip

WRONG_CHILDREN = {
    "a hole": " split 0-4 5-8", "an overlap": " split 0-5 4-8", "three children": " split 0-2 2-4 4-8",
    "one child": " split 0-8", "no child": " split", "no map": "", "an empty child": " split 0-0 0-8",
    "beyond the parent": " split 0-4 4-9", "another parent": " split 0-8 8-c",
}  # fmt: skip

BROKEN: dict[str, dict[str, tuple[Lines, list[str]]]] = {
    "tombstone-of-active": {
        "Assigning": (("0-8 Assigning(1) v1", "0-8 -"), ["0:1"]),
        "Owned": (("0-8 Owned(1) v1", "0-8 -"), ["0:1"]),
        "Releasing": (("0-8 Releasing(from 1) v1", "0-8 -"), ["0:1"]),
        "Splitting": (("0-8 Splitting(from 1) v1 split 0-4 4-8", "0-8 -"), ["0:1"]),
        "once a time": (("0-8 Owned(1) v1", "0-8 -", "0-8 Owned(1) v7", "0-8 -"), ["0:1", "0:3"]),
    },
    "version-chain": {
        "a gap": (("0-8 Assigning(1) v1", "0-8 Owned(1) v3"), ["0:1"]),
        "a gap, forced": (("0-8 Owned(1) v1", "0-8 Owned(2, from 1) v9 forced"), ["0:1"]),
        "a gap that the tables forbid too": (("0-8 Owned(1) v1", "0-8 Owned(2) v3"), ["0:1"]),
        "a gap behind a second record of a dump that begins late": (
            ("0-8 Owned(1) v10", "0-8 Releasing(2, from 1) v11", "0-8 Owned(2) v13"),
            ["0:2"],
        ),
        "a jump over the end": ((f"0-8 Assigning(1) v{MIN}", f"0-8 Owned(1) v{MAX}"), ["0:1"]),
    },
    "overlapping-owners": {
        "a part": (("0-8 Owned(1) v1", "0-4 Owned(2) v1"), ["0:1"]),
        "a part by its last hash": (("0-8 Owned(1) v1", "7fffffff-c Owned(2) v1"), ["0:1"]),
        "the whole": (("8-c Owned(1) v1", "0-end Owned(2) v1"), ["0:1"]),
        "forced": (("0-8 Owned(1) v1", "4-c Owned(2) v1 forced"), ["0:1"]),
        "Splitting": (("0-4 Owned(1) v1", "0-8 Splitting(from 2) v1 split 0-4 4-8"), ["0:1"]),
        "against Splitting": (("0-8 Splitting(from 2) v1 split 0-4 4-8", "0-4 Owned(1) v1"), ["0:1"]),
        "two others": (("0-4 Owned(1) v1", "4-8 Owned(2) v1", "0-8 Owned(3) v1"), ["0:2", "0:2"]),
        "one of two others": (("0-4 Owned(1) v1", "4-8 Owned(2) v1", "0-8 Owned(1) v1"), ["0:2"]),
        "by a forced move": (("0-8 Owned(1) v1", "0-4 Owned(1) v1", "0-4 Owned(2, from 1) v2 forced"), ["0:2"]),
    },
    "parent-revived": {
        "Assigning": ((*SPLIT_AWAY, "0-8 Assigning(1) v1"), ["0:6"]),
        "without the tombstone": ((*SPLIT_AWAY[:-1], "0-8 Assigning(1) v4 forced"), ["0:5"]),
        "Owned, forced": ((*SPLIT_AWAY, "0-8 Owned(1) v1 forced"), ["0:6"]),
        "Releasing": ((*SPLIT_AWAY, "0-8 Releasing(from 1) v1"), ["0:6"]),
        "Splitting": ((*SPLIT_AWAY, "0-8 Splitting(from 1) v1 split 0-4 4-8"), ["0:6"]),
        "one child is being released": ((*GIVEN_UP, "0-8 Assigning(2) v1"), ["0:9"]),
    },
    "split-tiles": {
        **{
            name: (("0-8 Owned(1) v1", f"0-8 Splitting(from 1) v2{children}"), ["0:1"])
            for name, children in WRONG_CHILDREN.items()
        },
        "forced": (("0-8 Owned(1) v1", "0-8 Splitting(2, from 1) v2 forced split 0-4 5-8"), ["0:1"]),
    },
    "children-before-deleted": {
        "the upper child": ((*SPLIT[:3], "0-8 Deleted(from 1) v3"), ["0:3"]),
        "both": ((*SPLIT[:2], "0-8 Deleted(from 1) v3"), ["0:2"]),
        "forced": ((*SPLIT[:3], "0-8 Deleted(1) v3 forced"), ["0:3"]),
        "it came, but was refused": ((*SPLIT[:3], "4-8 Init(1) v1", "0-8 Deleted(from 1) v3"), ["0:4"]),
        "it came too late": ((*SPLIT[:3], "0-8 Deleted(from 1) v3", "4-8 Owned(1) v1"), ["0:3"]),
    },
    "given-back-by-force": {
        "to the source": ((*HANDED_OVER, "0-8 Owned(1) v5 forced"), ["0:4"]),
        "with a source, which closes nothing at its destination": (
            (*HANDED_OVER, "0-8 Owned(1, from 2) v5 forced"), ["0:4"],
        ),
        "after a shutdown's Releasing": (
            (*TAKEN, "0-8 Releasing(2, from 1) v3 forced", *HANDED_OVER[3:], "0-8 Owned(1) v5 forced"), ["0:4"],
        ),
        "twice": (
            (*HANDED_OVER, "0-8 Owned(1) v5 forced", "0-8 Releasing(2, from 1) v6", "0-8 Assigning(2, from 1) v7",
             "0-8 Owned(1) v8 forced"), ["0:4", "0:7"],
        ),
    },
    "stuck-in-flight": {
        "Assigning": (("0-8 Assigning(1) v1", "0-8 Owned(1) v2 @120.001"), ["0:0"]),
        "Releasing": (("0-8 Releasing(from 1) v3", "0-8 Free(from 1) v4 @120.001"), ["0:0"]),
        "Splitting": ((*SPLIT, "0-8 Deleted(from 1) v3 @121.001"), ["0:1"]),
        "to the end of the dump": (("0-8 Assigning(1) v1", "a:0-8 Owned(1) v1 @120.001"), ["0:0"]),
        "a refused record changes nothing": (
            ("0-8 Assigning(1) v1", "0-8 Owned(2) v2 @60", "0-8 Owned(1) v2 @120.001"), ["0:0"],
        ),
        "a tombstone comes too late": (("0-8 Assigning(1) v1", "0-8 - @120.001"), ["0:0"]),
        "a forced record comes too late": (
            ("0-8 Assigning(1) v1", "0-8 Owned(2, from 1) v2 forced @120.001"), ["0:0"],
        ),
    },
}  # fmt: skip

NO_OCCASION: dict[str, dict[str, Lines]] = {
    "tombstone-of-active": {"no tombstone": TAKEN, "no entry": ("0-8 -",)},
    "version-chain": {
        "first records": ("0-8 Owned(1) v1", "8-c Owned(2) v7"),
        "after a tombstone": ("0-8 Free(from 1) v4", "0-8 -", "0-8 Assigning(1) v9"),
        "a refused one": ("0-8 Owned(1) v1", "0-8 Owned(2) v1"),
    },
    "overlapping-owners": {"nobody owns": ("0-8 Assigning(1) v1", "0-4 Assigning(2) v1")},
    "parent-revived": {
        "nothing revives": SPLIT_AWAY,
        "a refused one": (*SPLIT_AWAY[:-1], "0-8 Assigning(1) v3"),
        "an Init": (*SPLIT_AWAY[:-1], "0-8 Init(1) v4"),
    },
    "split-tiles": {
        "no split": TAKEN,
        "a refused one": ("0-8 Owned(1) v1", "0-8 Splitting(from 2) v2 split 0-4 5-8"),
    },
    "children-before-deleted": {
        "nothing is deleted": SPLIT,
        "a split before the dump": ("0-8 Deleted(from 1) v3",),
        "a refused one": (*SPLIT[:2], "0-8 Deleted(from 2) v3"),
    },
    "given-back-by-force": {
        "an assignment of a lookup, which has no source": (TAKEN[0], "0-8 Owned(1) v2 forced"),
        "the source had not closed yet": (*HANDED_OVER[:3], "0-8 Owned(1) v4 forced"),
        "an Assigning that others forced": (
            *HANDED_OVER[:3],
            "0-8 Assigning(2, from 1) v4 forced",
            "0-8 Owned(1) v5 forced",
        ),
        "the destination takes it": (*HANDED_OVER, "0-8 Owned(2, from 1) v5"),
        "a refused one": (*HANDED_OVER, "0-8 Owned(1) v4 forced"),
    },
    "stuck-in-flight": {"nothing in flight": ("0-8 Owned(1) v1", "4-c Owned(1) v1 @500")},
}


def cases(table: dict[str, dict[str, Lines]]) -> list[object]:
    return [
        pytest.param(law, lines, id=f"{law}-{name.replace(' ', '_')}")
        for law, dumps in table.items()
        for name, lines in dumps.items()
    ]


@pytest.mark.parametrize(("law", "lines"), cases(HOLDS))
def test_law_holds_and_was_put_to_the_test(law: str, lines: Lines, tmp_path: Path) -> None:
    found = judged(tmp_path, lines)
    assert found.law(law)["verdict"] == "valid"
    assert found.exercised(law) > 0
    assert (found.verdict, found.exit_code, found.violations) == ("valid", 0, [])


@pytest.mark.parametrize(
    ("law", "lines", "at"),
    [
        pytest.param(law, lines, at, id=f"{law}-{name.replace(' ', '_')}")
        for law, dumps in BROKEN.items()
        for name, (lines, at) in dumps.items()
    ],
)
def test_law_is_broken_by_the_record_that_breaks_it(law: str, lines: Lines, at: list[str], tmp_path: Path) -> None:
    found = judged(tmp_path, lines)
    assert [message for name, message in found.violations if name == law] == at
    assert found.law(law)["verdict"] == "invalid"
    assert found.exercised(law) > 0
    assert (found.verdict, found.exit_code) == ("invalid", 1)
    assert any(law in reason for reason in found.json["reasons"])


@pytest.mark.parametrize(("law", "lines"), cases(NO_OCCASION))
def test_law_without_an_occasion_is_unknown(law: str, lines: Lines, tmp_path: Path) -> None:
    found = judged(tmp_path, lines)
    assert found.law(law)["verdict"] == "unknown"
    assert found.exercised(law) == 0
    assert law not in dict(found.violations)


def test_tombstone_of_active_names_the_forced_free_that_it_is_of(tmp_path: Path) -> None:
    found = judged(tmp_path, (*TAKEN, "0-8 Free(from 1) v3 forced", "0-8 Assigning(2) v4", "0-8 Owned(2) v5", "0-8 -"))
    assert found.violations == [("tombstone-of-active", "0:5")]
    assert "it is that of Free(from b1) v3 forced (0:2), which b1 writes" in found.json["findings"][0]["why"]


@pytest.mark.parametrize(
    "lines",
    [
        (*RELEASED, "0-8 Assigning(2) v5", "0-8 -"),
        (*TAKEN, "0-8 Free(from 1) v3 forced", "0-8 -", "0-8 Assigning(2) v1", "0-8 -"),
    ],
    ids=["a Free that nobody forced", "a forced Free that has had its tombstone"],
)
def test_tombstone_of_active_names_no_forced_free_that_it_is_not_of(lines: Lines, tmp_path: Path) -> None:
    found = judged(tmp_path, lines)
    assert [law for law, _ in found.violations] == ["tombstone-of-active"]
    assert "it is that of" not in found.json["findings"][0]["why"]


@pytest.mark.parametrize(
    ("manifest", "severity"),
    [
        ("versions: {pulsar: 4.0.6}", "violation"),
        ("config_base: {loadBalancerMultiPhaseBundleUnload: 'true'}", "violation"),
        ("config_base: {loadBalancerMultiPhaseBundleUnload: 'false'}", "warning"),
        ("versions: {pulsar: 3.0.4}", "warning"),
    ],
)
def test_given_back_by_force_only_warns_where_the_source_closes_whole(
    manifest: str, severity: str, tmp_path: Path
) -> None:
    (tmp_path / "manifest.yaml").write_text(manifest)
    write(tmp_path / "channel.jsonl", dump(*HANDED_OVER, "0-8 Owned(1) v5 forced"))
    (finding,) = audit(tmp_path).json["findings"]
    assert (finding["law"], finding["severity"]) == ("given-back-by-force", severity)


def test_stuck_in_flight_ends_with_a_tombstone(tmp_path: Path) -> None:
    found = judged(tmp_path, ("0-8 Assigning(1) v1", "0-8 - @1", "4-c Owned(1) v1 @500"))
    assert found.law("stuck-in-flight")["verdict"] == "valid"
    assert found.violations == [("tombstone-of-active", "0:1")]


def test_stuck_in_flight_is_not_broken_where_the_dump_ends_at_the_limit(tmp_path: Path) -> None:
    found = judged(tmp_path, ("0-8 Assigning(1) v1", "a:0-8 Owned(1) v1 @120"))
    assert (found.exit_code, found.violations) == (0, [])


def test_split_tiles_is_broken_by_children_that_are_no_ranges(tmp_path: Path) -> None:
    messages = dump(*SPLIT[:2])
    messages[1]["value"]["splitServiceUnitToDestBroker"] = {"left": None, "0x40000000_0x80000000": "b2"}
    found = audit(write(tmp_path / "channel.jsonl", messages))
    assert found.violations == [("split-tiles", "0:1")]
    assert "left" in found.json["findings"][0]["why"]


def test_split_tiles_reads_ranges_as_numbers(tmp_path: Path) -> None:
    messages = dump("8-end Owned(1) v1", "8-end Splitting(from 1) v2 split 8-c c-end")
    split = messages[1]["value"]["splitServiceUnitToDestBroker"]
    messages[1]["value"]["splitServiceUnitToDestBroker"] = {text.upper().replace("X", "x"): None for text in split}
    found = audit(write(tmp_path / "channel.jsonl", messages))
    assert found.law("split-tiles")["verdict"] == "valid"


def test_overlap_has_one_finding_per_other_unit(tmp_path: Path) -> None:
    owned = [f"{digit:x}-{digit + 1:x} Owned({digit % 3 + 1}) v1" for digit in range(15)]
    found = judged(tmp_path, (*owned, "0-end Owned(1) v1"))
    assert found.violations == [("overlapping-owners", "0:15")] * 10
    rivals = [(finding["brokers"], finding["why"]) for finding in found.json["findings"]]
    for digit in (digit for digit in range(15) if digit % 3 != 0):
        words = range_of(f"{digit:x}-{digit + 1:x}")
        assert [set(brokers) for brokers, why in rivals if words in why] == [{"b1", f"b{digit % 3 + 1}"}]


def test_finding_shows_what_was_held_and_what_was_proposed(tmp_path: Path) -> None:
    found = judged(tmp_path, ("0-8 Assigning(1) v1", "0-8 Owned(2, from 1) v3 forced"))
    (finding,) = found.json["findings"]
    assert finding == {
        "law": "version-chain",
        "severity": "violation",
        "unit": "tenant/ns/0x00000000_0x80000000",
        "at": {"file": str(tmp_path / "channel.jsonl"), "line": 2, "messageId": "0:1", "time": START + 1000},
        "brokers": finding["brokers"],
        "why": finding["why"],
        "held": {"state": "Assigning", "dstBroker": "b1", "force": False, "versionId": 1},
        "proposed": {"state": "Owned", "dstBroker": "b2", "sourceBroker": "b1", "force": True, "versionId": 3},
        "guard": finding["guard"],
        "repair": finding["repair"],
        "bug": None,
        "upstream": "no known bug is recognised in it",
    }
    assert set(finding["brokers"]) == {"b1", "b2"}


def test_tables_cover_every_law_that_a_dump_is_judged_by(tmp_path: Path) -> None:
    laws = {row["law"] for row in judged(tmp_path, TAKEN).json["laws"]}
    assert laws == HOLDS.keys() == BROKEN.keys() == NO_OCCASION.keys()
    assert len(laws) == 8


@pytest.mark.parametrize(
    ("law", "lines"),
    [
        ("version-chain", ("0-8 Releasing(2, from 1) v3", "0-8 Owned(3, from 1) v5")),
        ("tombstone-of-active", ("0-8 Owned(1) v7", "0-8 -")),
        ("overlapping-owners", ("0-4 Owned(1) v1", "0-8 Owned(2) v7")),
    ],
)
def test_first_record_of_a_dump_that_begins_late_may_have_been_refused(law: str, lines: Lines, tmp_path: Path) -> None:
    found = judged(tmp_path, lines)
    assert (found.verdict, found.violations) == ("unknown", [])
    assert law in [finding["law"] for finding in found.json["findings"] if finding["severity"] == "warning"]
    assert "1 findings are about first records of a dump that begins too late" in " ".join(found.json["reasons"])


def test_split_that_is_done_again_in_a_dump_that_begins_late_has_its_children_before(tmp_path: Path) -> None:
    again = ("0-8 Splitting(from 1) v4 forced split 0-4 4-8", "0-8 Splitting(from 2) v5 forced split 0-4 4-8")
    found = judged(tmp_path, (*again, "0-8 Deleted(from 2) v6"))
    assert (found.violations, found.exercised("children-before-deleted")) == ([], 0)
