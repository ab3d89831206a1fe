"""The incidents of an audit are the known incidents of each recorded run."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.incidents import MOST_ALONE, End, Numbered, incidents
from oneowner.checkers.recordings.laws.scene_verdict import Background
from oneowner.checkers.recordings.laws.units_hit import Hit
from oneowner.checkers.recordings.read.events import NOWHERE, Cause, Finding, Origin, Window
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.yaml_text import data_of
from oneowner.model.kernel.law import Severity
from tests.command_line import REAL, oneowner

EXPECTED = data_of((Path(__file__).parent / "incidents.yaml").read_text(encoding="utf-8"))
HARMS = {
    None: "clients could not use",
    "two owners": "had two owners",
    "in doubt": "may have had two owners, or none",
    "concerned": "concerned",
}
QUICK = ("split-crash", "kill-owner", "forced-free", "locks-resumed-owner", "healthy-quiet")
"""Recordings whose incidents every change is tried with; the others are nightly."""
NEAR = 4.0
"""Seconds by which a time may differ from when a signal was sent: a client's session learns late that it is cut."""


@cache
def incidents_of(name: str) -> list[dict[str, Any]]:
    result, _, _ = audit([str(REAL / name)], Options(), "inline", None)
    found: list[dict[str, Any]] = result.more["incidents"]
    return found


def test_every_recording_has_its_incidents_written_down() -> None:
    assert set(EXPECTED) == {path.name for path in REAL.iterdir() if path.is_dir()}


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in EXPECTED]
)
def test_incidents_of_a_recording_are_what_happened_there(name: str) -> None:
    manifest = data_of((REAL / name / "manifest.yaml").read_text(encoding="utf-8"))
    brokers = {f"B{number}": broker["id"] for number, broker in enumerate(manifest["brokers"], 1)}
    found = incidents_of(name)
    assert [one["root"]["kind"] for one in found] == [one["root"] for one in EXPECTED[name]]
    for one, expected in zip(found, EXPECTED[name], strict=True):
        assert one["root"]["brokers"] == [brokers[broker] for broker in expected["brokers"]]
        assert (len(one["harmed"]), one["ended"]) == (expected["units"], expected["ended"])
        assert one["harm"] == HARMS[expected.get("harm")]
        assert any(expected.get("like", "") in like for like in [*one["like"], ""])
        assert (one["to"] is None) == (expected["ended"] != "over")
        for key in {"from", "to"} & set(expected):
            if expected[key] != "none":
                assert (one[key] - manifest["started_ms"]) / 1000 == pytest.approx(expected[key], abs=NEAR), key


@pytest.mark.slow
def test_incidents_do_not_read_the_list_of_what_was_done(tmp_path: Path) -> None:
    copy = tmp_path / "zombie"
    shutil.copytree(REAL / "zombie", copy)
    manifest = data_of((copy / "manifest.yaml").read_text(encoding="utf-8"))
    (copy / "manifest.yaml").write_text(yaml.safe_dump({**manifest, "events": []}), encoding="utf-8")
    result, _, _ = audit([str(copy)], Options(), "inline", None)

    def known(one: dict[str, Any]) -> list[Any]:
        return [one[key] for key in ("from", "to", "units", "consequences", "moments", "like", "repair")]

    assert [known(one) for one in result.more["incidents"]] == [known(one) for one in incidents_of("zombie")]


# ---- how findings become incidents ----

PAUSE = Cause(HappeningKind.PAUSED, "b1", 1_000)
OUTAGE = Cause(HappeningKind.OUTAGE, "", 900)


def happening(cause: Cause, *behind: Cause) -> Happening:
    return Happening(cause, END, f"{cause.kind} of {cause.subject}", (), (), behind)


def found(law: str, unit: str, since: int, until: int | None, *causes: Cause) -> Finding:
    window = Window(since, until or since, since, END if until is None else until)
    return Finding(
        law, Severity.WARNING, unit, NOWHERE, Origin(0, 0, 0), None, since, (), f"{law} of {unit}", None, None, law,
        "", window=window, causes=causes,
    )  # fmt: skip


def made(background: Background, *findings: Finding) -> list[Any]:
    return incidents([Numbered(number, one) for number, one in enumerate(findings)], background)


def test_findings_of_one_cause_are_one_incident() -> None:
    background = Background((happening(PAUSE),), end=90_000)
    (one,) = made(
        background,
        found("dual-serving", "u1", 4_000, 5_000, PAUSE),
        found("unit-is-available", "u2", 1_200, 3_000, PAUSE),
    )
    assert (one.root, one.since, one.until, one.end) == (happening(PAUSE), 1_200, 3_000, End.OVER)
    assert (one.units, one.harmed, one.harm) == (("u1", "u2"), ("u2",), Harm.UNUSABLE)


