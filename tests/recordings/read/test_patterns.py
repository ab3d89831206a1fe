"""The table of log lines: the events of lines of each era; a line with known words never passes unread."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.documents import read_document
from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.log_forms import cut_attributes
from oneowner.checkers.recordings.read.log_lines import LogLine
from oneowner.checkers.recordings.read.log_patterns import TABLE, Garbled, Understood, read_table, table
from oneowner.checkers.recordings.read.log_reader import LogReader
from oneowner.checkers.recordings.read.log_values import split_attributes
from oneowner.checkers.recordings.read.observations import Printed
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.record import Record, ServiceUnitState

REAL = TOP / "traces" / "real"
PACKAGE = "org.apache.pulsar.broker.loadbalance.extensions."
CHANNEL = PACKAGE + "channel.ServiceUnitStateChannelImpl"
MANAGER = PACKAGE + "ExtensibleLoadManagerImpl"
UNIT = "rig/a/0x00000000_0x40000000"
OWNED = "ServiceUnitStateData[state=Owned, dstBroker=b1:8080, sourceBroker=null, splitServiceUnitToDestBroker=null, force=false, timestamp=5, versionId=2]"  # noqa: E501
FORCED = OWNED.replace("force=false", "force=true").replace("sourceBroker=null", "sourceBroker=b2:8080")
SPLITTING = "ServiceUnitStateData[state=Splitting, dstBroker=null, sourceBroker=b1:8080, splitServiceUnitToDestBroker={0x00000000_0x20000000=Optional.empty, 0x20000000_0x40000000=Optional[b2:8080]}, force=false, timestamp=-1, versionId=-9223372036854775808]"  # noqa: E501


def owned(*, force: bool = False, source: Any = 0) -> Printed:
    return Printed(Record(ServiceUnitState.OWNED, "b1:8080", source, force, 2), 5, None)  # type: ignore[arg-type]


def line(logger: str, message: str, attributes: dict[str, str] | None = None) -> LogLine:
    return LogLine(Origin(0, 0, 1), 1, 0, "INFO", logger, "main", message, attributes, [])


def understood(logger: str, message: str, attributes: dict[str, str] | None = None) -> tuple[str, dict[str, Any]]:
    found = table().understand(line(logger, message, attributes))
    assert isinstance(found, Understood), found
    return found.pattern.id, found.values


REQUEST = {"broker": "b1:8080", "unit": UNIT, "data": owned(), "handled": 7}


def test_handle_request_says_the_same_in_three_layouts() -> None:
    printf = f"b1:8080 received a handle request for serviceUnit:{UNIT}, data:{OWNED}. totalHandledRequests:7"
    slog = f"received a handle request {{broker=b1:8080, data={OWNED}, serviceUnit={UNIT}, totalHandledRequests=7}}"
    attributes = {"broker": "b1:8080", "data": OWNED, "serviceUnit": UNIT, "totalHandledRequests": "7"}
    for found in (
        understood(CHANNEL, printf),
        understood(CHANNEL, slog),
        understood(CHANNEL, "received a handle request", attributes),
    ):
        assert found == ("handle-request", REQUEST)


def test_tombstone_is_none_whether_null_or_nothing() -> None:
    request = f"b1:8080 received a handle request for serviceUnit:{UNIT}, data:null. totalHandledRequests:1"
    handled = (
        f"b1:8080 handled Init event for serviceUnit:{UNIT}, cur:, next:, totalHandledRequests:1, totalFailedRequests:0"
    )
    assert understood(CHANNEL, request)[1]["data"] is None
    assert understood(CHANNEL, handled) == (
        "handled",
        {"broker": "b1:8080", "event": "Init", "unit": UNIT, "cur": None, "next": None, "handled": 1, "failed": 0},
    )


def test_handled_event_of_the_5_0_line_has_records_with_commas_and_braces() -> None:
    text = f"Handled event for serviceUnit {{broker=b1:8080, cur={SPLITTING}, event=Splitting, handlerTotalCount=3, next=, serviceUnit={UNIT}, totalFailedRequests=0}}"  # noqa: E501
    event, values = understood(CHANNEL, text)
    assert (event, values["next"], values["handled"]) == ("handled", None, 3)
    assert values["cur"].children == ("0x00000000_0x20000000", "0x20000000_0x40000000")
    assert values["cur"].record.version == -(2**63)


def test_override_is_read_in_all_its_forms() -> None:
    ends = f"ownership serviceUnit:{UNIT} from orphanData:{OWNED} to overrideData:"
    both = {"unit": UNIT, "orphan": owned(), "override": owned(force=True, source="b2:8080")}
    assert understood(CHANNEL, f"Overriding inactiveBroker:b2:8080, {ends}{FORCED}") == (
        "override",
        {"inactive": "b2:8080", **both},
    )
    assert understood(CHANNEL, f"Overriding inactiveBroker:null, {ends}{FORCED}")[1]["inactive"] is None
    assert understood(CHANNEL, f"Overriding inactiveBroker:null, {ends}{FORCED} {{}}")[1]["inactive"] is None
    assert understood(CHANNEL, f"Overriding {ends}{FORCED}") == ("override", both)
    assert understood(CHANNEL, f"Overriding in-flight state {ends}Optional[{FORCED}]") == ("override", both)


@pytest.mark.parametrize(
    ("printed", "value"), [("Optional[b1:8080]", "b1:8080"), ("Optional.empty", None), ("null", None), ("b1", "b1")]
)
def test_optional_and_null_become_values(printed: str, value: str | None) -> None:
    text = f"b1:8080 failed to wait for owner for serviceUnit:{UNIT}; Trying to return the current owner:{printed}"
    assert understood(CHANNEL, text) == ("owner-wait-timed-out", {"broker": "b1:8080", "unit": UNIT, "owner": value})


def test_leader_is_read_with_or_without_optional() -> None:
    text = "Successfully found the channel leader:LeaderBroker(brokerId=b1:8080, serviceUrl=http://b1:8080)."
    assert understood(CHANNEL, text) == ("channel-leader-found", {"leader": "b1:8080"})


def test_lost_view_is_read_with_its_units_and_without() -> None:
    logger = "org.apache.pulsar.metadata.tableview.impl.MetadataStoreTableViewImpl"
    start = "b1:8080 clearing owned bundles because metadata store session lost"
    assert understood(logger, f"{start} {{}}") == ("view-cleared", {"broker": "b1:8080", "snapshot": ()})
    event, values = understood(logger, f"{start} {{{UNIT}={OWNED}, a/b/0x00000000_0xffffffff={SPLITTING}}}")
    assert (event, [unit for unit, _ in values["snapshot"]]) == ("view-cleared", [UNIT, "a/b/0x00000000_0xffffffff"])


def test_skipped_message_is_read_in_both_eras() -> None:
    logger = "org.apache.pulsar.client.impl.TableViewImpl"
    topic = "persistent://pulsar/system/loadbalancer-service-unit-state"
    values = {"topic": topic, "unit": UNIT, "value": owned(), "prev": owned(force=True, source="b2:8080")}
    old = f"Skipped the message from topic {topic}. key={UNIT} value={OWNED} prev={FORCED}"
    new = f"Skipped the message {{key={UNIT}, prev={FORCED}, topic={topic}, value={OWNED}}}"
    assert understood(logger, old) == ("skipped", values)
    assert understood(logger, new) == ("skipped", values)


def test_monitor_run_is_read_with_its_counts() -> None:
    text = "Completed the ownership monitor run in 3.0 ms. Scheduled cleanups for inactive brokers:[b2:8080, b3:8080]. inactiveBrokerCount:2. Published cleanups for orphan service units, orphanServiceUnitCleanupCnt:1. Tombstoned semi-terminal state service units, serviceUnitTombstoneCleanupCnt:4. Approximate cleanupErrorCnt:0, metrics:{totalInactiveBrokerCleanupCnt:1,   activeCleanupJobs:1}."  # noqa: E501
    event, values = understood(CHANNEL, text)
    assert event == "monitor-completed"
    assert (values["inactive"], values["orphans"], values["tombstones"]) == (("b2:8080", "b3:8080"), 1, 4)


def test_topics_and_producers_are_read() -> None:
    service, topic = "org.apache.pulsar.broker.service.BrokerService", "persistent://rig/a/t0"
    assert understood(service, f"Created topic {topic} - dedup is disabled")[1]["topic"] == topic
    assert understood(service, f"[{topic}] Unloading topic") == ("topic-unloading", {"topic": topic})
    closed = understood("org.apache.pulsar.broker.service.persistent.PersistentTopic", f"[{topic}] Topic closed")
    assert closed == ("topic-closed", {"topic": topic})
    producer = f"[{topic}] [rig-0-3] Created producer on cnx [id: 0xfb, L:/127.0.0.1:4 - R:127.0.0.1/127.0.0.1:5]"
    event, values = understood("org.apache.pulsar.client.impl.ProducerImpl", producer)
    assert (event, values["topic"], values["producer"]) == ("producer-created", topic, "rig-0-3")


@pytest.mark.parametrize(
    "message",
    [
        f"b1:8080 received a handle request for serviceUnit:{UNIT}, data:{OWNED}. totalHandledRequests:",
        f"b1:8080 received a handle request for serviceUnit:{UNIT}, data:{OWNED[:-9]}. totalHandledRequests:7",
        f"b1:8080 received a handle request for serviceUnit:{UNIT}, data:{OWNED.replace('Owned', 'Own')}. totalHandledRequests:7",  # noqa: E501
        f"b1:8080 received a handle request for serviceUnit:rig/a, data:{OWNED}. totalHandledRequests:7",
        f"b1:8080 received a handle request for serviceUnit:{UNIT}",
        "b1:8080 received a han",
        f"received a handle request {{broker=b1:8080, data={OWNED}, serviceUnit={UNIT}}}",
        f"received a handle request {{broker=b1:8080, data={OWNED}, serviceUnit={UNIT}, totalHandledRequests=x}}",
    ],
)
def test_line_with_known_words_that_does_not_parse_is_garbled(message: str) -> None:
    found = table().understand(line(CHANNEL, message))
    assert isinstance(found, Garbled)
    assert found.pattern.id == "handle-request"


def test_line_without_known_words_is_unknown() -> None:
    assert table().understand(line(CHANNEL, "Something that no version has printed yet")) is None
    assert table().understand(line(PACKAGE + "Unheard", "Something")) is None


def test_every_line_of_the_load_balancer_counts_whatever_its_class() -> None:
    view = "org.apache.pulsar.client.impl.TableViewImpl"
    assert table().counts(line(PACKAGE + "Unheard", "Something"))
    assert table().wanted(PACKAGE + "Unheard") is not None
    assert table().counts(line(view, "Reader persistent://pulsar/system/loadbalancer-service-unit-state was closed"))
    assert not table().counts(line(view, "Reader persistent://rig/a/t0 was closed while reading tail messages."))
    assert not table().counts(line("org.apache.pulsar.broker.service.ServerCnx", "Created"))


SAMPLES = {
    "broker": "b1:8080", "unit": UNIT, "units": f"[{UNIT}, {UNIT}]", "record": SPLITTING, "leader": "null",
    "snapshot": f"{{{UNIT}={SPLITTING}}}", "settings": "a=b, c=[d, e]", "topic": "persistent://rig/a/t0", "word": "it",
    "list": "[b1:8080, b2:8080]", "int": "-5", "float": "1.5", "str": "some words {a:1}",
}  # fmt: skip


def sample(template: str) -> str:
    return re.sub(
        r"\{([a-z_]+)(?::([a-z]+))?\}", lambda found: SAMPLES.get(found[2] or found[1], SAMPLES["str"]), template
    )


@cache
def templates() -> dict[str, list[tuple[str, str, str | None]]]:
    """Return the lines of each class: the event, the message, and its attributes in the 5.0 line."""
    by_class: dict[str, list[tuple[str, str, str | None]]] = {}
    for group in read_document(TABLE).data:
        found = by_class.setdefault(group["class"], [])
        for row in group["lines"]:
            messages = row["message"] if isinstance(row["message"], list) else [row["message"]]
            found += [(row["id"], sample(message), None) for message in messages]
            masters = row.get("master", [])
            for master in masters if isinstance(masters, list) else [masters]:
                message, _, attributes = master.rpartition(" [")
                forms = (
                    one.partition("=") if one[0] != "{" else ("", "", one) for one in cut_attributes(attributes[:-1])
                )
                named = sorted((name or re.split("[{:}]", one)[1], sample(one)) for name, _, one in forms)
                printed = ", ".join(f"{name}={text}" for name, text in named)
                found.append((row["id"], sample(message), "{" + printed + "}"))
    return by_class


@pytest.mark.parametrize("name", templates())
def test_every_form_is_read_as_itself_whatever_the_layout(name: str) -> None:
    assert templates()[name]
    for event, message, attributes in templates()[name]:
        text = message if attributes is None else f"{message} {attributes}"
        assert understood(PACKAGE + name, text)[0] == event
        split = (f"{text} {{}}",) if attributes is None else split_attributes(text)
        assert split is not None
        assert understood(PACKAGE + name, *split) == understood(PACKAGE + name, text)


def test_patterns_that_laws_read_are_those_that_code_names() -> None:
    """Where a law needs a line, one that does not parse is damage: the table lists the laws."""
    rooms = [TOP / "oneowner" / "checkers" / "recordings" / room for room in ("explain", "laws", "read", "scene")]
    code = "".join(path.read_text() for room in rooms for path in room.rglob("*.py"))
    named = {pattern.id for pattern in table() if f'"{pattern.id}"' in code}
    assert {pattern.id for pattern in table() if pattern.is_needed} == named
    assert all(pattern.is_kept for pattern in table() if pattern.is_needed)


def test_line_near_one_that_no_law_reads_is_not_understood() -> None:
    near = "Failed to flush the table view in a while"
    assert table().understand(line(CHANNEL, near)) is None
    assert table().understand(line(CHANNEL, "Failed to flush the ta")) is None


@pytest.mark.parametrize(
    ("name", "message", "event", "values"),
    [
        (CHANNEL, "Failed to flush", "flush-failed", {}),
        (
            PACKAGE + "manager.UnloadManager",
            f"Handling {OWNED} for service unit {UNIT} with exception.",
            "unload-handling-failed",
            {"data": owned(), "unit": UNIT},
        ),
        (
            CHANNEL,
            "metadata state:Jittery is not Stable. Skipping ownership monitor. lastMetadataSessionEvent:SessionLost, "
            "lastMetadataSessionEventTimestamp:7",
            "monitor-skipped-unstable",
            {"state": "Jittery", "event": "SessionLost", "at": 7},
        ),
        (CHANNEL, "b2:8080 Failed to run health check", "health-check-errs", {"subject": "b2:8080"}),
        (
            PACKAGE + "BrokerRegistryImpl",
            "Handle metadata session event: [SessionReestablished]",
            "registry-session-event",
            {"event": "SessionReestablished"},
        ),
    ],
)
def test_lines_of_newer_releases_are_read(name: str, message: str, event: str, values: dict[str, Any]) -> None:
    assert understood(name, message) == (event, values)


@pytest.mark.parametrize(
    ("name", "message", "event", "values"),
    [
        (
            "org.apache.pulsar.broker.namespace.NamespaceService",
            "The information about the current leader broker wasn't available. Handling load manager decisions in a "
            f"decentralized way. NamespaceBundle[{UNIT}]",
            "leader-unknown",
            {"unit": UNIT},
        ),
        (
            "org.apache.pulsar.broker.namespace.OwnershipCache",
            f"Successfully acquired ownership of OwnedBundle(bundle={UNIT}, isActive=1)",
            "ownership-acquired",
            {"unit": UNIT, "active": 1},
        ),
        (
            "org.apache.pulsar.broker.namespace.OwnershipCache",
            f"Resource lock for /namespace/{UNIT} has expired",
            "ownership-lock-expired",
            {"unit": UNIT},
        ),
        (
            "org.apache.pulsar.broker.namespace.OwnershipCache",
            f"Trying to acquire ownership {{bundle={UNIT}}}",
            "ownership-sought",
            {"unit": UNIT},
        ),
        (
            "org.apache.pulsar.metadata.coordination.impl.ResourceLockImpl",
            f"Lock on resource /namespace/{UNIT} was invalidated. state VALID",
            "lock-invalidated",
            {"path": f"/namespace/{UNIT}", "state": "VALID"},
        ),
        (
            "org.apache.pulsar.broker.PulsarService",
            "This broker is a follower. Current leader is Optional[LeaderBroker(serviceUrl=http://b8.prod:8080/)]",
            "broker-follows",
            {"leader": "b8.prod:8080"},
        ),
        (
            "org.apache.pulsar.broker.PulsarService",
            "This broker b1:8080 is a follower. Current leader is LeaderBroker(brokerId=b2:8080, "
            "serviceUrl=http://b2:8080)",
            "broker-follows",
            {"broker": "b1:8080", "leader": "b2:8080"},
        ),
        (
            "org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl",
            f"[ThresholdShedder] Unloading bundle: {UNIT} from broker b1:8080",
            "modular-unload",
            {"strategy": "ThresholdShedder", "unit": UNIT, "source": "b1:8080"},
        ),
        (
            "org.apache.pulsar.broker.service.BrokerService",
            "Namespace bundle for topic (persistent://rig/a/t0) not served by this instance:b1:8080. Please redo the "
            "lookup. Request is denied: namespace=rig/a",
            "topic-not-served",
            {"topic": "persistent://rig/a/t0", "own": "b1:8080", "namespace": "rig/a"},
        ),
    ],
)
def test_lines_of_the_modular_manager_and_of_older_releases_are_read(
    name: str, message: str, event: str, values: dict[str, Any]
) -> None:
    assert understood(name, message) == (event, values)


def test_levels_are_those_that_pulsar_logs() -> None:
    wrong = set()
    for path in (*(REAL / "zombie").glob("broker-*"), *(REAL / "zk-partition-metadata").glob("broker-*")):
        for one in LogReader(0, str(path), table().wanted).read():
            found = table().understand(one) if isinstance(one, LogLine) else None
            if isinstance(found, Understood) and found.pattern.is_kept and found.pattern.level != one.level:  # type: ignore[union-attr]
                wrong.add((found.pattern.id, found.pattern.level, one.level))  # type: ignore[union-attr]
    assert wrong <= {("lookup-failed", "WARN", "INFO")}, wrong


def test_ids_are_toldcut_attributes_and_debug_events_are_the_channels() -> None:
    ids = [pattern.id for pattern in table()]
    assert len(ids) == len(set(ids)) > 150
    assert {"handle-request", "loaded-data", "monitor-started"} <= table().debug_events()
    assert "ownership-entry-set" not in table().debug_events()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("[{id: a, level: INFO, message: 'x {n:bird}'}]", "type refused: bird"),
        ("[{id: a, level: LOUD, message: x}]", "no such level"),
        ("[{id: a, level: INFO, message: x}, {id: a, level: INFO, message: y}]", "id refused: a"),
        ("[{id: a, level: INFO, message: x, master: 'y'}]", r"message \[attributes\]"),
        ("[{id: a, level: INFO, message: x, master: 'y [broker]'}]", "attribute refused: broker"),
        ("[{id: a, level: INFO, message: x, kept: seen}]", "it is true or false"),
        ("[{id: a, level: INFO, message: x, speaker: broker}]", "no such placeholder"),
        ("[{id: a, level: INFO}]", "message is missing"),
    ],
)
def test_table_that_cannot_be_is_refused(tmp_path: Path, rows: str, words: str) -> None:
    path = tmp_path / "patterns.yaml"
    path.write_text(f"- class: X\n  counted: yes\n  lines: {rows}\n")
    with pytest.raises(Misuse, match=words):
        read_table(path)
