"""Which release has which bug: as if every release were searched, and no switch that is read goes unseen."""

from dataclasses import fields, replace
from pathlib import Path

import pytest
from rich.console import Console

from oneowner.checkers.catalogue.affected import (
    affected_releases,
    fixed_in,
    has,
    idle_releases,
    in_spans,
    is_meant,
    known_of,
    known_to,
    releases_of,
    with_switches,
)
from oneowner.checkers.catalogue.families import bounds_under, families, faults
from oneowner.checkers.catalogue.faults import Fault, clauses_in
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.ledger.kills import release_matrix, releases
from oneowner.checkers.ledger.kills.release_matrix import (
    WatchedRules,
    judged_under,
    verdicts_by_release,
)
from oneowner.checkers.ledger.kills.release_verdict import NO_OCCASION, ReleaseVerdict
from oneowner.checkers.ledger.kills.releases import difference, rows, undecided
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.releases import NAMES, RELEASES, rules_of
from oneowner.model.channel.rules import RELEASE_4_0_6, Rules
from oneowner.model.channel.state import State
from oneowner.spec.channel import ownership
from tests.channel import LAWS, LIVENESS_LAWS
from tests.command_line import oneowner, refused

INVALID, VALID, UNKNOWN = Verdict.INVALID, Verdict.VALID, Verdict.UNKNOWN
QUICK = "override_tells_nobody"
"""A fault that a release really had, found in seconds."""


@pytest.mark.parametrize("name", [pytest.param("cleanup_without_health_check", marks=pytest.mark.slow), QUICK])
def test_release_verdicts_are_what_exploring_every_release_by_itself_finds(name: str) -> None:
    fault = faults()[name]
    found = {one.release: one for one in verdicts_by_release(name)}
    assert "3.0.0" in found
    for release in {"3.0.0", "3.3.1"} & found.keys():
        one = found[release]
        bounds = bounds_under(families()[fault.family].bounds, release, [])
        steps = explore(bounds, [LAWS[fault.law]], stop_at=frozenset({fault.law})).laws[fault.law].steps
        assert (one.verdict == INVALID, one.steps) == (steps is not None, len(steps or ()))


@pytest.mark.slow
def test_release_is_asked_about_a_bug_only_if_it_has_the_switches() -> None:
    found = {one.release: one.verdict for one in verdicts_by_release("cleanup_without_health_check")}
    assert set(found) == {name for name in NAMES if not RELEASES[name].health_check}
    assert found["3.3.2"] == UNKNOWN  # its registrations are persistent: no session ends one, and nobody is overruled
    assert found["3.3.1"] == INVALID


def test_repair_that_a_release_has_ends_the_bug_there() -> None:
    fault = replace(faults()[QUICK], rules={}, repaired={"assigning_resolved_at_start": True})
    assert [has(RELEASES[name], fault) for name in ("4.0.6", "5.0.1")] == [True, False]


def test_release_without_a_metadata_store_is_not_asked_about_one() -> None:
    bounds = families()["expiry-metadata-store"].bounds
    assert known_to(bounds) == [name for name in NAMES if name >= "4"]
    assert known_to(families()["expiry"].bounds) == list(NAMES)


def test_switch_that_a_model_reads_is_seen_and_another_is_not() -> None:
    """The switches that were read decide alone: turned all others, the verdict is the same."""
    bounds = families()["pip-192"].bounds
    seen, verdict, *_ = judged_under(bounds, RELEASE_4_0_6, "transfer-handshake")
    assert "source_returns" in seen
    assert "boundaries_compared" not in seen
    assert 0 < len(seen) < len(fields(Rules))
    others = {one.name: not getattr(RELEASE_4_0_6, one.name) for one in fields(Rules) if one.name not in seen}
    assert judged_under(bounds, Rules(**others), "transfer-handshake")[:2] == (seen, verdict)