def test_a_cause_behind_another_joins_them_and_the_first_kind_is_the_root() -> None:
    background = Background((happening(PAUSE, OUTAGE), happening(OUTAGE)), end=90_000)
    (one,) = made(background, found("a", "u1", 2_000, 3_000, PAUSE), found("b", "u2", 2_000, 3_000, OUTAGE))
    assert one.root == happening(OUTAGE)
    assert one.along == (happening(PAUSE, OUTAGE),)


def test_a_file_that_cannot_be_read_is_no_incident_and_the_first_line_names_its_line(tmp_path: Path) -> None:
    assert made(Background((), end=90_000), found("readable-input", "", 2_000, 2_000)) == []
    copy = tmp_path / "night"
    shutil.copytree(REAL / "healthy", copy)
    with (copy / "channel.jsonl").open("a", encoding="utf-8") as dump:
        dump.write('{"messageId": "9:1"')
    lines = len((copy / "channel.jsonl").read_text(encoding="utf-8").splitlines())
    output = oneowner("audit", copy, "--engine", "inline").out
    place = f"{copy}/channel.jsonl:{lines}"
    name, line = output.split(": ", 1)
    assert Path(name).name == "night"  # without its folder if the line is too long for it
    assert line.startswith(f"cannot tell (unknown): {place}: the JSON breaks off. No incident.\n")


def test_findings_of_one_time_without_a_cause_are_incidents_of_their_own() -> None:
    some = made(Background(), found("a", "u1", 2_000, 3_000), found("a", "u2", 2_000, 3_000))
    assert [(one.root, [number for number, _ in one.found]) for one in some] == [(None, [0]), (None, [1])]


def test_findings_without_a_cause_are_told_together_once_they_are_very_many() -> None:
    some = made(Background(), *(found("a", f"u{number:04}", 2_000 + number, 3_000) for number in range(MOST_ALONE + 3)))
    assert len(some) == MOST_ALONE + 1
    assert (len(some[-1].found), list(some[-1].more)) == (1, [MOST_ALONE + 1, MOST_ALONE + 2])


def test_units_that_clients_could_not_use_come_first() -> None:
    background = Background((happening(PAUSE), happening(OUTAGE)), end=90_000)
    first, second = made(
        background,
        *(found("dual-serving", f"u{number}", 2_000, 3_000, PAUSE) for number in range(5)),
        found("unit-is-available", "u9", 2_000, 3_000, OUTAGE),
    )
    assert (first.root.cause, second.root.cause) == (OUTAGE, PAUSE)


def test_what_nobody_saw_the_end_of_lasts() -> None:
    background = Background((happening(PAUSE),), end=90_000)
    (one,) = made(background, found("unit-is-available", "u1", 2_000, None, PAUSE))
    assert (one.until, one.end) == (None, End.LASTS)


def test_a_broken_record_without_a_known_end_is_not_over() -> None:
    lone = found("given-back-by-force", "u1", 2_000, None)._replace(window=None)
    (one,) = made(Background(end=90_000), lone)
    assert (one.since, one.until, one.end) == (2_000, None, End.NOT_SEEN)


def test_a_wait_that_is_over_does_not_end_an_incident_in_which_two_may_own_a_unit() -> None:
    background = Background((happening(PAUSE),), end=90_000)
    lone = found("overlapping-owners", "u1", 2_000, None, PAUSE)._replace(window=None)
    (one,) = made(background, found("unit-is-available", "u2", 2_000, 3_000, PAUSE), lone)
    assert (one.harm, one.until, one.end) == (Harm.UNUSABLE, None, End.NOT_SEEN)


def test_a_wait_counts_from_what_caused_it() -> None:
    background = Background((happening(PAUSE),), end=90_000)
    (one,) = made(background, found("unit-is-available", "u1", 400, 3_000, PAUSE))
    assert (one.since, one.longest) == (1_000, 2_000)


def test_a_happening_without_harm_or_finding_is_no_incident() -> None:
    assert made(Background((happening(PAUSE),), end=90_000)) == []


def test_a_death_that_no_law_speaks_of_is_an_incident_if_it_hit_a_unit() -> None:
    (one,) = made(Background((happening(PAUSE),), (Hit(PAUSE, "u1", 1_100, 9_000, 7_900),), end=90_000))
    assert (one.found, one.severity, one.harmed) == ([], Severity.NOTE, ("u1",))


def test_what_hit_one_unit_together_is_one_incident() -> None:
    hits = tuple(Hit(cause, "u1", 1_100, 9_000, 7_900) for cause in (PAUSE, OUTAGE))
    (one,) = made(Background((happening(PAUSE), happening(OUTAGE)), hits, end=90_000))
    assert one.root == happening(OUTAGE)


def test_notes_alone_make_no_incident() -> None:
    note = found("a", "u1", 2_000, 3_000)._replace(severity=Severity.NOTE)
    assert made(Background(), note) == []
