"""Which release behaves how: the table against the version matrix, and each switch at its guard."""

import re
from dataclasses import fields

import pytest

from oneowner.checkers.places import TOP
from oneowner.model.channel.parts import Node, Request
from oneowner.model.channel.readings import ELSEWHERE, READINGS, known
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, Record
from oneowner.model.channel.recovery import naming, told
from oneowner.model.channel.releases import NAMES, RELEASES, has_metadata_store, rules_of
from oneowner.model.channel.rules import RELEASE_4_0_6, Rules, Storage
from oneowner.model.channel.system import SWITCHES
from oneowner.model.kernel.releases import Switch, is_between, version
from oneowner.model.kernel.system import Known, found_in
from oneowner.spec.channel.system import SYSTEM
from tests.model.channel.cluster import Cluster, start

SHUTDOWN = {"override_when_caught_up", "unregistered_lookup_fails", "release_at_shutdown"}
LATER = {*SHUTDOWN, "health_check", "unregistered_goes_by_view"}
OLD = {*LATER, "clean_up_needs_leader", "override_names_owner", "time_out_rolls_back", "tombstone_at_once"}
NOT_LOADED = {"existing_owned_loaded", "start_fails_fast"}
SKIPS = {"skipped_informs"}
DELETING = {"tombstones_inactive_only"}
IMPATIENT = {"registry_read_waits"}
CLOSING = {"unloads_before_closing"}
UNATOMIC = {"selection_looks_again", "waits_in_one_step", "request_removes_itself"}
EARLY = {
    *OLD, *UNATOMIC, *CLOSING, *NOT_LOADED, "frees_unplaced", "redirect_in_flight",
    "wait_for_registered_owner", "store_closes_blocking", "follower_opens_topics",
}  # fmt: skip
ONE_PHASE = {"multi_phase_unload"}
NAMED = {"free_names_nobody"}
CONCURRENT = {*SHUTDOWN, "system_units_overridden"} - {"release_at_shutdown"}
RENEWED = {"registers_with_session"}
LOCKED = {*RENEWED, "registers_by_lock"}
SPLIT_ENTRIES = {"batches_stay_whole"}
OPEN_TOPICS = {*LOCKED, "follower_closes_topics"}
REGISTERING = {*RENEWED, "disabled_asks_registry"}
HORIZON = {*REGISTERING, "seek_keeps_horizon"}
ANSWERING = {*HORIZON, "assigning_resolved_at_start"}
RESETTING = {*ANSWERING, "reset_keeps_properties"}
LEADING = {*RESETTING, "leader_read_from_cache", "syncer_copies_deletions", "ack_stays_in_ledger"}
APART = {*LEADING, "store_closes_blocking", "request_removes_itself", "job_removes_itself", "clean_spares_open"}
MENDED = {"wait_removed_first", "flush_applies_last", "ledger_closed_first", "cursor_keeps_properties"}
RETRYING = {*APART, *MENDED, "shutdown_retries", "overrides_again", "disabled_assigns"}
MIGRATING = {"migration_awaits_all"}
MATRIX = {
    "3.0.0": {*EARLY, "override_tells_owner", "drain_at_shutdown", "one_oracle", *ONE_PHASE}
    | OPEN_TOPICS
    | SPLIT_ENTRIES,
    "3.0.1": EARLY | ONE_PHASE | SKIPS | OPEN_TOPICS | SPLIT_ENTRIES,
    "3.0.2": EARLY | ONE_PHASE | SKIPS | DELETING | OPEN_TOPICS,
    "3.0.3": OLD | ONE_PHASE | SKIPS | NOT_LOADED | IMPATIENT | CLOSING | OPEN_TOPICS,
    "3.0.5": OLD | ONE_PHASE | SKIPS | NOT_LOADED | IMPATIENT | OPEN_TOPICS,
    "3.0.6": LATER | ONE_PHASE | SKIPS | NOT_LOADED | NAMED | OPEN_TOPICS,
    "3.0.13": LATER | ONE_PHASE | SKIPS | NAMED | LOCKED,
    "3.0.17": LATER | ONE_PHASE | SKIPS | NAMED | LOCKED,
    "3.1.0": EARLY | ONE_PHASE | SKIPS | OPEN_TOPICS | SPLIT_ENTRIES,
    "3.1.1": EARLY | ONE_PHASE | SKIPS | DELETING | OPEN_TOPICS,
    "3.1.2": EARLY | ONE_PHASE | SKIPS | DELETING | OPEN_TOPICS,
    "3.1.3": OLD | ONE_PHASE | SKIPS | NOT_LOADED | IMPATIENT | CLOSING | OPEN_TOPICS,
    "3.2.0": OLD | {"redirect_in_flight"} | UNATOMIC | SKIPS | NOT_LOADED | CLOSING | OPEN_TOPICS,
    "3.2.1": OLD | SKIPS | NOT_LOADED | IMPATIENT | CLOSING | OPEN_TOPICS,
    "3.2.3": OLD | SKIPS | NOT_LOADED | IMPATIENT | OPEN_TOPICS,
    "3.2.4": LATER | SKIPS | NOT_LOADED | NAMED | OPEN_TOPICS,
    "3.3.0": OLD | SKIPS | NOT_LOADED | IMPATIENT | OPEN_TOPICS,
    "3.3.1": LATER | SKIPS | NOT_LOADED | NAMED | OPEN_TOPICS,
    "3.3.2": {*LATER, "re_registration"} | SKIPS | NAMED | {"ephemeral_registration"},
    "3.3.3": SHUTDOWN | SKIPS | {"ephemeral_registration"},
    "3.3.4": SHUTDOWN | SKIPS | {"ephemeral_registration"},
    "3.3.5": SHUTDOWN | SKIPS,
    "3.3.6": SHUTDOWN | SKIPS,
    "3.3.7": CONCURRENT | SKIPS,
    "3.3.8": CONCURRENT | SKIPS,
    "3.3.9": CONCURRENT | SKIPS,
    "4.0.0": {"full_equality", "session_loss_empties_view", "unregistered_lookup_fails"} | {"ephemeral_registration"},
    "4.0.2": {"full_equality", "session_loss_empties_view", "unregistered_lookup_fails", "ephemeral_registration"},
    "4.0.3": {"full_equality", "session_loss_empties_view", "unregistered_lookup_fails"},
    "4.0.4": {"full_equality", "session_loss_empties_view", "unregistered_lookup_fails"},
    "4.0.5": {"session_loss_empties_view", "unregistered_lookup_fails"},
    "4.0.6": set[str](),
    "4.0.7": set[str](),
    "4.0.8": REGISTERING,
    "4.0.9": HORIZON,
    "4.0.10": ANSWERING,
    "4.0.11": RESETTING,
    "4.0.12": LEADING,
    "4.0.13": APART,
    "4.0.14": RETRYING,
    "4.1.0": set[str](),
    "4.1.1": set[str](),
    "4.1.2": REGISTERING,
    "4.1.3": HORIZON,
    "4.2.0": ANSWERING | MIGRATING,
    "4.2.2": RESETTING | MIGRATING,
    "4.2.3": LEADING | MIGRATING,
    "4.2.4": APART | MIGRATING,
    "4.2.5": RETRYING | MIGRATING,
    "5.0.0": RETRYING,
    "5.0.1": RETRYING | {"batch_per_attempt", "original_at_cursor", "wait_removed_first"},
}
"""The differences of each release from 4.0.6, typed from code and release notes."""


