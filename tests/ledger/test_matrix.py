"""The verbs faults and releases: their output, their JSON, their exit codes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.affected import affected_releases
from oneowner.checkers.catalogue.families import catalogue, faults
from oneowner.checkers.catalogue.faults import KILLED, SURVIVED, Fault, Unkilled
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.catalogue.harm import harm_of
from oneowner.checkers.ledger.kills import fault_matrix as matrix
from oneowner.checkers.ledger.kills import release_matrix
from oneowner.checkers.ledger.kills import releases as releasing
from oneowner.checkers.ledger.kills.fault_kill import Kill
from oneowner.checkers.ledger.kills.release_verdict import ReleaseVerdict
from oneowner.checkers.verdict import Verdict
from tests.command_line import VALIDATOR, oneowner

QUICK = "destination_returns"
FAULT_KEYS = ("name", "upstream", "releases", "verdict", "law", "family", "steps", "states", "seconds")
RELEASE_KEYS = ("release", "law", "verdict", "family", "fault", "fixedIn")
"""The keys of the contract, copied by hand."""


def test_fault_by_name_is_killed_and_told() -> None:
    found = oneowner("faults", QUICK, "--recompute", "--json", "-")
    assert found.code == 0
    (row,) = found.json["faults"]
    assert tuple(row)[: len(FAULT_KEYS)] == FAULT_KEYS
    assert (row["name"], row["verdict"], row["steps"]) == (QUICK, KILLED, faults()[QUICK].steps)
    assert list(VALIDATOR.iter_errors(found.json)) == []
    assert f"{QUICK}: The destination of a transfer owns the unit as soon as" in found.err
    assert "oneowner replay traces/counterexamples/destination_returns/transfer-handshake.yaml" in found.err
    assert faults()[QUICK].note.startswith("With the source as publisher")
    assert f"note: {faults()[QUICK].note}" in " ".join(found.err.split())
    assert "PIP-192" in found.err
    assert faults()[QUICK].record not in found.err


def test_fault_that_there_is_not_is_misuse_with_a_suggestion() -> None:
    found = oneowner("faults", "destination_return")
    assert found.code == 2
    assert "no such fault: destination_return; did you mean destination_returns" in found.err


@pytest.mark.parametrize(
    ("kill", "code", "words"),
    [
        (Kill(SURVIVED, 0, 9, 0.1, ("the law does not fail with it",)), 1, "the law does not fail with it"),
        (Kill(KILLED, 7, 9, 0.1, ("fails after 7 steps, but 6 are pinned",)), 1, "7 steps, but 6 are pinned"),
        (Kill("unknown", 0, 9, 0.1, ("out of memory",)), 3, "out of memory"),
    ],
)
def test_fault_that_is_not_killed_as_pinned_is_never_green(
    kill: Kill, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "in_parallel", lambda work, names, on_progress: dict.fromkeys(names, kill))
    found = oneowner("faults", QUICK, "--recompute")
    assert found.code == code
    assert words in found.out


def test_record_that_nothing_kills_is_listed_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Unkilled("far_away", "A bug", "bugs.R73", "#1", "all", "S1", "channel", "not modelled", "it is out of reach")
    monkeypatch.setattr(matrix, "catalogue", lambda: {row.name: row})
    found = oneowner("faults", "--json", "-")
    assert found.code == 3  # no law was put to anything
    assert "it is out of reach" in found.err
    assert [(one["verdict"], one["law"], one["why"]) for one in found.json["faults"]] == [
        ("not modelled", "", "it is out of reach")
    ]
    assert list(VALIDATOR.iter_errors(found.json)) == []


def test_upstream_threads_of_the_catalogue_are_whole() -> None:
    """A number sign after a blank begins a comment in YAML."""
    for row in catalogue().values():
        assert not row.upstream.rstrip().endswith((",", ";", "(")), row.name


Verdicts = Callable[[Mapping[str, Fault], object, Sequence[str]], dict[str, list[ReleaseVerdict]]]


def found_in(**spans: list[str]) -> Verdicts:
    def verdicts(known: Mapping[str, Fault], _: object, asked: Sequence[str]) -> dict[str, list[ReleaseVerdict]]:
        there = {name: [one for one in spans.get(name, []) if not asked or one in asked] for name in known}
        return {name: [ReleaseVerdict(release, Verdict.INVALID, 4) for release in some] for name, some in there.items()}

    return verdicts


@pytest.fixture
def one_fault(monkeypatch: pytest.MonkeyPatch) -> str:
    name = "shutdown_only_unregisters"
    monkeypatch.setattr(releasing, "defects", lambda: {name: faults()[name]})
    return name


def test_releases_that_are_as_pinned_end_with_0(one_fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_matrix, "all_verdicts", found_in(shutdown_only_unregisters=["3.0.0"]))
    found = oneowner("releases", "--recompute", "--json", "-")
    assert found.code == 0
    (row,) = found.json["releases"]
    assert tuple(row)[: len(RELEASE_KEYS)] == RELEASE_KEYS
    assert (row["release"], row["verdict"], row["fixedIn"]) == ("3.0.0", "invalid", "3.0.1")
    assert list(VALIDATOR.iter_errors(found.json)) == []


def test_release_that_could_not_be_searched_whole_ends_with_3(one_fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ReleaseVerdict("3.3.2", Verdict.UNKNOWN, 0, "out of memory")]
    monkeypatch.setattr(releasing, "defects", lambda: {one_fault: replace(faults()[one_fault], holds=("3.0.0",))})
    monkeypatch.setattr(release_matrix, "all_verdicts", lambda known, tell, asked: {one_fault: found})
    outcome = oneowner("releases", "--recompute")
    assert outcome.code == 3
    assert f"{one_fault}: 3.3.2: out of memory" in outcome.out


def test_releases_that_are_not_as_pinned_end_with_1(one_fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_matrix, "all_verdicts", found_in(shutdown_only_unregisters=["3.0.0", "3.0.1"]))
    found = oneowner("releases", "--recompute")
    assert found.code == 1
    assert "fails in 3.0.0-3.0.1, but 3.0.0 is pinned" in found.out


def test_release_by_name_says_what_goes_wrong_there_and_what_ends_it(
    one_fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_matrix, "all_verdicts", found_in(shutdown_only_unregisters=["3.0.0"]))
    found = oneowner("releases", "3.0.0", "--recompute")
    assert found.code == 0
    assert "A broker that shuts down unregisters, and owns its units still" in found.out
    assert "3.0.1" in found.out
    assert "source read" in found.out
    assert "never registers again" not in oneowner("releases", "3.0.1", "--recompute").out


def test_pinned_answer_names_its_version_and_searches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "kills", lambda *_: pytest.fail("a search"))
    monkeypatch.setattr(release_matrix, "all_verdicts", lambda *_: pytest.fail("a search"))
    for arguments in (["faults", QUICK], ["faults"], ["releases", "4.2.4"], ["releases"]):
        found = oneowner(*arguments, "--json", "-")
        assert found.code == 0, found.err
        assert list(VALIDATOR.iter_errors(found.json)) == []
        assert found.json["pinned"].startswith(found.json["version"])
        assert f"as pinned by oneowner {found.json['pinned']}; --recompute searches again" in found.err


def test_pinned_releases_of_a_fault_are_those_of_the_catalogue() -> None:
    found = oneowner("releases", "shutdown_only_unregisters", "--json", "-").json["releases"]
    assert [row["release"] for row in found if row["verdict"] == "invalid"] == affected_releases(
        faults()["shutdown_only_unregisters"]
    )


def test_newer_release_has_the_pins_of_the_nearest_and_a_note() -> None:
    found = oneowner("releases", "4.2.99", "--json", "-")
    assert found.code == 0
    assert found.json["reasons"][0].startswith("release 4.2.99 is not known; it is judged by the rules of 4.2.")
    assert {row["release"] for row in found.json["releases"]} == {found.json["reasons"][0].split()[-1]}


def test_bugs_of_a_release_begin_with_the_greatest_harm() -> None:
    rows = oneowner("releases", "4.0.6", "--json", "-").json["releases"]
    known = {row.name: row for row in defects().values()}
    ranks = [harm_of(known[row["fault"]]).rank for row in rows]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1
