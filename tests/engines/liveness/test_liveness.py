"""Liveness at the command line: lassos found, saved and replayed, tampered ones refused, quiet laws never green."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.holding import in_fingerprints
from oneowner.checkers.engines.explore.exploration import Lasso
from oneowner.checkers.engines.liveness import check, graph
from oneowner.checkers.engines.liveness.check import check_liveness, confirm_lasso
from oneowner.checkers.engines.liveness.graph import Incomplete, build
from oneowner.checkers.ledger.family_search import Asked, judge_runs, search
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.scenarios.itf import parse_itf, write_itf
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import EngineError
from oneowner.checkers.yaml_text import data_of
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.system import actions
from oneowner.spec.channel.registry import LIVENESS
from oneowner.spec.channel.system import SYSTEM
from tests.command_line import COUNTEREXAMPLES, OCCASIONS, VALIDATOR, oneowner, pinned, refused, write_ledger

LEADER_ACTS = SYSTEM.liveness_by_name["leader-acts"]
REGISTERED_AGAIN = SYSTEM.liveness_by_name["registered-again"]
LASSO = COUNTEREXAMPLES / "no_force" / "orphan-cleaned.yaml"
REST = COUNTEREXAMPLES / "nobody_re_elects" / "leader-acts.yaml"
EXPIRING = Bounds(brokers=2, owner=2, expiries=1, closings=2)


def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **pins: str) -> None:
    """Use a ledger of one's own with the family ``tiny``, which pins these laws of liveness."""
    every = {name.replace("_", "-"): verdict for name, verdict in pins.items()}
    held = [law for law, verdict in every.items() if verdict == "valid"]
    others = {law: verdict for law, verdict in every.items() if law not in held}
    row = pinned(holds=in_fingerprints([*OCCASIONS, *held]), liveness=others)
    monkeypatch.setattr(families, "SPEC", write_ledger(tmp_path / "spec", row, faults=[]))
    (tmp_path / "spec" / "channel" / "faults.yaml").write_text(
        (PACKAGE / "spec" / "channel" / "faults.yaml").read_text()
    )


def explored(*arguments: object) -> dict[str, Any]:
    found = oneowner("explore", *arguments, "--json", "-")
    VALIDATOR.validate(found.json)
    return found.json | {"code": found.code}


def edited(tmp_path: Path, path: Path, **changes: Any) -> Path:
    """A copy of a scenario with other keys; a change to ``...`` drops the key."""
    data = data_of(path.read_text()) | changes
    copy = tmp_path / "edited.yaml"
    copy.write_text(yaml.safe_dump({key: value for key, value in data.items() if value is not ...}, sort_keys=False))
    return copy


# ---- explore ----


def test_explore_judges_the_laws_that_a_family_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger(tmp_path, monkeypatch, flight_ends="valid", views_converge="valid")
    found = explored("tiny")
    rows = {row["law"]: row for row in found["laws"]}
    assert (found["code"], found["reasons"]) == (0, [])
    assert list(rows)[-2:] == ["flight-ends", "views-converge"]
    assert rows["flight-ends"]["verdict"] == "valid"
    assert rows["flight-ends"]["exercised"] > 0


def test_explore_of_a_law_that_is_never_asked_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger(tmp_path, monkeypatch, leader_acts="valid")
    found = explored("tiny")
    assert (found["code"], found["reasons"]) == (3, ["leader-acts: unknown, but the ledger pins valid"])


def test_explore_of_a_law_that_holds_but_is_pinned_otherwise_is_not_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger(tmp_path, monkeypatch, flight_ends="invalid")
    found = explored("tiny")
    assert (found["code"], found["reasons"]) == (3, ["flight-ends: valid, but the ledger pins invalid"])


