"""``oneowner replay DIR``: a recorded run is valid if some run of the model shows all that was seen."""

import gzip
import json
import shutil
from pathlib import Path

from oneowner.checkers.cli.replay_recording import LAW
from tests.command_line import QUICK, REAL, VALIDATOR, oneowner

RUN = "healthy"


def corrupted(place: Path) -> Path:
    """Copy a run, with the version of its first Owned record raised."""
    folder = place / RUN
    shutil.copytree(REAL / RUN, folder)
    (dump,) = folder.glob("channel*.jsonl*")
    read = gzip.open if dump.suffix == ".gz" else open
    with read(dump, "rt") as stream:
        lines = [json.loads(line) for line in stream]
    first = next(line for line in lines if line["value"] and line["value"]["state"] == "Owned")
    first["value"]["versionId"] += 1
    dump.unlink()
    (folder / "channel.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_recorded_run_that_the_model_explains_is_valid() -> None:
    found = oneowner("replay", REAL / RUN, "--json", "-")
    assert found.code == 0, found.said
    assert list(VALIDATOR.iter_errors(found.json)) == []
    assert found.json["stats"]["units"] == 12
    assert found.json["findings"] == []


def test_recorded_run_that_no_run_of_the_model_shows_is_invalid_and_says_where(tmp_path: Path) -> None:
    found = oneowner("replay", corrupted(tmp_path), "--json", "-")
    assert found.code == 1, found.said
    assert list(VALIDATOR.iter_errors(found.json)) == []
    (finding,) = found.json["findings"]
    assert (finding["law"], finding["severity"]) == (LAW, "violation")
    assert finding["at"]["messageId"]
    assert "Owned" in finding["why"]


def test_recorded_run_of_a_release_that_the_model_does_not_know_is_unknown_and_named(tmp_path: Path) -> None:
    manifest = corrupted(tmp_path) / "manifest.yaml"
    manifest.write_text(manifest.read_text().replace("pulsar: 4.0.6", "pulsar: 9.9.9"))
    found = oneowner("replay", manifest.parent, "--json", "-")
    assert found.code == 3, found.said
    doubt, refused = found.json["reasons"]
    assert doubt.endswith("release 9.9.9 is not known; it is judged by the rules of 5.0.1")
    assert "the rules of 5.0.1, not those of 9.9.9, refuse it" in refused
    assert {finding["severity"] for finding in found.json["findings"]} == {"warning"}


def test_recorded_runs_and_scenarios_may_be_replayed_together() -> None:
    found = oneowner("replay", REAL / RUN, QUICK.with_suffix(".yaml"), "--json", "-")
    assert found.code == 1
    assert found.json["stats"]["units"] == 12
    assert "override-names-the-gone" in {finding["law"] for finding in found.json["findings"]}


def test_folder_that_is_no_recorded_run_is_misuse(tmp_path: Path) -> None:
    found = oneowner("replay", tmp_path)
    assert found.code == 2
    assert "no file of a recorded run in it" in found.err


def test_recorded_run_is_not_written_as_an_itf_trace(tmp_path: Path) -> None:
    found = oneowner("replay", REAL / RUN, "--itf", tmp_path / "trace.itf.json")
    assert found.code == 2
    assert "--itf requires a single FILE" in found.err