def differing(rules: Rules) -> set[str]:
    return {field.name for field in fields(Rules) if getattr(rules, field.name) != getattr(RELEASE_4_0_6, field.name)}


@pytest.mark.parametrize("release", MATRIX)
def test_release_differs_from_4_0_6_as_its_code_does(release: str) -> None:
    assert differing(RELEASES[release]) == MATRIX[release]


def test_every_release_of_the_matrix_is_there() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert MATRIX.keys() <= set(NAMES)
    assert NAMES[0] == "3.0.0"


def test_next_release_of_each_line_and_of_a_new_line_behaves_as_the_one_before_it() -> None:
    last = {line(name): name for name in NAMES}
    for name in last.values():
        assert rules_of(next_patch(name)) == RELEASES[name], name
    assert rules_of("5.1.0") == RELEASES[NAMES[-1]]


def line(release: str) -> str:
    return release.rpartition(".")[0]


def next_patch(release: str) -> str:
    return f"{line(release)}.{int(release.rpartition('.')[2]) + 1}"


def test_span_names_releases_that_there_are_one_of_each_line_in_the_order_of_age() -> None:
    """A span that begins or ends at a release that there never was would be a typing error."""
    for name, switch in SWITCHES.items():
        for span in switch.turned:
            for named in (span.first, span.until):
                assert set(named) <= set(NAMES), (name, named)
                assert len({line(one) for one in named}) == len(named), (name, named)
                assert sorted(named, key=lambda one: version(one) or ()) == list(named), (name, named)


