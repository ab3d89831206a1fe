"""Waivers: read strictly, waive violations alone until their day, and never hide one."""

from pathlib import Path

import pytest

from tests.command_line import REAL, VALIDATOR, oneowner, refused
from tests.recordings.dumps import START, Judged, audit, dump, write

LINES = (
    "0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Owned(2) v9 forced",
    "a:0-8 Assigning(1) v1", "a:0-8 Owned(1) v2", "a:0-8 Owned(2) v8 forced",
)  # fmt: skip
"""Two gaps, in tenant/ns and in tenant/a."""

TODAY = ("--today", "2026-11-22")


def waivers(folder: Path, *rows: str) -> Path:
    path = folder / "waivers.yaml"
    path.write_text("".join(f"- {row}\n" for row in rows) or "[]\n")
    return path


def waiver(unit: str = "'*'", law: str = "version-chain", expires: str = "2026-12-31", more: str = "") -> str:
    return f"{{law: {law}, unit: {unit}, reason: known race, expires: {expires}{more}}}"


def judged(folder: Path, *rows: str, options: tuple[str, ...] = TODAY, lines: tuple[str, ...] = LINES) -> Judged:
    path = write(folder / "channel.jsonl", dump(*lines))
    found = audit(path, "--waivers", waivers(folder, *rows), *options)
    VALIDATOR.validate(found.json)
    return found


def waived(found: Judged) -> list[str]:
    return [one["unit"] for one in found.json["findings"] if "waived" in one]


NS, A = "tenant/ns/0x00000000_0x80000000", "tenant/a/0x00000000_0x80000000"
EXPIRED = "expired on 2026-12-31 and waives nothing"

CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...], int, list[str], tuple[str, ...]]] = {
    # what: waivers, options, exit code, the units whose violation is waived, words
    "waiver of all is counted in the verdict line and in the text":
        ((waiver(),), (*TODAY, "--verbose"), 0, [A, NS],
         ("waived until 2026-12-31: 2 of version-chain: known race",
          "waived, and so not counted as broken: 2 version-chain",
          "violation version-chain (waived until 2026-12-31)")),
    "waiver of a pattern leaves the others": ((waiver("tenant/ns/*"),), TODAY, 1, [NS], ()),
    "waiver of a unit leaves the others": ((waiver(NS),), TODAY, 1, [NS], ()),
    "waiver of a pattern within a name leaves the others": ((waiver("'tenant/n?/*'"),), TODAY, 1, [NS], ()),
    "waiver of another law waives nothing and can go":
        ((waiver(law="split-tiles"),), TODAY, 1, [],
         ("/waivers.yaml:1: the waiver of split-tiles for * matched no violation; it can go",)),
    "waiver that needs another unit is told so":
        ((waiver("tenant/other/*"),), TODAY, 1, [],
         ("of version-chain for tenant/other/* matched no violation, though the law is broken",)),
    "waiver counts before its day": ((waiver(),), ("--today", "2026-12-30"), 0, [A, NS], ()),
    "waiver counts on its day": ((waiver(),), ("--today", "2026-12-31"), 0, [A, NS], ()),
    "waiver counts no more after its day": ((waiver(),), ("--today", "2027-01-01"), 1, [], (EXPIRED,)),
    "expired waiver lets the next one count":
        ((waiver(expires="2020-01-01"), waiver("tenant/*")), TODAY, 0, [A, NS], ()),
    "waiver of a former day counts no more by the system's day": ((waiver(expires="2000-01-01"),), (), 1, [], ()),
    "waiver of a later day counts by the system's day": ((waiver(expires="2999-01-01"),), (), 0, [A, NS], ()),
    "waiver whose violations lie outside the range is not said to be needless":
        ((waiver(),), (*TODAY, "--time-range", "2030-01-01.."), 3, [],
         ("of version-chain for * matched no violation in the time range",)),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "options", "code", "units", "words"), CASES.values(), ids=CASES)
def test_waiver_waives_the_violations_that_it_names(
    rows: tuple[str, ...], options: tuple[str, ...], code: int, units: list[str], words: tuple[str, ...], tmp_path: Path
) -> None:
    found = judged(tmp_path, *rows, options=options)
    assert found.exit_code == code
    assert found.verdict == {0: "valid", 1: "invalid", 3: "unknown"}[code]
    assert (found.law("version-chain")["verdict"] == "valid") == (code == 0)
    assert sorted(waived(found)) == units
    assert [text for text in words if text not in found.said] == []
    assert (EXPIRED in found.said) == (EXPIRED in words)
    assert ("it can go" in found.said) == any("it can go" in text for text in words)


