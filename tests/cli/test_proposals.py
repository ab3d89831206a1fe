"""A proposal on the command line: mirrors apart, families beside themselves, kinds of laws."""

import pytest

from oneowner.checkers.cli.change_tables import beside, by_law, gains
from oneowner.checkers.cli.explore_changes import result_of
from oneowner.checkers.ledger.family_changes import FamilyChange, LawChange
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import LawKind
from tests.command_line import oneowner, refused

CHANGED = ("tombstone-metadata-store", "--rule", "lag_below_tombstone_delay=true", "--engine", "native")


def test_proposal_that_breaks_mirrors_alone_is_valid_and_names_them() -> None:
    found = oneowner("explore", *CHANGED, "--json", "-")
    assert found.code == 0
    assert found.json["mirrors"] == ["monitor-runs"]
    assert "1 law describes the old behaviour: monitor-runs" in found.err
    kinds = {row["law"]: row["lawKind"] for row in found.json["laws"]}
    assert (kinds["monitor-runs"], kinds["single-server"]) == ("mirror", "purpose")


def test_proposal_beside_the_family_without_it() -> None:
    found = oneowner("explore", *CHANGED, "--diff", "--json", "-")
    assert found.code == 0
    [family] = found.json["families"]
    assert (family["statesBefore"], family["statesAfter"]) == (1022, 914)
    assert "monitor-runs" in [change["law"] for change in family["changes"]]
    assert "1 law describes the old behaviour: monitor-runs" in found.err


def test_violation_is_told_first_and_what_the_search_left_open_is_counted() -> None:
    found = oneowner("explore", "expiry", "--fault", "cleanup_without_health_check", "--engine", "native")
    assert found.code == 1
    assert found.out.index("broken: override-names-the-gone") < found.out.index("law  ")
    assert "laws undecided: the search ended at the violation, and --continue goes on" in found.out
    table = found.out[found.out.index("law  ") : found.out.index("laws undecided")]
    assert " unknown " not in table


def test_documented_violation_is_of_the_project_that_is_modelled() -> None:
    redis = oneowner("explore", "redis/collision-migration", "--engine", "native")
    assert "in Redis Cluster, as expected" in redis.out or "fails in Redis Cluster" in redis.out
    assert "Pulsar" not in redis.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("channel", "--all"), "nothing is changed"),
        (("transfer", "--diff"), "nothing is changed"),
        (("chanel", "--all", "--rule", "health_check=false"), "no such system: chanel"),
        (("channel", "--all", "--rule", "helth_check=false"), "no such rule: helth_check"),
        (("--all", "--rule", "health_check=false", "--walks", "5"), "--all excludes --walks"),
        (("transfer", "--diff", "--rule", "health_check=false", "--symmetry"), "--diff excludes --symmetry"),
    ],
)
def test_comparison_without_a_change_or_of_something_else_is_misuse(arguments: tuple[str, ...], words: str) -> None:
    refused(oneowner("explore", *arguments), words)


@pytest.mark.parametrize("change", ["health_check=false", "version_check=true"], ids=["no part", "same value"])
def test_change_that_no_step_exercises_is_unknown(change: str) -> None:
    found = oneowner("explore", "transfer", "--rule", change, "--diff", "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert "never exercised" in found.json["reasons"][0]
    assert "oneowner explore channel --all" in found.json["reasons"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("channel",), "no such family: channel; it is a system with "),
        (("balancer",), "oneowner list decisions lists its decisions"),
        (("26520",), "cleanup_no_retry, assign_after_disable; oneowner faults 26520 prints the commands"),
        (("#26520", "--diff", "--rule", "health_check=false"), "oneowner faults '#26520' prints the commands"),
        (("assign_before_close",), "it is a fault; oneowner faults assign_before_close prints the commands"),
        (("no_such_bug",), "no such family: no_such_bug; oneowner list families lists all"),
    ],
)
def test_name_of_another_kind_is_refused_with_the_command_that_takes_it(arguments: tuple[str, ...], words: str) -> None:
    refused(oneowner("explore", *arguments), words)


def test_laws_are_listed_by_kind() -> None:
    for kind in LawKind:
        found = oneowner("list", "laws", "--kind", kind.value, "--json", "-").json["list"]
        assert {one["lawKind"] for one in found} == {kind.value}
    refused(oneowner("list", "faults", "--kind", "mirror"), "--kind refused: mirror")


def test_table_has_laws_of_purpose_and_regressions_first() -> None:
    def change(law: str, kind: LawKind, after: Verdict, steps: int | None, regresses: bool = False) -> LawChange:
        return LawChange("f", law, kind, Verdict.VALID, after, None, steps, regresses)

    found = FamilyChange(
        "f",
        Verdict.INVALID,
        laws=(
            change("slow", LawKind.PROTOCOL, Verdict.INVALID, 3, regresses=True),
            change("idle", LawKind.PURPOSE, Verdict.UNKNOWN, None),
            change("lost", LawKind.PURPOSE, Verdict.INVALID, 9, regresses=True),
            change("code", LawKind.MIRROR, Verdict.INVALID, 1),
        ),
    )
    assert [law for law, _ in by_law([found])] == ["lost", "idle", "slow"]
    assert beside(None, 9) == "- -> 9"


def test_laws_that_come_to_hold_are_summed_up_and_steps_alone_come_last() -> None:
    def change(law: str, kind: LawKind, after: Verdict, steps: int | None) -> LawChange:
        return LawChange("f", law, kind, Verdict.INVALID, after, 9, steps, is_regression=False)

    sooner = change("sooner", LawKind.PURPOSE, Verdict.INVALID, 8)
    mended = change("mended", LawKind.PROTOCOL, Verdict.VALID, None)
    idle = change("idle", LawKind.PROTOCOL, Verdict.UNKNOWN, None)
    found = [FamilyChange("f", Verdict.VALID, laws=(sooner, idle, mended))]
    assert [law for law, _ in by_law(found)] == ["idle", "mended", "sooner"]
    assert list(gains(found)) == ["Gone within these bounds: violations of mended in f"]


@pytest.mark.parametrize("more", [(), ("--diff",)])
def test_proposal_that_removes_a_defect_and_nothing_else_is_valid(more: tuple[str, ...]) -> None:
    found = oneowner("explore", "leader", "--rule", "unregistered_may_lead=false", "--engine", "native", *more)
    assert found.code == 0
    words = found.out
    assert words.index("Gone within these bounds: violations of leader-plays") < words.index("law  ")
    assert "gone with the defect: never reached: witness unregistered-leader" in words


def test_proposal_that_ends_an_action_and_mends_nothing_is_unknown() -> None:
    found = oneowner("explore", "split-given-up", "--rule", "split_tries_on=true", "--diff", "--json", "-")
    assert found.code == 3
    assert "no step was enabled: give_up_split" in found.json["reasons"][0]


def test_one_reason_of_several_families_is_printed_once() -> None:
    doubted = [FamilyChange(name, Verdict.UNKNOWN, ("never reached: witness w",)) for name in ("f", "g")]
    assert result_of(doubted).reasons == ["f, g: never reached: witness w"]