@pytest.mark.parametrize(
    ("pins", "words"),
    [({"flight_end": "invalid"}, "did you mean flight-ends"), ({"flight_ends": "fine"}, "no such verdict: fine")],
)
def test_ledger_refuses_liveness_that_it_does_not_know(
    pins: dict[str, str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger(tmp_path, monkeypatch, **pins)
    refused(oneowner("explore", "tiny"), "tiny.yaml:", words)


def test_explore_beyond_the_largest_graph_is_unknown_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger(tmp_path, monkeypatch, flight_ends="valid")
    monkeypatch.setattr(graph, "MOST_STATES", 10)
    found = explored("tiny")
    assert found["code"] == 3
    assert "liveness is not judged: 82 states are more than 10" in found["reasons"]


def test_explore_that_does_not_finish_leaves_liveness_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger(tmp_path, monkeypatch, flight_ends="valid")
    found = explored("tiny", "--max-states", 20)
    assert found["code"] == 3
    assert found["laws"][-1]["verdict"] == "unknown"


def test_explore_interrupted_while_it_judges_liveness_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    ledger(tmp_path, monkeypatch, flight_ends="valid")
    monkeypatch.setattr(check, "check_liveness", interrupt)
    found = explored("tiny")
    assert found["code"] == 3
    assert "liveness is not judged: interrupted" in found["reasons"]


@pytest.mark.slow
def test_graph_other_than_the_one_searched_is_an_error_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = search(families.families()["transfer-metadata-store"], Asked(settings={"unloads": "0"}))
    judged.exploration.transitions += 1
    with pytest.raises(EngineError, match="but the search found"):
        judge_runs(judged.exploration, ["flight-ends"])


def test_law_of_liveness_can_be_asked_for_by_name_in_any_family() -> None:
    found = explored("late-loads", "--law", "lookup-ends")
    assert [row["law"] for row in found["laws"]] == ["lookup-ends"]
    assert (found["code"], found["laws"][0]["verdict"]) == (3, "unknown")


def test_fault_of_liveness_is_found_saved_and_replayed(tmp_path: Path) -> None:
    arguments = ["expiry", "--fault", "nobody_re_elects", "--law", "leader-acts", "--engine", "python"]
    found = explored(*arguments, "--save", tmp_path)
    assert found["code"] == 1
    assert found["counterexample"]["steps"] == ["expire(broker=1)", "reestablish(broker=1)", "register(broker=1)"]
    assert found["counterexample"]["loop"] == 4
    (reason,) = found["reasons"]
    assert reason == (
        "leader-acts is violated: a fair run rests for ever after step 3: nothing that is enabled is owed;"
        " after step 1 what the law asks for cannot come any more, whatever happens"
    )
    saved = Path(found["counterexample"]["scenario"])
    assert oneowner("replay", saved).code == 1
    assert oneowner("replay", saved.with_suffix("").with_suffix(".itf.json")).code == 1


def test_documented_violation_ends_in_a_deadlock_and_says_so() -> None:
    lasso = check_liveness(Bounds(brokers=2, assigns=1, crashes=1, closings=2), LIVENESS)[1]["flight-ends-always"].lasso
    assert lasso is not None
    assert "a run ends in a deadlock" in str(lasso)
    assert lasso.is_dead_end


def test_step_beyond_the_bounds_leaves_no_graph() -> None:
    with pytest.raises(Incomplete, match="versions"):
        build(Bounds(brokers=2, owner=1, transfers=1, versions=3), [])


NARROW = ["transfer-metadata-store", "--set", "units=2", "--set", "brokers=2", "--set", "transfers=2"]
NARROW += ["--set", "unloads=0", "--law", "flight-ends"]
"""A broker that closes one unit publishes for the other: with one place for each, neither can go on."""


@pytest.mark.slow
def test_deadlock_that_only_the_bounds_make_is_unknown_and_names_the_bound() -> None:
    found = explored(*NARROW)
    assert (found["code"], found["laws"][0]["verdict"]) == (3, "unknown")
    assert found["counterexample"] is None
    (reason,) = [reason for reason in found["reasons"] if reason.startswith("flight-ends")]
    assert reason == (
        "flight-ends is not judged: append(broker=1) is owed, but waits for room:"
        " the broker is within its bound of closes under way"
    )
    roomy = explored(*NARROW, "--set", "closings=2", "--set", "pending=2")
    assert roomy["laws"][0]["verdict"] == "valid"


def test_replay_of_a_run_that_only_lacks_room_breaks_nothing(tmp_path: Path) -> None:
    stuck = tmp_path / "stuck.yaml"
    stuck.write_text(
        "family: transfer-metadata-store\nset: {units: 2, brokers: 2}\nexpect: {law: flight-ends}\nloop: 5\nsteps:\n"
        "  - transfer(broker=1, unit=1, destination=2)\n  - transfer(broker=2, unit=2, destination=2)\n"
        "  - append(broker=2)\n  - notify(broker=1, unit=2)\n"
    )
    found = oneowner("replay", stuck, "--json", "-")
    assert found.code == 3
    assert "append(broker=1) is owed, but waits for room" in found.json["reasons"][0]


def test_every_pinned_law_holds_on_the_same_graph_as_the_search() -> None:
    family = families.families()["expiry"]
    found, results = check_liveness(family.bounds, LIVENESS)
    assert (found.states, len(found.targets), found.depth) == (family.states, family.transitions, family.depth)
    assert {name for name in family.liveness if results[name].lasso is None and results[name].exercised} == set(
        family.liveness
    )


# ---- lassos ----


@pytest.mark.parametrize(
    ("steps", "loop", "words"),
    [
        (["expire(broker=1)"], 2, "is owed: it stays enabled and is never taken"),
        (["expire(broker=1)", "reestablish(broker=1)", "register(broker=1)"], 2, "does not lead back"),
        (["expire(broker=1)", "expire(broker=2)"], 3, "cannot be taken"),
        (["expire(broker=2)", "reestablish(broker=2)", "register(broker=2)"], 4, "what is asked for holds in the loop"),
    ],
)
def test_lasso_that_is_none_is_an_error_of_the_engine(steps: list[str], loop: int, words: str) -> None:
    named = {str(action): action for action in actions(EXPIRING)}
    with pytest.raises(EngineError, match=words):
        confirm_lasso(EXPIRING, REGISTERED_AGAIN, Lasso(tuple(named[step] for step in steps), loop))


def test_lasso_on_which_the_law_never_asks_is_none() -> None:
    named = {str(action): action for action in actions(EXPIRING)}
    steps = ("expire(broker=1)", "reestablish(broker=1)", "register(broker=1)", "elect(broker=1)")
    lasso = Lasso(tuple(named[words] for words in steps), 5)
    never = replace(REGISTERED_AGAIN, when=lambda state: False, good=lambda state: False)
    with pytest.raises(EngineError, match="it is not asked for where it is missing"):
        confirm_lasso(EXPIRING, never, lasso)


def test_replay_of_a_lasso_tells_stem_and_loop() -> None:
    found = oneowner("replay", LASSO)
    assert found.code == 1
    lines = found.out.splitlines()
    forever = lines.index("then for ever:")
    assert lines[forever + 1].split()[:3] == ["14", "override(broker=1,", "destination=1)"]
    assert any(line.strip().startswith("broken: orphan-cleaned:") for line in lines[forever:])


def test_replay_of_a_rest_names_what_nobody_owes() -> None:
    out = oneowner("replay", REST).out
    assert "then for ever: nothing; no enabled step is owed: unload(broker=1, unit=1)" in out


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"loop": 13}, "does not lead back to where step 13 begins"),
        ({"loop": 18}, "override(broker=1, unit=1) is owed"),
        ({"loop": ...}, "it has no loop, and only a run without end can break that law"),
        ({"expect": {"law": "orphan-cleaned", "step": 12}}, "orphan-cleaned failed after step 13"),
        ({"expect": {"law": "views-converge"}}, "what is asked for holds in the loop"),
        ({"faults": []}, "does not lead back"),
    ],
)
def test_lasso_that_is_tampered_with_is_unknown_and_says_why(
    changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    found = oneowner("replay", edited(tmp_path, LASSO, **changes), "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert words in found.json["reasons"][0]


def test_loop_without_an_expectation_is_judged_by_every_law_of_liveness(tmp_path: Path) -> None:
    found = oneowner("replay", edited(tmp_path, LASSO, expect=...), "--json", "-")
    assert found.code == 1
    assert [reason for reason in found.json["reasons"] if "orphan-cleaned fails for ever after step 13" in reason]
    assert {row["law"]: row["verdict"] for row in found.json["laws"]}["orphan-cleaned"] == "invalid"
    broken = [finding["law"] for finding in found.json["findings"]]
    assert sorted(broken) == ["lookup-served", "no-lost-override", "orphan-cleaned"]  # the first is a step of the stem


def test_unfair_loop_without_an_expectation_breaks_nothing(tmp_path: Path) -> None:
    found = oneowner("replay", edited(tmp_path, LASSO, expect=..., loop=18))
    assert "that is not fair: override(broker=1, unit=1) is owed" in found.out
    assert re.findall(r"broken: ([a-z-]+)", found.out) == ["no-lost-override"]  # a step of the stem
    assert "fails for ever" not in found.out


def test_lasso_in_itf_is_the_same_run() -> None:
    for path in (LASSO, REST):
        scenario = read_scenario(path)
        itf = parse_itf(path, write_itf(replay(scenario)))
        assert (itf.steps, itf.loop, itf.expect) == (scenario.steps, scenario.loop, scenario.expect)
        assert replay(itf).broken == replay(scenario).broken


def test_laws_of_liveness_are_listed_and_actions_say_how_they_are_owed() -> None:
    laws = {row["name"] for row in oneowner("list", "laws", "--json", "-").json["list"]}
    assert {law.name for law in LIVENESS} <= laws
    about = {row["name"]: row["about"] for row in oneowner("list", "actions", "--json", "-").json["list"]}
    assert about["crash(broker)"].endswith("[owed: none]")
    assert about["append(broker)"].endswith("[owed: strong]")


def test_leader_that_is_lost_comes_back() -> None:
    assert check_liveness(EXPIRING, [LEADER_ACTS])[1]["leader-acts"].lasso is None


@pytest.mark.slow
def test_graph_too_big_for_liveness_is_undecided_where_it_is_owed_and_left_out_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(graph, "MOST_STATES", 1_000)
    pinned_laws = explored("transfer-metadata-store")
    assert pinned_laws["code"] == 3
    assert "liveness is not judged: 5,032 states are more than 1,000" in pinned_laws["reasons"]
    assert explored("transfer-metadata-store", "--law", "flight-ends")["code"] == 3
    wider = explored("transfer-metadata-store", "--set", "unloads=2")
    assert (wider["code"], wider["verdict"]) == (0, "valid")
    assert "flight-ends" not in {row["law"] for row in wider["laws"]}
    out = oneowner("explore", "transfer-metadata-store", "--set", "unloads=2").out
    assert "are more than 1,000; --law NAME insists" in out


@pytest.mark.slow
def test_law_that_only_the_bounds_break_is_left_out_where_nobody_asked_for_it() -> None:
    asked = ("transfer-metadata-store", "--set", "storage=system-topic", "--set", "window=1", "--set", "brokers=2")
    found = explored(*asked)
    assert (found["code"], found["verdict"]) == (0, "valid")
    assert {row["law"]: row["verdict"] for row in found["laws"]}["flight-ends"] == "unknown"
    assert "the verdict leaves liveness out: flight-ends: " in oneowner("explore", *asked).out.replace("\n", " ")
    insisted = explored(*asked, "--law", "flight-ends")
    assert (insisted["code"], insisted["laws"][0]["verdict"]) == (3, "unknown")