def test_release_has_one_reading_at_most() -> None:
    for release in NAMES:
        assert sum(reading.has(release) for reading in READINGS) <= 1, release


def test_switch_of_another_part_is_known_as_that_part_is() -> None:
    """Of 4.0.7 the sources of two parts were there to read, of 5.0.1 the classes of all four."""
    assert ELSEWHERE.keys() <= {field.name for field in fields(Rules)}
    assert known("4.0.6", "seek_keeps_horizon") == known("4.0.7", "health_check") == Known.SOURCE
    assert known("4.0.7", "seek_keeps_horizon") == Known.NOTES
    assert {known("5.0.1", field.name) for field in fields(Rules)} == {Known.BYTECODE}
    assert {known("4.0.14", field.name) for field in fields(Rules)} == {Known.NOTES}


def test_page_of_sources_says_of_every_release_what_was_read_of_it() -> None:
    page = (TOP / "docs" / "sources.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([3-9][0-9., -]+) \| ([a-z ]+) \| [^|]+ \|$", page, re.MULTILINE)
    assert "| all others | release notes only | [release notes] |" in page
    sources = dict.fromkeys(NAMES, Known.NOTES.value)
    for releases, how in rows:
        for span in releases.split(", "):
            first, _, last = span.partition("-")
            sources |= dict.fromkeys((one for one in NAMES if is_between(one, first, last or first)), how)
    assert sources == {release: known(release, "broker_check").value for release in NAMES}


def test_every_switch_of_the_rules_is_declared_by_one_mechanism() -> None:
    assert SWITCHES.keys() == {field.name for field in fields(Rules)}
    assert len(found_in(SYSTEM.modules, Switch)) == len(SWITCHES)


def test_switch_that_some_release_turns_has_a_source() -> None:
    for name, switch in SWITCHES.items():
        assert bool(switch.turned) == any(name in differing(rules) for rules in RELEASES.values())
        assert ("apache/pulsar#" in switch.source) == bool(switch.turned), name


def test_metadata_store_came_with_4_0_0() -> None:
    assert next(name for name in NAMES if has_metadata_store(name)) == "4.0.0"


def assigned(rules: Rules) -> Cluster:
    """Broker 2 is assigned the unit and dies before it has heard of it."""
    cluster = start(brokers=2, assigns=1, crashes=1, rules=rules)
    cluster.do("look_up(broker=1)", "assign(broker=1, destination=2)", "append(broker=1)", "crash(broker=2)")
    return cluster.do("restart(broker=2)")


@pytest.mark.parametrize(("release", "published"), [("4.0.9", []), ("4.0.10", ["Owned(2) v2"]), ("4.1.3", [])])
def test_start_answers_an_assigning_that_waits_since_4_0_10(release: str, published: list[str]) -> None:
    """apache/pulsar#25379."""
    assert assigned(RELEASES[release]).outbox(2) == published


@pytest.mark.parametrize(("release", "source"), [("3.0.0", 0), ("3.0.1", 3), ("3.0.6", 2), ("4.0.6", 2)])
def test_override_of_a_hand_over_names_who_its_release_says(release: str, source: int) -> None:
    """Broker 2 handed the unit to broker 3, which is gone."""
    state = start(brokers=3, owner=2, expiries=1, rules=RELEASES[release]).state
    state.node[3], state.known[1, 3] = Node.ABSENT, False
    orphan = Record(RELEASING, 3, 2, version=3)
    assert naming(orphan, 1, told(state, 1, orphan)) == Record(OWNED, 1, source, True, 4)


def test_start_waits_for_the_end_of_the_old_session_until_3_3_1() -> None:
    """apache/pulsar#23298."""
    older, newer = (start(crashes=1, rules=RELEASES[one]).do("crash(broker=2)") for one in ("3.3.1", "3.3.2"))
    assert older.guard("restart(broker=2)") == "the node of the old process, which is a lock, is gone"
    assert newer.guard("restart(broker=2)") == older.do("expire(broker=2)").guard("restart(broker=2)") == ""


