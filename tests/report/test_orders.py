"""Each order of a law has a command, with broker and bundle put in, and no command does harm."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest

from oneowner.checkers.places import PACKAGE
from oneowner.checkers.report.commands import Purpose
from oneowner.checkers.report.orders import MOST, OVER, Order, Subject, order, order_for, order_for_finding

B1, B2 = "127.0.0.1:18081", "127.0.0.1:18082"
POD = "pulsar-broker-1.pulsar-broker.prod.svc.cluster.local:8080"
UNIT, CHILD, OTHER = (f"t/n/0x{low}_0x{high}" for low, high in (
    ("00000000", "80000000"), ("00000000", "40000000"), ("80000000", "ffffffff")))  # fmt: skip
LAWS = [*(PACKAGE / "checkers" / "recordings").glob("laws/**/*.py"),
        PACKAGE / "checkers" / "recordings" / "scene" / "happenings.py"]  # fmt: skip
IMPERATIVE = re.compile(r"\b(?:restart|unload|start|end|look up|repeat|split|check|find out|read the log)\b")
"""Verbs that order something of an operator."""


def subject(is_over: bool = False, broker: str = B1) -> Subject:
    return Subject([broker], [UNIT], 1_000, (), is_over)


def lines(repair: str, broker: str = B1) -> list[str]:
    given = order(repair, subject(broker=broker))
    assert given is not None
    return [one.line for one in given.commands]


@pytest.mark.parametrize(("repair", "first"), [
    (f"restart {B2}, so that its view begins anew", "bin/pulsar-daemon restart broker"),
    (f"restart {POD}, so that its view begins anew", "kubectl -n prod delete pod pulsar-broker-1"),
    (f"unload {UNIT} at {B2}, or restart that broker",
     f"pulsar-admin --admin-url http://{B2} namespaces unload t/n --bundle 0x00000000_0x80000000"),
    (f"unload {UNIT}, so that its lock goes", "pulsar-admin namespaces unload t/n --bundle 0x00000000_0x80000000"),
    (f"unload the bundle at {B2}, or restart that broker",
     f"pulsar-admin --admin-url http://{B2} namespaces unload t/n --bundle 0x00000000_0x80000000"),
    ("look up a topic of each bundle: it is assigned again",
     'pulsar-admin topics lookup "$(pulsar-admin topics list t/n --bundle 0x00000000_0x80000000 | head -1)"'),
    (f"start {B2} again", "bin/pulsar-daemon start broker"),
    ("end the process of the former leader", "bin/pulsar-daemon stop broker -force && bin/pulsar-daemon start broker"),
    ("check that there is a leader", "pulsar-admin brokers leader-broker"),
    ("synchronise the clocks, or judge with --clock-skew 3000ms", "chronyc tracking"),
    (f"synchronise the clock of {B2}: NTP or chrony", "chronyc tracking"),
    ("read the bundle data again; split the bundle again",
     "pulsar-admin namespaces split-bundle t/n --bundle 0x00000000_0x80000000"),
])  # fmt: skip
def test_order_has_its_command(repair: str, first: str) -> None:
    assert lines(repair)[0] == first


def test_command_that_needs_a_machine_names_it() -> None:
    given = order(f"restart {B2}, so that its view begins anew", subject())
    assert given is not None
    assert given.commands[0].at == B2
    assert given.commands[1] == (Purpose.CHECK, f"pulsar-admin --admin-url http://{B2} brokers healthcheck", "")


def test_hung_pod_is_never_deleted_by_force() -> None:
    (ended, *_) = lines("end the hung process, so that connections to it break", POD)
    assert ended == "kubectl -n prod delete pod pulsar-broker-1"  # by force the old process could live on


@pytest.mark.parametrize("repair", [
    "check that ZooKeeper runs; then restart, one by one, the brokers that are not registered",
    f"find out why {B1} does not reach ZooKeeper; restart it if it stays unregistered",
    "check whether ZooKeeper and the bookies were running: no topic of any broker took a message meanwhile",
    f"find out why it stood still: a long pause of its JVM or of its machine; restart {B1} if it hangs",
])  # fmt: skip
def test_outage_and_pause_make_nobody_restart_a_broker(repair: str) -> None:
    for broker in (B1, POD):
        given = order(repair, subject(broker=broker))
        assert given is not None
        assert {one.purpose for one in given.commands} == {Purpose.LOOK}


def test_restart_that_waits_for_zookeeper_looks_there_first() -> None:
    look, run, _ = lines("restart one broker at once: it registers and is elected")
    assert (look, run) == ("bin/pulsar zookeeper-shell ls /loadbalance/brokers", "bin/pulsar-daemon restart broker")


def test_brokers_that_are_not_registered_are_restarted_one_by_one_after_a_look_at_zookeeper() -> None:
    found = lines(f"check that ZooKeeper runs; then restart, one by one, {B1}, {B2}")
    healthy = [f"pulsar-admin --admin-url http://{broker} brokers healthcheck" for broker in (B1, B2)]
    assert found == ["bin/pulsar zookeeper-shell ls /loadbalance/brokers", "bin/pulsar-daemon restart broker",
                     healthy[0], "bin/pulsar-daemon restart broker", healthy[1]]  # fmt: skip


def test_cure_of_what_is_over_is_not_advised() -> None:
    repair = f"restart {B2}, so that its view begins anew"
    assert order(repair, subject(is_over=True)) == Order(OVER, f"should it come back, {repair}")


def test_bundle_and_its_children_are_unloaded_and_no_other() -> None:
    told = Subject([B1], [UNIT, CHILD, OTHER], None)
    given = order(f"unload {UNIT} and its children, so that each range has one owner", told)
    assert given is not None
    assert [one.line.rpartition(" ")[2] for one in given.commands] == ["0x00000000_0x80000000", "0x00000000_0x40000000"]


def test_many_commands_are_counted() -> None:
    units = [f"t/n{number}/0x00000000_0x80000000" for number in range(MOST + 2)]
    given = order("look up a topic of each bundle", Subject([B1], units, None))
    assert given is not None
    assert (len(given.commands), given.more) == (MOST, 2)


def call(proposed: dict[str, Any]) -> dict[str, Any]:
    at = {"file": "f", "line": 1, "messageId": None, "time": 1_000}
    return {"law": "done-as-asked", "unit": UNIT, "brokers": [B1], "at": at, "proposed": proposed,
            "repair": "ask for the transfer again, and look at the owner afterwards"}  # fmt: skip


@pytest.mark.parametrize(("proposed", "again"), [
    ({"state": "Releasing", "dstBroker": B2, "force": False, "versionId": 3},
     f"pulsar-admin namespaces unload t/n --bundle 0x00000000_0x80000000 --destinationBroker {B2}"),
    ({"state": "Releasing", "sourceBroker": B2, "force": False, "versionId": 3},
     "pulsar-admin namespaces unload t/n --bundle 0x00000000_0x80000000"),
    ({"state": "Splitting", "sourceBroker": B2, "force": False, "versionId": 3},
     "pulsar-admin namespaces split-bundle t/n --bundle 0x00000000_0x80000000"),
])  # fmt: skip
def test_call_is_repeated_as_it_was_asked(proposed: dict[str, Any], again: str) -> None:
    assert [one.line for one in order_for_finding(call(proposed)).commands][1:] == [again]


def incident(**changed: object) -> dict[str, Any]:
    root = {"kind": "silent process", "brokers": [B1], "time": 1_000}
    return {
        "root": root, "repair": "take v3", "units": [UNIT], "harmed": [], "ended": "lasts", "harm": "concerned",
        **changed,
    }  # fmt: skip


def test_broker_that_serves_on_what_it_lost_is_restarted_while_that_lasts() -> None:
    pause = f"find out why it stood still: a long pause of its JVM or of its machine; restart {B1} if it hangs"
    lasts = order_for(incident(repair=pause, harm="had two owners"), "night")
    assert lasts.words.startswith(f"restart {B1}, which serves what it lost; find out why it stood still")
    assert lasts.commands[0].line == "bin/pulsar-daemon restart broker"
    for other in (incident(repair=pause), incident(repair=pause, harm="had two owners", ended="over")):
        assert {one.purpose for one in order_for(other, "night").commands} == {Purpose.LOOK}


def test_incident_without_a_known_repair_is_no_dead_end() -> None:
    given = order_for(incident(), "my night")
    assert not given.is_known
    assert [one.line for one in given.commands][1] == f"oneowner why {UNIT} 'my night'"
    assert order_for(incident(ended="over"), "night") == Order(OVER)
    course = incident(repair=f"owner {B1}, or 0x40000000_0x60000000 given up first")
    assert not order_for(course, "night").is_known


def repairs() -> Iterator[str]:
    """Yield the repairs that laws and happenings state, with a broker and a bundle put in."""
    for path in LAWS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            stated = [node.value] if isinstance(node, ast.keyword) and node.arg == "repair" else []
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("repair", "END_IT"):
                stated = [node.value]
            yield from (_text(one) for one in stated)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        parts = [one.value if isinstance(one, ast.Constant) else _put_in(ast.unparse(one)) for one in node.values]
        return "".join(map(str, parts))
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _put_in(name: str) -> str:
    return UNIT if re.search(r"unit|key|\bone\b", name) else B1


@pytest.mark.parametrize("repair", sorted({one for one in repairs() if IMPERATIVE.search(one)}))
def test_every_order_that_a_law_gives_has_a_command(repair: str) -> None:
    given = order(repair, subject())
    assert given is not None
    assert given.commands or "SIGTERM" in repair