def test_waived_violation_is_listed_with_reason_and_day(tmp_path: Path) -> None:
    found = judged(tmp_path, waiver(more=", upstream: '#25379'"))
    assert len(found.violations) == 2
    assert {str(one["waived"]) for one in found.json["findings"] if one["severity"] == "violation"} == {
        "{'reason': 'known race (#25379)', 'expires': '2026-12-31'}"
    }
    assert f"\n{tmp_path / 'channel.jsonl'}, 2 violations waived: disturbed (valid)" in found.said
    assert found.json["runs"][0]["waived"] == {"version-chain": 2}
    assert found.json["runs"][0]["violations"] == {}


def test_what_is_unknown_cannot_be_waived(tmp_path: Path) -> None:
    found = judged(tmp_path, waiver(), options=(*TODAY, "--partial"))
    assert found.exit_code == 3
    assert waived(found) == []
    path = write(tmp_path / "channel.jsonl", dump(*LINES))
    path.write_text(path.read_text() + "{}\n")
    assert audit(path, "--waivers", tmp_path / "waivers.yaml", *TODAY).exit_code == 2


def test_hand_over_stuck_to_the_end_of_the_dump_can_be_waived(tmp_path: Path) -> None:
    lines = ("0-8 Assigning(1) v1", "a:0-8 Assigning(1) v1 @900")
    assert judged(tmp_path, lines=lines).exit_code == 1
    found = judged(tmp_path, waiver(law="stuck-in-flight"), lines=lines)
    assert found.exit_code == 0
    assert waived(found) == ["tenant/ns/0x00000000_0x80000000"]


def test_law_of_evidence_can_be_waived(tmp_path: Path) -> None:
    plain = audit(REAL / "leader-hang", "--engine", "inline")
    assert plain.law("role-is-taken")["verdict"] == "invalid"
    found = audit(
        REAL / "leader-hang", "--engine", "inline", "--waivers", waivers(tmp_path, waiver(law="role-is-taken")), *TODAY
    )
    assert found.law("role-is-taken")["verdict"] == "valid"
    assert len(found.json["findings"]) == len(plain.json["findings"])


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_waives_what_inline_waives_in_a_part_of_the_time(tmp_path: Path) -> None:
    later = f"{START + 3_000}.."  # after the gap of tenant/ns
    inline, spark = (
        judged(tmp_path, waiver("tenant/a/*"), options=(*TODAY, "--time-range", later, "--engine", engine))
        for engine in ("inline", "spark")
    )
    assert {**inline.json, "stats": 0} == {**spark.json, "stats": 0}
    assert (waived(inline), len(inline.violations)) == ([A], 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("law: version-chain\n", [":1:", "it is a list"]),
        ("- just words\n", [":1:", "it is a mapping with the keys law, unit, reason, expires"]),
        ("- {law: version-chain, unit: '*', expires: 2027-01-01}\n", [":1:", "the key reason is missing"]),
        ("- {law: version-chain, unit: '*', reason: known}\n", [":1:", "the key expires is missing"]),
        ("- {law: version-chain, reason: known, expires: 2027-01-01}\n", [":1:", "the key unit is missing"]),
        ("- law: version-chain\n  unit: '*'\n  reason: ''\n  expires: 2027-01-01\n", [":3:", "it is not empty"]),
        ("- law: version-chain\n  unit: '*'\n  reason: known\n  expires: soon\n", [":4:", "soon", "2027-03-31"]),
        ("- law: version-chain\n  unit: '*'\n  reason: known\n  expires: '2027-02-30'\n", [":4:", "2027-02-30"]),
        ("- law: version-chain\n  unit: '*'\n  reason: known\n  expires: 2027-01-01 10:00:00\n", [":4:", "a day"]),
        ("- law: version-chian\n  unit: a\n  reason: k\n  expires: 2027-01-01\n", [":1:", "mean version-chain"]),
        ("- law: version-chain\n  unit: 7\n  reason: k\n  expires: 2027-01-01\n", [":2:", "it is a text"]),
        ("- law: version-chain\n  unit: '*'\n  until: 1\n  reason: k\n", [":3:", "no such key: until"]),
        ("- {law: version-chain\n", ["not YAML"]),
    ],
)  # fmt: skip
def test_waiver_file_is_refused_with_file_and_line(tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "waivers.yaml"
    path.write_text(text)
    dumped = write(tmp_path / "channel.jsonl", dump(*LINES))
    refused(oneowner("audit", dumped, "--waivers", path), path, *words)


def test_missing_waiver_file_and_odd_days_are_misuse(tmp_path: Path) -> None:
    dumped = write(tmp_path / "channel.jsonl", dump(*LINES))
    refused(oneowner("audit", dumped, "--waivers", tmp_path / "none.yaml"), "no such file")
    refused(oneowner("audit", dumped, "--today", "2026-11-22"), "--today requires --waivers")
    found = oneowner("audit", dumped, "--waivers", waivers(tmp_path), "--today", "tomorrow")
    refused(found, "day refused: tomorrow", "2026-11-22")
