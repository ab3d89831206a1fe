"""The verb ``explore`` on a ledger of one's own: from counts and laws to a verdict with its reasons."""

from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from oneowner.checkers.catalogue import families
from oneowner.checkers.cli.main import main
from oneowner.checkers.cli.unexpected import BUG
from oneowner.checkers.engines.explore.engine_choice import explore_by
from oneowner.checkers.engines.explore.exploration import Exploration, Limits
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.ledger import family_search
from oneowner.model.channel.bounds import Bounds
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.command_line import (
    BOUNDS,
    FAULT,
    OCCASIONS,
    TINY,
    Outcome,
    family_row,
    oneowner,
    refused,
    verdicts,
    write_ledger,
)

EXPIRY = {"brokers": 2, "owner": 2, "expiries": 1, "closings": 2}


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger with the family ``tiny``, pinned right, and one fault."""
    monkeypatch.setattr(families, "SPEC", write_ledger(tmp_path / "spec", counted(TINY), faults=[FAULT]))
    monkeypatch.setattr(family_search, "explore_by", explored_once)
    return tmp_path / "spec"


SEARCHES: dict[object, tuple[Exploration, str]] = {}
"""The result of a search is given; the tests are about its judgement."""


def explored_once(
    engine: str, bounds: Bounds, laws: Any, witnesses: Any, stop_at: Any, limits: Limits, *more: Any
) -> tuple[Exploration, str]:
    asked = engine, bounds, *(one.name for one in (*laws, *witnesses)), stop_at, limits
    if asked not in SEARCHES:
        SEARCHES[asked] = explore_by(engine, bounds, laws, witnesses, stop_at, limits, *more)
    return deepcopy(SEARCHES[asked])


def counted(bounds: Bounds, **changes: Any) -> dict[str, Any]:
    """The row of a family with the counts of these bounds; test_search counts them by brute force."""
    found = whole(bounds)
    return family_row(states=found.distinct, transitions=found.transitions, depth=found.depth) | changes


whole = cache(partial(explore, laws=PROPERTIES, witnesses=WITNESSES))


def expiring(**laws: str) -> dict[str, Any]:
    overridden = {"override-names-the-gone", "dual-serving-explained", "one-elected", "clean-only-by-leader"}
    expired = {"leader-caught-up", "opens-in-contact", "writes-in-contact", "orphans-are-taken", "roles-follow"}
    whole = {"ends-altogether", "begins-with-what-is-there", "hears-that-alone", "role-steps-are-whole"}
    unasked = {"legal-step", "transfer-handshake", "commands-are-served"}
    pinned = dict.fromkeys({*OCCASIONS, *overridden, *expired, *whole} - unasked, "valid")
    pinned["single-server-always"] = pinned["single-writer-always"] = "invalid"
    row = {"family": "expiring", "bounds": EXPIRY, "witnesses": ["override-wins"], **verdicts(pinned | laws, ())}
    return counted(Bounds(brokers=2, owner=2, expiries=1, closings=2)) | row


def reasons(*arguments: object) -> tuple[int, str, list[str]]:
    found = oneowner("explore", *arguments, "--json", "-")
    return found.code, found.json["verdict"], found.json["reasons"]


def law_of(found: Outcome, name: str) -> dict[str, Any]:
    (row,) = [row for row in found.json["laws"] if row["law"] == name]
    assert isinstance(row, dict)
    return row


def test_explore_of_a_family_as_pinned_is_valid(spec: Path) -> None:
    assert reasons("tiny") == (0, "valid", [])


@pytest.mark.parametrize("key", ["states", "transitions", "depth"])
def test_explore_of_a_count_other_than_pinned_is_unknown_and_says_both(spec: Path, key: str) -> None:
    row = counted(TINY)
    right = (row["states"], row["transitions"], row["depth"])
    row[key] += 1
    write_ledger(spec, row)
    code, verdict, why = reasons("tiny")
    assert (code, verdict, len(why)) == (3, "unknown", 1)
    assert str(right) in why[0]
    assert str((row["states"], row["transitions"], row["depth"])) in why[0]


def test_explore_of_a_law_never_exercised_is_unknown_for_that_law_alone(spec: Path) -> None:
    found = oneowner("explore", "tiny", "--json", "-")
    assert found.code == 0
    for name in ("dual-serving-explained", "override-names-the-gone"):
        row = law_of(found, name)
        assert (row["verdict"], row["expected"], row["exercised"]) == ("unknown", "unknown", 0)
    others = {row["verdict"] for row in found.json["laws"]} - {"unknown"}
    assert others == {"valid"}
    assert all(row["exercised"] > 0 for row in found.json["laws"] if row["verdict"] == "valid")


@pytest.mark.parametrize(("law", "pin"), [("override-names-the-gone", "valid"), ("single-server-always", "invalid")])
def test_explore_of_a_law_pinned_otherwise_that_has_no_occasion_or_holds_is_unknown(
    spec: Path, law: str, pin: str
) -> None:
    """The first is never exercised here; the second is documented as violated, and its violation is not reached."""
    write_ledger(spec, counted(TINY) | verdicts({law: pin}))
    code, verdict, why = reasons("tiny")
    assert (code, verdict) == (3, "unknown")
    assert any(law in reason for reason in why)


def test_explore_of_one_law_never_exercised_is_unknown(spec: Path) -> None:
    code, verdict, why = reasons("tiny", "--law", "override-names-the-gone")
    assert (code, verdict, bool(why)) == (3, "unknown", True)


def test_explore_of_two_laws_is_unknown_if_one_had_no_occasion(spec: Path) -> None:
    found = reasons("tiny", "--law", "single-server", "--law", "override-names-the-gone")
    assert found == (3, "unknown", ["override-names-the-gone had no occasion"])


def test_explore_of_a_witness_never_reached_is_unknown(spec: Path) -> None:
    write_ledger(spec, counted(TINY, witnesses=["transfer-ends", "override-wins"]))
    code, verdict, why = reasons("tiny")
    assert (code, verdict, len(why)) == (3, "unknown", 1)
    assert "override-wins" in why[0]


def test_explore_of_an_action_that_never_fires_is_unknown(spec: Path) -> None:
    # A broker that is alone has nobody to transfer to.
    code, verdict, why = reasons("tiny", "--set", "brokers=1")
    assert (code, verdict) == (3, "unknown")
    (words,) = [one for one in why if one.startswith("no step was enabled: transfer, ")]
    assert words.endswith("; other bounds give them an occasion, or leave them out")


def test_explore_beyond_its_budget_is_unknown_with_the_reason(spec: Path) -> None:
    found = oneowner("explore", "tiny", "--max-states", 10, "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert any("10" in reason and "states" in reason for reason in found.json["reasons"])
    assert {row["verdict"] for row in found.json["laws"]} == {"unknown"}


def test_explore_that_breaks_a_law_before_its_budget_is_invalid(spec: Path) -> None:
    code, verdict, _ = reasons("tiny", "--fault", "early", "--max-states", 80)
    assert (code, verdict) in {(1, "invalid"), (3, "unknown")}
    whole = oneowner("explore", "tiny", "--fault", "early", "--json", "-")
    states = whole.json["stats"]["states"]
    assert reasons("tiny", "--fault", "early", "--max-states", states)[:2] == (1, "invalid")


def test_explore_of_a_fault_is_invalid_with_the_least_counterexample(spec: Path) -> None:
    found = oneowner("explore", "tiny", "--fault", "early", "--json", "-")
    assert (found.code, found.json["verdict"]) == (1, "invalid")
    example = found.json["counterexample"]
    assert example["law"] == "single-writer"
    assert [step.partition("(")[0] for step in example["steps"]] == [
        "transfer", "append", "append", "notify", "append", "open",
    ]  # fmt: skip
    assert example["scenario"] is None
    assert any("single-writer" in reason for reason in found.json["reasons"])


def test_law_of_a_fault_is_searched_for_in_its_family_whatever_breaks_sooner(spec: Path) -> None:
    write_ledger(spec, counted(TINY), counted(TINY, family="other"), faults=[FAULT])
    own = oneowner("explore", "tiny", "--fault", "early", "--json", "-")
    assert law_of(own, "close-is-followed-up")["verdict"] == "invalid"
    assert [own.json["counterexample"]["law"], own.json["stats"]["depth"]] == ["single-writer", FAULT["steps"]]
    asked = oneowner("explore", "tiny", "--fault", "early", "--law", "close-is-followed-up", "--json", "-")
    assert asked.json["counterexample"]["law"] == "close-is-followed-up"
    assert len(asked.json["counterexample"]["steps"]) < FAULT["steps"]


def test_mirror_that_breaks_sooner_is_told_apart_in_every_family(spec: Path) -> None:
    write_ledger(spec, counted(TINY), counted(TINY, family="other"), faults=[FAULT])
    for family in ("tiny", "other"):
        found = oneowner("explore", family, "--fault", "early", "--json", "-")
        assert found.json["counterexample"]["law"] == "single-writer"
        assert "close-is-followed-up" in found.json["mirrors"]


def test_explore_with_continue_finishes_the_graph_after_a_violation(spec: Path) -> None:
    stopped = oneowner("explore", "tiny", "--fault", "early", "--json", "-").json
    whole = oneowner("explore", "tiny", "--fault", "early", "--continue", "--json", "-")
    assert whole.code == 1
    assert whole.json["stats"]["states"] > stopped["stats"]["states"]
    assert whole.json["counterexample"] == stopped["counterexample"]
    assert "unknown" not in {row["verdict"] for row in whole.json["laws"] if row["exercised"]}
    assert "unknown" in {row["verdict"] for row in stopped["laws"] if row["exercised"]}
    assert sum(whole.json["actions"].values()) == whole.json["stats"]["transitions"]


def test_explore_of_a_documented_violation_that_is_reached_is_valid(spec: Path) -> None:
    write_ledger(spec, expiring())
    found = oneowner("explore", "expiring", "--json", "-")
    assert (found.json["reasons"], found.code) == ([], 0)
    row = law_of(found, "single-server-always")
    assert (row["verdict"], row["expected"], row["status"]) == ("invalid", "invalid", "documented")
    assert found.json["counterexample"]["law"] == "single-server-always"


def test_explore_of_a_law_pinned_valid_and_violated_is_invalid(spec: Path) -> None:
    write_ledger(spec, expiring(**{"single-server-always": "valid"}))
    code, verdict, why = reasons("expiring")
    assert (code, verdict) == (1, "invalid")
    assert any("single-server-always" in reason for reason in why)


def test_explore_of_a_documented_law_by_name_does_not_exit_as_if_it_had_to_hold(spec: Path) -> None:
    # The contract: "explore: 1 only for a law whose pinned status is that it holds".
    write_ledger(spec, expiring())
    found = oneowner("explore", "expiring", "--law", "single-server-always", "--json", "-")
    assert law_of(found, "single-server-always")["verdict"] == "invalid"
    assert law_of(found, "single-server-always")["expected"] != "valid"
    assert found.code != 1


def test_explore_in_other_bounds_asks_no_pins_of_it(spec: Path) -> None:
    code, verdict, why = reasons("tiny", "--set", "transfers=2")
    assert (code, verdict, why) == (0, "valid", [])


@pytest.mark.parametrize("versions", [2, 3, 4])
@pytest.mark.parametrize("more", [(), ("--continue",), ("--law", "single-server")])
def test_explore_of_a_family_whose_versions_run_out_is_not_invalid(
    spec: Path, versions: int, more: tuple[str, ...]
) -> None:
    # The contract: a hit budget is unknown; that the model ran out of numbers is no broken law of Pulsar.
    found = oneowner("explore", "tiny", "--set", f"versions={versions}", *more)
    assert found.code in (2, 3)  # refused, or explored and unknown
    assert "versions" in found.said


def test_law_broken_before_the_versions_run_out_is_still_invalid(spec: Path) -> None:
    # Six steps to two writers need version 5; other runs of six need version 6: 1 comes before 3.
    code, verdict, why = reasons("tiny", "--fault", "early", "--set", "versions=5")
    assert (code, verdict) == (1, "invalid")
    assert any("single-writer" in reason for reason in why)


def test_explore_says_within_which_bounds_its_verdict_holds(spec: Path) -> None:
    last = oneowner("explore", "tiny", "--set", "transfers=2").out.splitlines()[-1]
    for words in ("tiny", "brokers 2", "units 1", "unloads 1", "transfers 2", "metadata-store", "valid"):
        assert words in last


def test_explore_shows_the_notes_of_the_family_and_of_the_faults_that_are_turned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"note": "Nothing else was found."}, {**FAULT, "note": "It is older than the text."}
    monkeypatch.setattr(families, "SPEC", write_ledger(tmp_path / "spec", counted(TINY, **rows[0]), faults=[rows[1]]))
    assert "note: Nothing else was found." in oneowner("explore", "tiny").out
    assert "older" not in oneowner("explore", "tiny").out
    found = oneowner("explore", "tiny", "--fault", FAULT["fault"]).out
    assert found.index("note: Nothing else was found.") < found.index("note: It is older than the text.")


def test_repair_is_told_and_refused_where_there_is_nothing_to_mend() -> None:
    mended = oneowner("explore", "leader", "--repair", "leader_read_from_cache", "--max-states", "50")
    assert "repair leader_read_from_cache: unknown" in mended.out
    refused(oneowner("explore", "leader", "--repair", "no_force"), "4.0.6 does not have that bug")
    both = ("--repair", "leader_read_from_cache", "--fault", "leader_read_from_cache")
    refused(oneowner("explore", "leader", *both), "and --fault")


def test_witness_that_smaller_bounds_rule_out_is_not_owed(spec: Path) -> None:
    code, verdict, why = reasons("tiny", "--set", "transfers=0")
    assert not why
    assert (code, verdict) == (0, "valid")


def test_family_that_has_its_bounds_alone_is_explored_and_no_law_may_be_broken(spec: Path) -> None:
    file = spec / "channel" / "families" / "new.yaml"
    file.write_text(yaml.safe_dump({"bounds": BOUNDS}))
    found = oneowner("explore", "new", "--json", "-")
    assert (found.code, found.json["reasons"]) == (0, [])
    assert law_of(found, "single-writer")["expected"] == "valid"
    assert reasons("new", "--fault", "early")[:2] == (1, "invalid")
    assert "not yet counted: new; oneowner bless new --reason" in oneowner("list", "families").out


def test_time_is_heeded_within_the_steps_of_one_state() -> None:
    asked = ("--engine", "native", "--set", "brokers=40", "--max-time", "300ms")
    found = oneowner("explore", "transfer", *asked, "--json", "-")
    assert (found.code, found.json["reasons"]) == (3, ["not all states were visited: the budget of time is used up"])
    assert found.json["stats"]["depth"] == 0


def test_bug_of_a_model_that_is_changed_is_not_taken_for_a_broken_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oneowner.checkers.cli.explore.explore_family", lambda *_: 1 // 0)
    found = CliRunner().invoke(main, ["explore", "transfer"])
    assert found.exit_code == 3
    assert "ZeroDivisionError" in found.stderr
    assert BUG in found.stderr
