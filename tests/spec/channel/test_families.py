"""The families of the channel: their number, those in which two brokers may serve; a wrong pin of a law is reported."""

from dataclasses import replace

from oneowner.checkers.ledger.exploration_verdict import judge, pinned
from oneowner.checkers.ledger.family_search import search
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Dialect, Rules, Storage
from oneowner.spec.channel.registry import PROPERTIES
from tests.channel import channel_families


def test_ledger_has_the_families_of_the_issue() -> None:
    names = {"assignment", "transfer", "transfer-metadata-store", "failure", "expiry"}
    assert names <= channel_families().keys()
    assert sum(family.profile == "smoke" for family in channel_families().values()) >= 2
    assert all(family.bounds.rules == Rules() for family in channel_families().values())


def test_ledger_holds_release_4_0_6_to_its_single_server_and_writer() -> None:
    """models.S23: reachable after an expiry, crash, shutdown, time-out or revival; models.S22 fails in one family."""
    released = {name: row for name, row in channel_families().items() if row.bounds.dialect == Dialect.RELEASED}
    for name, row in released.items():
        held = Verdict.INVALID if row.bounds.early_opens else Verdict.VALID  # no taint explains an early open
        assert row.laws["single-server"] == row.laws["single-writer"] == held, name
        faulty = row.bounds.expiries + row.bounds.crashes + row.bounds.pauses + row.bounds.outages > 0
        late = row.bounds.tombstones > 0 and row.bounds.assigns > 1  # models.H3: no fault at all is needed
        revived = row.bounds.splits > 0 and row.bounds.assigns > 0  # stale boundaries: nor here
        given_away = row.bounds.shutdowns > 0  # a unit in flight is given away by a forced Owned
        timed_out = row.bounds.flight_timer + row.bounds.slow_closes > 0  # while topics are still being closed
        parted = row.bounds.synced > 0  # models.S50: two storages, each with an owner
        wrapped = row.bounds.wraps > 0 and row.bounds.assigns > 1  # by a record from before the wrap
        dual = faulty or late or revived or given_away or timed_out or parted or wrapped
        assert (row.laws["single-writer-always"] == Verdict.INVALID) == dual, name
        # Of a close that is slow, or is given on while it is under way, the ledger alone is open twice; so it is where
        # no broker lags by two records (failed-publish).
        fenced = name in {
            "failed-publish",
            "in-flight-transfer",
            "leader-stop",
            "policies",
            "shutdown-unawaited",
            "slow-close",
            "transfer-given-back",
        }
        assert (row.laws["single-server-always"] == Verdict.INVALID) == (dual and not fenced), name
        assert ("untainted-served-after-fault" in row.witnesses) == faulty, name


def test_wrong_verdict_of_any_law_is_unknown_and_names_the_law() -> None:
    bounds = Bounds(storage=Storage.METADATA_STORE, owner=1, transfers=1)
    unpinned = replace(channel_families()["transfer-metadata-store"], bounds=bounds, witnesses=("transfer-ends",))
    judged = search(unpinned)
    found, laws = judged.exploration, {row.law: row.verdict for row in judged.result.laws}
    family = replace(
        unpinned, laws=laws, states=found.distinct, transitions=found.transitions, depth=found.depth, liveness={}
    )
    for law in (law.name for law in PROPERTIES):
        for pin in set(Verdict) - {laws[law]}:
            wrong = replace(family, laws=laws | {law: pin})
            result = judge(wrong, found, pinned(wrong, True), True).result
            assert result.verdict == Verdict.UNKNOWN
            new = f": the law is new there; it is pinned by: oneowner bless {wrong.full_name}"
            words = f"{law}: {laws[law]}, but the ledger pins {pin}"
            assert result.reasons == [f"{words}{new if pin == Verdict.UNKNOWN else ''}"]
