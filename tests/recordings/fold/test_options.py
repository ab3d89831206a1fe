"""Options of the caller and the manifest: missing records, the limit of a hand-over."""

from pathlib import Path

import pytest

from tests.recordings.dumps import audit, dump, judged, write, write_bytes

SPLIT_AWAY = (
    "0-8 Owned(1) v1", "0-8 Splitting(from 1) v2 split 0-4 4-8", "0-4 Owned(1) v1", "4-8 Owned(1) v1",
    "0-8 Deleted(from 1) v3", "0-8 -",
)  # fmt: skip

FAKED_BY_A_MISSING_RECORD = {
    "version-chain": (("0-8 Assigning(1) v1", "0-8 Owned(1) v3"), "0:1"),
    "overlapping-owners": (("0-8 Owned(1) v1", "0-4 Owned(2) v1"), "0:1"),
    "parent-revived": ((*SPLIT_AWAY, "0-8 Assigning(1) v1"), "0:6"),
    "stuck-in-flight": (("0-8 Assigning(1) v1", "0-8 Owned(1) v2 @121"), "0:0"),
    "stuck-in-flight at the end": (("0-8 Assigning(1) v1", "a:0-8 Owned(1) v1 @121"), "0:0"),
}


@pytest.mark.parametrize("name", FAKED_BY_A_MISSING_RECORD)
def test_partial_dump_turns_what_a_missing_record_can_fake_into_a_warning(name: str, tmp_path: Path) -> None:
    lines, at = FAKED_BY_A_MISSING_RECORD[name]
    law = name.removesuffix(" at the end")
    whole = judged(tmp_path, lines)
    assert (whole.exit_code, whole.violations) == (1, [(law, at)])
    partial = judged(tmp_path, lines, "--partial")
    assert (partial.verdict, partial.exit_code) == ("unknown", 3)
    assert (partial.violations, partial.findings("warning")) == ([], [(law, at)])
    assert partial.law(law)["verdict"] == "unknown"
    assert any("partial" in reason for reason in partial.json["reasons"])


def test_partial_dump_is_never_valid(tmp_path: Path) -> None:
    lines = ("0-8 Assigning(1) v1", "0-8 Owned(1) v2")
    assert judged(tmp_path, lines).exit_code == 0
    found = judged(tmp_path, lines, "--partial")
    assert (found.verdict, found.exit_code, found.json["findings"]) == ("unknown", 3, [])


@pytest.mark.parametrize(
    ("law", "lines", "at"),
    [
        ("tombstone-of-active", ("0-8 Owned(1) v1", "0-8 -"), "0:1"),
        ("split-tiles", ("0-8 Owned(1) v1", "0-8 Splitting(from 1) v2 split 0-4 5-8"), "0:1"),
    ],
)
def test_partial_dump_can_still_break_a_law(law: str, lines: tuple[str, ...], at: str, tmp_path: Path) -> None:
    found = judged(tmp_path, lines, "--partial")
    assert (found.verdict, found.exit_code, found.violations) == ("invalid", 1, [(law, at)])


@pytest.mark.parametrize("limit", ["5s", "5000ms"])
def test_limit_is_what_the_caller_says(limit: str, tmp_path: Path) -> None:
    at, above = "0-8 Owned(1) v2 @5", "0-8 Owned(1) v2 @5.001"
    assert judged(tmp_path, ("0-8 Assigning(1) v1", at), "--in-flight-limit", limit).exit_code == 0
    found = judged(tmp_path, ("0-8 Assigning(1) v1", above), "--in-flight-limit", limit)
    assert (found.exit_code, found.violations) == (1, [("stuck-in-flight", "0:0")])


def test_limit_of_zero_allows_no_time_at_all(tmp_path: Path) -> None:
    lines = ("0-8 Assigning(1) v1", "0-8 Owned(1) v2 @0")
    assert judged(tmp_path, lines, "--in-flight-limit", "0s").exit_code == 0
    later = (lines[0], "0-8 Owned(1) v2 @0.001")
    assert judged(tmp_path, later, "--in-flight-limit", "0s").violations == [("stuck-in-flight", "0:0")]


@pytest.mark.parametrize("text", ["120", "-1s", "two minutes", "1.5s", "", "s"])
def test_limit_that_is_no_duration_is_misuse(text: str, tmp_path: Path) -> None:
    found = judged(tmp_path, ("0-8 Owned(1) v1",), "--in-flight-limit", text)
    assert (found.exit_code, found.json) == (2, {})


MANIFEST = b"""\
config_base:
  loadBalancerInFlightServiceUnitStateWaitingTimeInMillis: 20000
  loadBalancerServiceUnitStateMonitorIntervalInSeconds: 15
config_overrides:
  loadBalancerInFlightServiceUnitStateWaitingTimeInMillis: 10000
"""
"""10 s of waiting, 15 s between runs of the monitor, and the slack of 30 s that makes 30 + 60 s a limit of 120 s."""


def test_limit_comes_from_the_manifest(tmp_path: Path) -> None:
    write_bytes(tmp_path / "manifest.yaml", MANIFEST)
    for time, violations in (("55", []), ("55.001", [("stuck-in-flight", "0:0")])):
        write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", f"0-8 Owned(1) v2 @{time}"))
        assert audit(tmp_path).violations == violations
    assert audit(tmp_path, "--in-flight-limit", "1m").violations == []


def test_limit_of_the_manifest_is_not_its_list_of_faults(tmp_path: Path) -> None:
    write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2 @121"))
    write_bytes(tmp_path / "manifest.yaml", b"events:\n- {t: 1795000001000, event: SIGSTOP, process: broker-1}\n")
    assert audit(tmp_path).violations == [("stuck-in-flight", "0:0")]


@pytest.mark.parametrize("name", ["metadataStoreSessionTimeoutMillis", "namespaceBundleUnloadingTimeoutMs"])
def test_time_of_the_manifest_that_is_no_number_is_said_and_not_replaced_in_silence(name: str, tmp_path: Path) -> None:
    write_bytes(tmp_path / "manifest.yaml", f"config_base:\n  {name}: thirty\n".encode())
    write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    found = audit(tmp_path)
    assert found.verdict == "unknown"
    assert any(f"{name} refused: thirty; it is a whole number" in reason for reason in found.json["reasons"])


@pytest.mark.parametrize(("wait", "is_refused"), [(10_000, False), (10_001, True)])
def test_settings_with_which_no_broker_starts_are_said(wait: int, is_refused: bool, tmp_path: Path) -> None:
    """The constructor of ``ServiceUnitStateChannelImpl`` refuses them: Invalid Config."""
    delay, limit = (
        "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds",
        "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis",
    )
    write_bytes(tmp_path / "manifest.yaml", f"config_base:\n  {delay}: 10\n  {limit}: {wait}\n".encode())
    write(tmp_path / "channel.jsonl", dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
    reasons = audit(tmp_path).json["reasons"]
    assert any(f"{delay} refused: 10; with {limit} {wait} no broker starts" in one for one in reasons) is is_refused
