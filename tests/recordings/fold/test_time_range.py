"""A time range: records outside are neither printed nor judged, but the history is read from its start."""

from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.channel_laws import laws_of
from oneowner.checkers.recordings.fold.time_range import Scope
from oneowner.checkers.times import iso
from tests.command_line import REAL, oneowner, refused
from tests.recordings.dumps import START, Judged, audit, dump, run, write

LINES = (
    "0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 Owned(2) v9 forced",
    "0-8 Owned(3) v20 forced @100", "a:0-8 Assigning(1) v1 @101", "a:0-8 Owned(1) v2", "a:0-8 Assigning(2) v2",
)  # fmt: skip
"""Gaps at second 2 and at second 100; a lost race at second 103."""


def at(second: float) -> int:
    return START + round(second * 1000)


def judged(folder: Path, since: object, until: object, *lines: str) -> Judged:
    path = write(folder / "channel.jsonl", dump(*(lines or LINES)))
    return audit(path, "--time-range", f"{since}..{until}")


def times(found: Judged) -> list[int]:
    return [(one["at"]["time"] - START) // 1000 for one in found.json["findings"] if one["severity"] == "violation"]


def test_findings_outside_the_range_are_not_shown(tmp_path: Path) -> None:
    assert times(judged(tmp_path, "", at(1000))) == [2, 100]
    assert times(judged(tmp_path, at(50), "")) == [100]
    assert times(judged(tmp_path, "", at(50))) == [2]
    assert times(judged(tmp_path, iso(at(2)), iso(at(2)))) == [2]
    assert times(judged(tmp_path, at(3), at(99))) == []


def test_verdict_speaks_of_the_range_and_says_so(tmp_path: Path) -> None:
    found = judged(tmp_path, at(101), "")
    assert found.exit_code == 0
    assert found.json["reasons"] == [
        f"{tmp_path / 'channel.jsonl'}: judged from {iso(at(101))} on alone, though read from its start"
    ]
    broken = judged(tmp_path, at(50), at(100))
    assert broken.exit_code == 1
    assert f"from {iso(at(50))} to {iso(at(100))} alone" in broken.json["reasons"][-1]


def test_history_is_read_from_its_start(tmp_path: Path) -> None:
    """Seen alone, the second half would begin with a record that replaces nothing; and all is counted as read."""
    found = judged(tmp_path, at(50), "")
    assert found.violations == [("version-chain", "0:3")]
    assert found.json["findings"][0]["held"]["versionId"] == 9
    assert found.json["stats"]["events"] == 7


def test_range_without_occasion_is_unknown(tmp_path: Path) -> None:
    found = judged(tmp_path, at(3), at(99))
    assert found.exit_code == 3
    assert any("no law was exercised" in reason for reason in found.json["reasons"])
    assert {found.exercised(law.name) for law in laws_of(is_history=False)} == {0}


def test_occasions_of_two_halves_add_up_to_those_of_the_whole() -> None:
    path = REAL / "transfer" / "channel.jsonl.gz"
    middle = 1795218660000
    whole, first, second = (audit(path, *more) for more in (
        (), ("--time-range", f"..{middle}"), ("--time-range", f"{middle + 1}.."),
    ))  # fmt: skip
    assert 0 < first.exercised("version-chain") < whole.exercised("version-chain")
    for law in ("version-chain", "overlapping-owners"):
        assert first.exercised(law) + second.exercised(law) == whole.exercised(law)
    assert len(first.refused) + len(second.refused) == len(whole.refused)
    assert 0 < len(second.refused) < len(whole.refused)


def test_hand_over_that_lasts_into_the_range_is_shown(tmp_path: Path) -> None:
    lines = ("0-8 Assigning(1) v1", "0-8 Owned(1) v2 @500", "a:0-8 Assigning(1) v1 @600", "b:0-8 Owned(1) v2 @900")
    found = judged(tmp_path, at(400), at(450), *lines)
    assert found.violations == [("stuck-in-flight", "0:0")]
    to_the_end = judged(tmp_path, at(850), "", *lines)
    assert to_the_end.violations == [("stuck-in-flight", "0:2")]
    assert judged(tmp_path, at(510), at(590), *lines).violations == []


def test_refusals_outside_the_range_are_not_listed_but_counted(tmp_path: Path) -> None:
    assert judged(tmp_path, at(50), "").refused == [("0:6", "version")]
    early = judged(tmp_path, "", at(50))
    assert early.refused == []
    assert early.json["stats"]["refused"] == 1


def test_damage_is_said_whatever_the_range(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump(*LINES))
    path.write_text(path.read_text() + "no json\n" + path.read_text())
    found = audit(path, "--time-range", f"{at(5000)}..")
    assert found.exit_code == 2
    assert {law for law, _ in found.findings("warning")} == {"readable-input", "message-order"}


def test_timeline_shows_the_intervals_that_touch_the_range(tmp_path: Path) -> None:
    path = write(tmp_path / "channel.jsonl", dump(*LINES))
    found = run("timeline", path, "--time-range", f"{at(50)}..{at(100)}")
    assert [(one["from"]["messageId"], one["broker"]) for one in found.json["intervals"]] == [
        ("0:2", "b2"),
        ("0:3", "b3"),
    ]
    assert found.exit_code == 0
    assert "though read from its start" in found.json["reasons"][0]


@pytest.mark.slow
def test_finding_with_a_window_is_shown_if_the_window_touches_the_range() -> None:
    run_, law = REAL / "leader-hang", "role-is-taken"
    (window,) = [one["window"] for one in audit(run_, "--engine", "inline").json["findings"] if one["law"] == law]
    inside = (window["since"] + window["until"]) // 2
    shown = audit(run_, "--engine", "inline", "--time-range", f"{inside}..{inside}")
    before = audit(run_, "--engine", "inline", "--time-range", f"..{window['possibleSince'] - 1}")
    assert shown.law(law)["verdict"] == "invalid"
    assert before.law(law)["verdict"] == "valid"


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_shows_what_inline_shows() -> None:
    path, more = REAL / "transfer" / "channel.jsonl.gz", ("--time-range", "1795218660000..")
    inline, spark = (audit(path, *more, "--engine", engine) for engine in ("inline", "spark"))
    assert {**inline.json, "stats": 0} == {**spark.json, "stats": 0}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("..", "of which one may be left out"),
        ("2026-11-21", "FROM..TO"),
        ("yesterday..", "time refused: yesterday"),
        ("2026-11-22..2026-11-21", "it ends before it begins"),
    ],
)
def test_odd_ranges_are_misuse(text: str, words: str) -> None:
    refused(oneowner("audit", REAL / "transfer", "--time-range", text), words)
    refused(oneowner("timeline", REAL / "transfer", "--time-range", text), words)


def test_interval_touches_a_range_if_any_moment_of_it_lies_inside() -> None:
    scope = Scope(10, 20)
    assert [scope.touches(*span) for span in ((0, 9), (0, 10), (15, 16), (20, 30), (21, 30))] == [
        False, True, True, True, False,
    ]  # fmt: skip
    assert scope.touches(0, None)
    assert not scope.touches(21, None)
    assert scope.touches(12, 5), "publish times go back: it began inside"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("2027-01-01T00:00:00Z..", "it ends at 2026-11-21T00:09:"),
        ("..2026-01-01T00:00:00Z", "it begins at 2026-11-21T00:0"),
    ],
)
def test_range_that_holds_nothing_of_the_run_says_so(asked: str, words: str) -> None:
    found = oneowner("audit", str(REAL / "zombie"), "--time-range", asked)
    assert f"nothing of it lies in the time range: {words}" in found.said
    assert found.code != 0