@pytest.mark.parametrize("release", ["3.3.8", "4.0.3"])
def test_leader_reads_the_channel_to_its_end_before_it_overrides_since_4_0_0(release: str) -> None:
    cluster = start(brokers=3, owner=2, crashes=1, unloads=1, rules=RELEASES[release])
    cluster.do("crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)", "unload(broker=3)")
    cluster.do("append(broker=3)")
    guard = "the leader has consumed the whole channel" if release == "4.0.3" else ""
    assert cluster.guard("override(broker=1, destination=3)") == guard


@pytest.mark.parametrize("release", ["4.0.4", "4.0.6"])
def test_view_in_the_metadata_store_keeps_a_record_of_the_same_version_until_4_0_5(release: str) -> None:
    """apache/pulsar#24186: the unit was deleted and assigned anew in between."""
    state = start(storage=Storage.METADATA_STORE, rules=RELEASES[release]).state
    state.view[2, 1], state.base[1] = Record(ASSIGNING, 1, version=1), Record(ASSIGNING, 2, version=1)
    state.changed[2, 1] = True
    cluster = Cluster(state).do("notify(broker=2)")
    assert cluster.state.view[2, 1].destination == (1 if release == "4.0.4" else 2)


@pytest.mark.parametrize("release", ["4.0.5", "4.0.6"])
def test_unregistered_broker_opens_nothing_in_the_metadata_store_since_4_0_6(release: str) -> None:
    """apache/pulsar#24478."""
    state = start(storage=Storage.METADATA_STORE, owner=1, crashes=1, rules=RELEASES[release]).state
    state.serving[1, 1], state.unregistered[1] = False, True
    refused = "a lookup at the broker takes it for an active owner" if release == "4.0.6" else ""
    assert Cluster(state).guard("open(broker=1)") == refused


@pytest.mark.parametrize(
    ("release", "guard"),
    [("3.3.2", "a lookup at the broker takes it for an active owner"), ("3.3.3", ""), ("4.0.0", "")],
)
def test_unregistered_broker_opens_topics_by_its_view_since_3_3_3(release: str, guard: str) -> None:
    """apache/pulsar#23382."""
    state = start(owner=1, expiries=1, rules=RELEASES[release]).state
    state.serving[1, 1], state.unregistered[1], state.known[1, 1] = False, True, False
    assert Cluster(state).guard("open(broker=1)") == guard


@pytest.mark.parametrize(("release", "waiting"), [("3.3.2", Request.WAITING), ("3.3.3", Request.NONE)])
def test_lookup_at_an_unregistered_broker_does_not_wait_since_3_3_3(release: str, waiting: Request) -> None:
    """apache/pulsar#23382."""
    state = start(owner=1, expiries=1, lookups=1, rules=RELEASES[release]).state
    state.unregistered[1], state.known[1, 1] = True, False
    assert Cluster(state).do("open_lookup(broker=1)").state.request[1, 1] == waiting


@pytest.mark.parametrize(
    ("release", "may"),
    [("3.0.1", False), ("3.0.2", True), ("3.0.3", False), ("3.1.0", False), ("3.1.1", True), ("3.1.2", True)],
)
def test_monitor_deletes_the_entry_of_an_owner_from_21213_until_21721(release: str, may: bool) -> None:
    """apache/pulsar#21721."""
    guard = "" if may else "the entry is not active by the leader's view"
    assert start(owner=2, tombstones=1, rules=RELEASES[release]).guard("tombstone(broker=1)") == guard


def unplaced(release: str) -> Cluster:
    """The session of broker 2 expires, which owns the unit and lives on; no broker may take the unit."""
    cluster = start(owner=2, expiries=1, unplaced=1, closings=2, rules=RELEASES[release])
    return cluster.do("expire(broker=2)", "notice(observer=1, broker=2)")


@pytest.mark.parametrize(
    ("release", "guard"), [("3.1.2", "an override that finds no broker frees the unit"), ("3.1.3", "")]
)
def test_override_that_finds_no_broker_frees_the_unit_since_3_1_3(release: str, guard: str) -> None:
    """apache/pulsar#21811."""
    assert unplaced(release).guard("free_orphan(broker=1)") == guard


@pytest.mark.parametrize(("release", "published"), [("3.3.0", []), ("3.3.1", ["nothing"])])
def test_entry_that_was_freed_by_force_is_deleted_at_once_since_3_3_1(release: str, published: list[str]) -> None:
    """apache/pulsar#22743."""
    cluster = unplaced(release).do("free_orphan(broker=1)", "append(broker=1)", "consume(broker=2)")
    assert cluster.do("close(broker=2, number=1)").outbox(2) == published
