"""The answer to a text that is not about ownership names its subject, places to look at, and known trouble."""

from pathlib import Path

import pytest

from oneowner.checkers.bugs.advice import Advice, advice_of
from oneowner.checkers.bugs.answer import EXCERPT, answer_to
from oneowner.checkers.bugs.sources import Source
from oneowner.checkers.bugs.subjects import PART, PRODUCT, subjects

BROKER = "2024-05-06T07:08:09,101+0000 [pulsar-io-4-1] WARN  org.apache.pulsar.broker.service.ServerCnx - "
SHOWN = [
    ("1:M 01 Jan 2021 10:00:00.000 # Cluster state changed: fail", "Redis", "CLUSTER NODES of each node"),
    (
        "1:M 01 Jan 2021 10:00:00.000 # I have keys for slot 7, but the slot is assigned to another node. "
        "Setting it to importing state.",
        "Redis",
        "CLUSTER SETSLOT n STABLE",
    ),
    ("[ERR] Calling MIGRATE: ERR CLUSTERDOWN The cluster is down", "Redis", "cluster-require-full-coverage"),
    (
        '{"can_allocate": "allocation_delayed", "shard": 3}',
        "Elasticsearch",
        "index.unassigned.node_left.delayed_timeout",
    ),
    ("shop 0 r UNASSIGNED NODE_LEFT", "Elasticsearch", "_cluster/allocation/explain"),
    (
        "10:00:01 INFO stream-thread [x] Requested to schedule probing rebalance for 1601546400000 ms",
        "an assignment of tasks by Kafka Streams",
        "oneowner assign --batch FILE",
    ),
    (BROKER + "Not enough non-faulty bookies available", "BookKeeper (ledgers, bookies)", "listbookies"),
    (BROKER + "OutOfDirectMemoryError: failed to allocate 4194304 byte(s)", "memory", "MaxDirectMemorySize"),
    (
        BROKER + "Failed to authenticate: token expired",
        "authentication, authorization or TLS",
        "superUserRoles",
    ),
    (
        "java.net.UnknownHostException: failed to resolve 'mq-9.example.org' after 8 queries",
        "names and addresses (DNS, advertised addresses, ports)",
        "advertisedAddress",
    ),
    (
        BROKER + "ProducerFencedException: Producer was fenced",
        "producers (names, exclusive access, blocked by a quota)",
        "publishers",
    ),
    (
        BROKER + "TopicPoliciesCacheNotInitException: Topic policies cache have not init.",
        "topic policies (the system topic __change_events)",
        "__change_events",
    ),
]


def advice(tmp_path: Path, text: str) -> Advice:
    path = tmp_path / "pasted"
    path.write_text(f"{text}\n", encoding="utf-8")
    return advice_of(answer_to([Source("pasted", str(path))]))


@pytest.mark.parametrize(("text", "subject", "place"), SHOWN, ids=lambda one: one[:30])
def test_text_of_another_subject_gets_it_and_places_to_look_at(
    text: str, subject: str, place: str, tmp_path: Path
) -> None:
    given = advice(tmp_path, text)
    assert given.headline == f"not about ownership: it is about {subject}"
    assert given.is_conclusive
    assert any(place in line for line in given.collect)


def test_each_part_of_pulsar_names_places_to_look_at() -> None:
    assert [one.name for one in subjects() if one.kind == PART and not one.look] == []


def test_known_trouble_is_of_other_products_and_has_words() -> None:
    troubles = [(one, trouble) for one in subjects() for trouble in one.known]
    assert troubles
    assert all(one.kind == PRODUCT and trouble.signs and trouble.note for one, trouble in troubles)


def test_frames_of_a_broker_alone_are_of_pulsar(tmp_path: Path) -> None:
    """No message names a subject; what is lacking is the message, or more dumps."""
    frame = "\tat org.apache.pulsar.broker.namespace.NamespaceService.isServiceUnitOwned(NamespaceService.java:900)"
    given = advice(tmp_path, frame)
    assert given.headline == "no known bug: lines of Pulsar are there, and their subject is not recognised"
    assert not given.is_conclusive
    assert any("jstack" in line for line in given.collect)


def test_whole_log_of_a_broker_is_never_about_something_else_alone(tmp_path: Path) -> None:
    """An excerpt was chosen by a person; in a whole log most warnings may be about BookKeeper at any time."""
    given = advice(tmp_path, "\n".join([BROKER + "Not enough non-faulty bookies available"] * (EXCERPT + 1)))
    assert given.headline.startswith(f"no known bug in {EXCERPT + 1} lines; most warnings are about BookKeeper")
    assert not given.is_conclusive
    assert any("listbookies" in line for line in given.collect)
    assert any("oneowner audit" in line for line in given.collect)


def test_lost_session_comes_before_many_warnings_in_a_whole_log(tmp_path: Path) -> None:
    many = [BROKER + f"o.a.b.client.PendingAddOp - Failed to write {number}" for number in range(EXCERPT + 1)]
    lost = BROKER.replace("ServerCnx", "ZKSessionWatcher") + "ZooKeeper session expired"
    given = advice(tmp_path, "\n".join([*many, lost]))
    assert given.headline.endswith("lines; look first at the metadata store (ZooKeeper, its sessions)")
    assert given.collect[0].startswith("the quorum and latency of ZooKeeper")


def test_lines_that_every_broker_prints_are_of_no_subject(tmp_path: Path) -> None:
    rack = "o.a.b.client.TopologyAwareEnsemblePlacementPolicy - Failed to resolve network location for b1, "
    usual = [BROKER + f"{rack}using default rack for it : /default-rack. {number}" for number in range(EXCERPT + 1)]
    assert advice(tmp_path, "\n".join(usual)).headline == f"no known bug in {EXCERPT + 1} lines"
