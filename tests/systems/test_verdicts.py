"""Verdicts that differ between families and releases, one line each: family@release, its verdict, laws."""

import pytest

from oneowner.checkers.catalogue.families import catalogue, families
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.verdict import Verdict

ROWS = """
elasticsearch/partition            valid   single-primary-in-term
elasticsearch/partition            invalid single-primary-always
elasticsearch/relocation-loss      valid   in-sync-has-acknowledged
elasticsearch/relocation-loss      invalid in-sync-has-acknowledged-always
elasticsearch/relocation-loss      invalid primary-has-acknowledged-always
elasticsearch/relocation-cancelled valid   in-sync-has-acknowledged-always
kafka/from-scratch                 valid   least-behind-restores
kafka/from-scratch@2.6.3           invalid least-behind-restores
leader_election/restarted@2.9.1    invalid leader-owns-the-node-in-the-end
leader_election/restarted@4.0.6    invalid leader-owns-the-node-in-the-end
leader_election/restarted@4.2.4    valid   leader-owns-the-node-in-the-end
leader_election/restarted@4.2.4    invalid deletes-its-own-node
load_data/lost-tombstone@pip-192   valid   shedding-is-not-blocked
load_data/lost-tombstone@4.0.6     invalid shedding-is-not-blocked
load_data/gone@pip-192             valid   shedding-is-not-blocked
load_data/gone@3.0.0               invalid shedding-is-not-blocked
load_data/gone@4.2.4               valid   shedding-is-not-blocked
lock_manager/expiry                valid   single-server
lock_manager/lost-acquire@2.9.1    invalid owner-lets-clients-in
lock_manager/lost-acquire          valid   owner-lets-clients-in
lock_manager/stop@2.9.1            invalid stopping-is-spared
lock_manager/stop                  valid   stopping-is-spared
lock_manager/splits@2.9.1          invalid cut-has-no-node
lock_manager/splits                valid   cut-has-no-node
lock_manager/acquired-anew@2.9.1   invalid single-server
lock_manager/acquired-anew         invalid single-server
lock_manager/two-managers          invalid single-server
locks/holders@2.9.2                invalid one-holder one-holder-for-good told-in-the-end
locks/holders@2.10.5               valid   one-holder-for-good told-in-the-end
locks/holders@2.10.5               invalid one-holder
locks/holders@3.0.7                valid   one-holder-for-good told-in-the-end
locks/holders@3.0.7                invalid one-holder
locks/holders@4.2.4                valid   one-holder-for-good told-in-the-end
locks/holders@4.2.4                invalid one-holder
locks/lost-answer@2.9.2            invalid one-holder one-holder-for-good told-in-the-end
locks/lost-answer@2.10.5           invalid one-holder one-holder-for-good told-in-the-end
locks/lost-answer@3.0.7            valid   one-holder-for-good told-in-the-end
locks/lost-answer@3.0.7            invalid one-holder
locks/lost-answer@4.2.4            valid   one-holder-for-good told-in-the-end
locks/lost-answer@4.2.4            invalid one-holder
redis/manual                       valid   writes-are-kept-always
redis/fail-over                    invalid writes-are-kept-always
streams_group/start                invalid taken-is-not-run
streams_group/retarget             valid   taken-is-not-run one-runner-always
streams_group/expiry               invalid one-runner-always
streams_group/lost-farewell        invalid join-is-accepted
"""


@pytest.mark.parametrize("row", ROWS.split("\n")[1:-1])
def test_verdict_is_pinned(row: str) -> None:
    place, verdict, *laws = row.split()
    name, _, release = place.partition("@")
    family = families()[name].under(release) if release else families()[name]
    assert family.is_pinned
    pinned = {**family.laws, **family.liveness}
    assert [pinned[law] for law in laws] == [Verdict(verdict)] * len(laws)


@pytest.mark.parametrize("name", ["failure_is_not_flagged", "reconnection_is_not_heard"])
def test_variant_that_breaks_no_law_is_no_fault(name: str) -> None:
    assert not isinstance(catalogue()[name], Fault)
