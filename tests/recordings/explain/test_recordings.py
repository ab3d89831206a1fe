"""Recordings as pinned: here the short ones; all of them are rows of the nightly gate."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.documents import read_document
from oneowner.checkers.ledger.conformance_pins import (
    OWING,
    PINS,
    channel_recordings,
    choose_controls,
    controls_of,
    differences,
    row_of,
)
from oneowner.checkers.ledger.recording_pins import RUNS
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.recordings.explain.controls import corrupted
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.verdict import Misuse
from tests.recordings.explain.crafted import recording as crafted

SHORT = ("delete-decommission", "kill-owner", "split", "zk-partition-livelock", "zk-partition-metadata")
WITHOUT_CHANNEL = "zk-partition-livelock"
NOT_MODELLED = {"stop-mid-split-4.2.4": 2, "trimmed-4.2.4": 5, "migration": 60}
"""The units of a recording in which something happens that the model does not have."""
MOVED = "migration"
BEYOND = {MOVED, "trimmed-4.2.4"}
"""Recordings of which nothing is modelled, so that few changes of them are refused."""

README = PACKAGE / "checkers" / "recordings" / "explain" / "README.md"

DROPPED_LOSER = ("transfer-told-done", "dropped", "0:24:-1:1")
"""A record that lost a race: the run without it is one of the model, too."""

LEFT_OPEN = {
    ("transfer-told-done", "version", "0:24:-1:1"),
    ("transfer-told-done", "swapped", "0:24:-1:1"),
    ("fenced-for-good-4.2.4", "dropped", "zxid:410"),
    ("stop-mid-split-4.2.4", "dropped", "0:41"),
}
"""A loser with another version may have been asked earlier; an override of a living broker's unit came too soon."""


def pinned() -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = read_document(PINS).data
    return rows


@pytest.mark.sample(2)
@pytest.mark.parametrize(  # the nightly gate explains them all
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "delete-decommission")) for name in SHORT]
)
def test_recording_is_explained_as_pinned(name: str) -> None:
    row = pinned()[name]
    assert differences(row, row_of(RUNS / name, read_recording(RUNS / name), controls_of(row))) == []


def test_every_recording_with_a_channel_is_pinned_accepted_and_has_a_control_that_is_refused() -> None:
    rows = pinned()
    assert set(rows) == {path.name for path in channel_recordings()}
    for name, row in rows.items():
        is_unknown = name == WITHOUT_CHANNEL or name in NOT_MODELLED
        assert row["verdict"] == (Acceptance.UNKNOWN if is_unknown else Acceptance.ACCEPTED), name
        assert ("doubts" in row) == (name in (WITHOUT_CHANNEL, MOVED)), name
        assert (row["refused"], row["unknown"]) == (0, NOT_MODELLED.get(name, 0)), name
        assert row["contradictions"] == 0, name
        assert row["controls"], name
        answers = {(name, one["kind"], one["place"]): one["answer"] for one in row["controls"]}
        answers.pop(DROPPED_LOSER, None)
        if name in BEYOND:
            assert {*answers.values()} <= {Acceptance.REFUSED, Acceptance.UNKNOWN}, name
            continue
        assert Acceptance.REFUSED in answers.values(), name
        left_open = {which for which, answer in answers.items() if answer == Acceptance.UNKNOWN}
        assert left_open == {which for which in LEFT_OPEN if which[0] == name}
        assert {*answers.values()} <= {Acceptance.REFUSED, OWING, Acceptance.UNKNOWN}, name


def test_pins_hold_no_path_of_a_machine() -> None:
    files = [PINS, *RUNS.glob("*/expectation.yaml")]
    assert len(files) > 20
    assert [path.name for path in files if str(RUNS) in path.read_text() or "/traces/real" in path.read_text()] == []


def test_only_brokers_that_read_nothing_owe_records_at_the_end() -> None:
    """
    Broker 2 owes an Owned in both runs: it was given units and read nothing any more.

    run.G12: its view stood from 37:20 on, and the Assigning of four units (37:22, 37:23) had no answer. In the other
    run its process stood still, and was killed, when eight units were transferred to it.
    """
    owing = {name: list(row["owing"].values()) for name, row in pinned().items() if "owing" in row}
    assert owing == {"rolling-restart": [[2]] * 4, "fenced-for-good-4.2.4": [[2]] * 8}


def test_former_leader_that_cleans_up_is_refused_where_it_asks_who_leads() -> None:
    """Candidate 9 is recorded: its repair makes another run of that one."""
    recording = read_recording(RUNS / "late-clean-up")
    mended = judge(recording, rules=replace(recording.rules, clean_up_asks_leader=True))
    refused = [unit.place for unit in mended.units if unit.answer == Acceptance.REFUSED]
    assert sorted(refused) == ["19:0", "19:1", "19:2:-1:0", "19:2:-1:1"]


def test_corrupted_record_is_refused_by_name_and_reason() -> None:
    """transfer 0:24 is the first transfer, from broker 3, which owns the unit, to broker 1."""
    recording = read_recording(RUNS / "transfer")
    key = next(written.key for written in recording.records if written.place == "0:24")
    (unit,) = judge(corrupted(recording, "version", "0:24"), key).units
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:24")
    assert "transfer(broker=3, unit=1, destination=1) would publish Releasing(1, from 3) v3" in unit.why


def test_corruption_of_what_is_not_there_is_misuse() -> None:
    recording = read_recording(RUNS / "healthy")
    with pytest.raises(Misuse, match="corruption refused: dropped 9:9"):
        corrupted(recording, "dropped", "9:9")
    with pytest.raises(Misuse, match="it is the last record of"):
        corrupted(recording, "swapped", recording.records[-1].place)


def test_short_run_has_fewer_controls() -> None:
    assert choose_controls(crafted()) == []
    assert choose_controls(crafted("expire 2")) == []
    assert choose_controls(crafted("expire 2", "elect 1")) == [("dropped", "0:1")]
    assert choose_controls(crafted("1: Assigning(2) v1")) == []
    assert choose_controls(crafted("1: Assigning(2) v1", "2: Owned(2) v3")) == [("dropped", "0:2")]


def test_readme_tells_the_sums_of_what_is_pinned() -> None:
    rows = [row for row in pinned().values() if row["verdict"] == Acceptance.ACCEPTED]
    answers = Counter(control["answer"] for row in pinned().values() for control in row["controls"])

    def total(name: str) -> int:
        return sum(row[name] for row in rows)

    text = " ".join(README.read_text(encoding="utf-8").split())
    for words in (
        f"All {len(rows)} recordings with a channel",
        f"{total('records'):,} records and {total('registry')} steps of the registry",
        f"{total('inferred'):,} inferred steps, {total('inferred') / total('records'):.1f} for each record",
        f"one unit of {total('units')} needs the wide search" if total("wide") == 1 else "units need the wide search",
        f"{answers.total()} controls",
        f"of these {answers['refused']} are refused",
        f"{answers[OWING]} more drop the last answer",
    ):
        assert words in text