def test_switch_that_only_a_law_of_runs_reads_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its predicates are traced apart from the steps."""

    def compared(state: State) -> bool:
        return state.bounds.rules.boundaries_compared

    compared.__module__ = "oneowner.spec.channel.ownership"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(ownership, "compared", compared, raising=False)
    bounds, law = families()["pip-192"].bounds, LIVENESS_LAWS["flight-ends"]
    assert "boundaries_compared" not in judged_under(bounds, RELEASE_4_0_6, law.name)[0]
    monkeypatch.setitem(LIVENESS_LAWS, law.name, replace(law, good=compared))
    assert "boundaries_compared" in judged_under(bounds, RELEASE_4_0_6, law.name)[0]


def test_watched_rules_equal_no_others_so_that_nothing_kept_for_them_is_taken() -> None:
    assert WatchedRules(Rules()) != WatchedRules(Rules())
    others: list[object] = [Rules()]
    assert WatchedRules(Rules()) not in others
    assert len({WatchedRules(Rules()), WatchedRules(Rules())}) == 2


@pytest.mark.parametrize(
    ("releases", "words"),
    [
        (["3.0.4"], "3.0.4"),
        (["3.0.4", "3.0.5"], "3.0.4-3.0.5"),
        (["3.0.4", "3.0.6"], "3.0.4, 3.0.6"),
        (["3.0.13", "3.1.0"], "3.0.13, 3.1.0"),
        (["4.0.6", "4.1.0"], "4.0.6, 4.1.0"),
    ],
)
def test_spans_never_cross_a_line(releases: list[str], words: str) -> None:
    assert in_spans(releases, NAMES) == words


def of(**verdicts: Verdict) -> list[ReleaseVerdict]:
    return [ReleaseVerdict(name.replace("v", "").replace("_", "."), verdict, 0) for name, verdict in verdicts.items()]


def test_fix_is_looked_for_in_the_own_line_first() -> None:
    failing = ["3.0.4", "3.1.2", "3.1.3", "3.2.0"]
    assert [fixed_in(release, failing, NAMES) for release in ("3.0.4", "3.1.3", "3.2.0")] == ["3.0.5", "3.2.1", "3.2.1"]
    assert fixed_in("4.0.6", [name for name in NAMES if name >= "4"], NAMES) == ""
    assert fixed_in("4.1.3", ["4.1.3", "4.2.0"], NAMES) == "4.2.1"


@pytest.mark.parametrize("name", [QUICK, "cleanup_without_health_check"])
def test_release_that_is_asked_for_is_searched_alone_and_told_as_among_all(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, searched = faults()[name], list[Rules]()

    def counted(bounds: Bounds, rules: Rules, law: str) -> tuple[dict[str, bool], Verdict, int, str]:
        searched.append(rules)
        return judged_under(bounds, rules, law)

    monkeypatch.setattr(release_matrix, "judged_under", counted)
    alone = verdicts_by_release(name, ["3.0.0"])
    assert len(searched) == 1
    every = verdicts_by_release(name)
    assert alone == every[:1]
    assert rows(fault, alone, ["3.0.0"]) == [row for row in rows(fault, every, []) if row["release"] == "3.0.0"]
    assert difference(fault, alone, ["3.0.0"]) == difference(fault, every) == ""


def test_next_release_of_each_line_is_affected_as_the_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    last = {name.rpartition(".")[0]: int(name.rpartition(".")[2]) for name in NAMES}
    for line, patch in last.items():
        monkeypatch.setitem(RELEASES, f"{line}.{patch + 1}", rules_of(f"{line}.{patch + 1}"))
    for fault in (one for one in defects().values() if one.system == "channel"):
        for found in (affected_releases(fault), idle_releases(fault)):
            for line, patch in last.items():
                assert (f"{line}.{patch}" in found) == (f"{line}.{patch + 1}" in found), (fault.name, line)


def test_exception_names_a_release_with_the_switches_of_the_bug() -> None:
    """Of another it would excuse nothing, and be a typing error."""
    for fault in defects().values():
        excused = [one for one in releases_of(fault) if is_meant(one, (*fault.holds, *fault.idle))]
        assert bool(excused) == bool(fault.holds or fault.idle), fault.name
        assert set(with_switches(fault)) & set(excused) or not excused, fault.name


@pytest.mark.parametrize(
    ("text", "why"),
    [("3.0.99", "no such release: 3.0.99"), ("since", "no such release: since"), ("", "they read"), (" 3.0.1", "they")],
)
def test_exception_that_names_no_release_is_refused(text: str, why: str) -> None:
    with pytest.raises(Misuse, match=why):
        clauses_in(text, NAMES)


def test_releases_that_differ_from_the_pinned_ones_are_named() -> None:
    fault = replace(faults()[QUICK], rules={}, holds=clauses_in("since 3.0.1", NAMES))
    assert difference(fault, of(v3_0_0=INVALID, v3_0_1=VALID)) == ""
    words = "dual-serving-explained fails in 3.0.0-3.0.1, but 3.0.0 is pinned"
    assert difference(fault, of(v3_0_0=INVALID, v3_0_1=INVALID)) == words
    assert "fails in none" in difference(fault, of(v3_0_0=UNKNOWN))
    idling = [ReleaseVerdict("3.0.0", INVALID, 4), ReleaseVerdict("3.0.1", UNKNOWN, 0, NO_OCCASION)]
    assert difference(fault, idling) == "dual-serving-explained has no occasion in 3.0.1, but none is pinned"
    assert difference(replace(fault, idle=("3.0.1",)), idling) == ""
    assert "but none is pinned" in difference(
        replace(fault, holds=clauses_in("since 3.0.0", NAMES)), of(v3_0_0=INVALID)
    )


def test_release_of_which_nothing_is_known_is_never_the_fix() -> None:
    """README claimed that 3.3.2 ends bugs.R41; registrations are persistent there and nobody is overruled at all."""
    found = of(v3_3_1=INVALID, v3_3_2=UNKNOWN, v3_3_3=VALID)
    (row,) = rows(faults()[QUICK], found, ["3.3.1"])
    assert row["fixedIn"] == "3.3.3"


def test_search_that_was_cut_short_is_a_doubt_and_a_law_without_an_occasion_is_none() -> None:
    assert undecided([ReleaseVerdict("3.0.0", UNKNOWN, 0, "out of memory")]) == "3.0.0: out of memory"
    assert undecided([ReleaseVerdict("3.0.0", UNKNOWN, 0, NO_OCCASION), *of(v3_0_1=VALID)]) == ""


def test_rows_are_of_the_releases_asked_for_and_name_the_fix() -> None:
    fault = faults()[QUICK]
    found = of(v3_0_0=INVALID, v3_0_1=VALID)
    (row,) = rows(fault, found, ["3.0.0"])
    assert (row["verdict"], row["fixedIn"], row["fault"]) == ("invalid", "3.0.1", QUICK)
    assert [row["fixedIn"] for row in rows(fault, found, [])] == ["3.0.1", ""]


@pytest.mark.parametrize(
    ("name", "release", "how"),
    [
        ("syncer_no_reconcile", "4.0.6", "source read"),
        ("syncer_no_reconcile", "4.1.3", "release notes only"),
        ("syncer_no_reconcile", "5.0.1", "bytecode read"),
        ("watch_not_set_again", "5.0.0", "release notes only"),
        ("watch_not_set_again", "5.0.1", "bytecode read"),
    ],
)
def test_row_says_how_it_is_known_that_the_release_has_the_switches(name: str, release: str, how: str) -> None:
    (row,) = rows(faults()[name], [ReleaseVerdict(release, INVALID, 4)], [])
    assert row["known"] == how


def test_fault_is_known_as_the_weakest_of_its_switches() -> None:
    fault = replace(faults()["syncer_no_reconcile"], rules={"seek_keeps_horizon": True})
    assert known_of(fault, "4.0.7") == "release notes only"
    assert known_of(replace(fault, rules={}), "4.0.7") == "source read"


def test_releases_that_agree_in_what_is_read_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Rules] = []

    def searched(bounds: Bounds, rules: Rules, law: str) -> tuple[dict[str, bool], Verdict, int, str]:
        asked.append(rules)
        return {"health_check": rules.health_check}, INVALID if rules.health_check else VALID, 0, ""

    monkeypatch.setattr(release_matrix, "judged_under", searched)
    found = verdicts_by_release("syncer_no_reconcile")
    assert [rules.health_check for rules in asked] == [True]
    found += verdicts_by_release("lost_split_waits")
    assert [rules.health_check for rules in asked] == [True, False, True]
    assert {one.release for one in found} == set(NAMES)
    assert all((one.verdict == INVALID) == RELEASES[one.release].health_check for one in found)


def test_release_that_there_is_not_is_misuse_with_a_suggestion() -> None:
    refused(oneowner("releases", "3.0.x"), "no such release: 3.0.x; did you mean 3.0.9 or 3.0.8 or 3.0.7?")


def test_release_is_asked_of_the_bugs_of_its_systems_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[str]] = []

    def nothing_found(known: dict[str, Fault], *_: object) -> dict[str, list[ReleaseVerdict]]:
        asked.append({fault.system for fault in known.values()})
        return {name: [] for name in known}

    monkeypatch.setattr(release_matrix, "all_verdicts", nothing_found)
    for name in ("2.9.2", "pip-192", "4.0.14"):
        releases.run_releases(Console(quiet=True), None, [name], recompute=True)
    assert asked == [{"leader_election", "lock_manager", "locks"}, {"load_data"}, {"channel"}]


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("7.2.9", ["Redis Cluster rules of 7.2.4"]),
        ("7.17.20", ["Elasticsearch rules of 7.17.0"]),
        ("7.10.2", ["Elasticsearch rules of 7.0.0", "Redis Cluster rules of 7.4.1"]),
        ("5.0.2", ["rules of 5.0.1"]),
        ("9.9.9", ["rules of 5.0.1"]),
    ],
)
def test_release_of_another_project_is_judged_by_its_rules(name: str, by: list[str]) -> None:
    found = oneowner("releases", name)
    notes = [line for line in found.out.splitlines() if line.startswith("release ")]
    assert notes == [f"release {name} is not known; it is judged by the {one}" for one in by]


def test_bugs_of_a_release_name_the_systems_that_they_are_of() -> None:
    found = oneowner("releases", "2.9.2").out
    for words in (
        "locks: ResourceLockImpl: one lock on an ephemeral node",
        "lock_manager: OwnershipCache and ModularLoadManagerImpl",
    ):
        assert words in found
