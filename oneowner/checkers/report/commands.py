"""
Commands for an operator to copy: what carries out one order on one broker or one bundle.

The syntax is that of ``pulsar-admin`` from 2.11 to 5.0 (``CmdNamespaces``, ``CmdTopics``, ``CmdBrokers``), of
``bin/pulsar-daemon`` and ``bin/pulsar zookeeper-shell``, and of ``kubectl``. A broker whose name is that of a pod is
restarted by Kubernetes, any other on its machine.
"""

import re
import shlex
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.checkers.times import iso


class Purpose(StrEnum):
    """The reason to run a command: each is printed before it."""

    RUN = "run"
    OTHERWISE = "or"
    """Another way to the same end."""
    LOOK = "look"
    """It changes nothing."""
    COLLECT = "collect"
    """It gathers evidence that is missing, and changes no bundle."""
    CHECK = "check"
    """It shows whether the order was carried out, and changes nothing."""


class Command(NamedTuple):
    """A line to copy."""

    purpose: Purpose
    line: str
    at: str = ""
    """The machine on which it must run; empty: anywhere."""

    @property
    def text(self) -> str:
        """Return it with the reason to run it, and its machine."""
        return f"{f'{self.purpose}:':6} {self.line}{self.where}"

    @property
    def where(self) -> str:
        return f"   (on the machine of {self.at})" if self.at else ""


ZOOKEEPER: Final = "bin/pulsar zookeeper-shell ls /loadbalance/brokers"
"""Lists the registered brokers; without ``-server`` it asks the server of its own machine."""
SERVER: Final = "a ZooKeeper server"
FEW: Final = 2
"""Bundles of a namespace that have a line each."""
_TLS: Final = ("443", "8443")


class Pod(NamedTuple):
    """A pod of Kubernetes; the namespace may be unknown."""

    name: str
    namespace: str

    @property
    def options(self) -> str:
        return f"-n {self.namespace} " if self.namespace else ""


def pod_of(broker: str) -> Pod | None:
    """
    Return the pod that a broker's address names, as those of a StatefulSet do; None of any other machine.

    >>> pod_of("pulsar-broker-1.pulsar-broker.prod.svc.cluster.local:8080")
    Pod(name='pulsar-broker-1', namespace='prod')
    >>> pod_of("broker-1.example.com:8080"), pod_of("10.0.0.7:8080")
    (None, None)
    """
    name, *rest = broker.rpartition(":")[0].split(".")
    if len(rest) >= 3 and rest[2] == "svc":
        return Pod(name, rest[1])
    is_of_set = bool(rest) and re.fullmatch(rf"{re.escape(rest[0])}-\d+", name) is not None
    return Pod(name, rest[1] if len(rest) > 1 else "") if is_of_set else None


def admin(command: str, broker: str = "") -> str:
    """Return a call of pulsar-admin, addressed to a broker if one is given."""
    if not broker:
        return f"pulsar-admin {command}"
    scheme = "https" if broker.rpartition(":")[2] in _TLS else "http"
    return f"pulsar-admin --admin-url {scheme}://{broker} {command}"


def restart(broker: str, purpose: Purpose = Purpose.RUN) -> list[Command]:
    """Return the commands that restart a broker, and show that it serves."""
    healthy = Command(Purpose.CHECK, admin("brokers healthcheck", broker))
    if pod := pod_of(broker):
        return [Command(purpose, f"kubectl {pod.options}delete pod {pod.name}"), healthy]
    return [Command(purpose, "bin/pulsar-daemon restart broker", broker), healthy]


def end(broker: str) -> list[Command]:
    """Return the commands that end a process which may not obey SIGTERM any more, and start it again."""
    if pod_of(broker):  # the kubelet kills it when the grace period is over
        return restart(broker)
    line = "bin/pulsar-daemon stop broker -force && bin/pulsar-daemon start broker"
    return [Command(Purpose.RUN, line, broker)]


def start(broker: str) -> list[Command]:
    if pod := pod_of(broker):
        return [
            Command(Purpose.LOOK, f"kubectl {pod.options}describe pod {pod.name}"),
            Command(Purpose.CHECK, admin("brokers healthcheck", broker)),
        ]
    return [
        Command(Purpose.RUN, "bin/pulsar-daemon start broker", broker),
        Command(Purpose.CHECK, admin("brokers healthcheck", broker)),
    ]


def unload(units: Sequence[str], broker: str = "", destination: str = "") -> list[Command]:
    """
    Return the commands that unload bundles, at the broker that owns them, perhaps to a destination.

    Many bundles of one namespace are unloaded in a loop.

    >>> unload(["t/n/0x0_0x1", "t/n/0x1_0x2", "t/n/0x2_0x3"])[0].line
    'for b in 0x0_0x1 0x1_0x2 0x2_0x3; do pulsar-admin namespaces unload t/n --bundle $b; done'
    """
    to = f" --destinationBroker {destination}" if destination else ""
    by_namespace: dict[str, list[str]] = {}
    for unit in units:
        namespace, _, bundle = unit.rpartition("/")
        by_namespace.setdefault(namespace, []).append(bundle)
    made: list[str] = []
    for namespace, bundles in by_namespace.items():
        if len(bundles) <= FEW:
            made += [admin(f"namespaces unload {namespace} --bundle {bundle}{to}", broker) for bundle in bundles]
        else:
            one = admin(f"namespaces unload {namespace} --bundle $b{to}", broker)
            made.append(f"for b in {' '.join(bundles)}; do {one}; done")
    return [Command(Purpose.RUN, line) for line in made]


def split(unit: str) -> list[Command]:
    namespace, bundle = _parts(unit)
    return [Command(Purpose.RUN, admin(f"namespaces split-bundle {namespace} --bundle {bundle}"))]


def look_up(units: Sequence[str], purpose: Purpose = Purpose.LOOK) -> list[Command]:
    """Return the commands that look up a topic of each bundle: that prints its owner, and assigns it if it has none."""
    return [
        Command(purpose, admin(f'topics lookup "$({admin(f"topics list {namespace} --bundle {bundle}")} | head -1)"'))
        for namespace, bundle in map(_parts, units)
    ]


def zookeeper(broker: str) -> list[Command]:
    """Return the commands that show whether ZooKeeper runs, and which brokers are registered."""
    pod = pod_of(broker)
    if pod is None:
        return [Command(Purpose.LOOK, ZOOKEEPER, SERVER)]
    pods = f"kubectl {pod.options}get pods -l component=zookeeper"
    server = f'"$({pods} -o name | head -1)"'
    return [
        Command(Purpose.LOOK, pods),
        Command(Purpose.LOOK, f"kubectl {pod.options}exec {server} -- {ZOOKEEPER}"),
    ]


def leader() -> list[Command]:
    return [Command(Purpose.LOOK, admin("brokers leader-broker"))]


def log(broker: str, since: int | None) -> list[Command]:
    """Return the command that prints the log of a broker from a moment on."""
    if pod := pod_of(broker):
        begin = f" --since-time={iso(since)}" if since else ""
        return [Command(Purpose.LOOK, f"kubectl {pod.options}logs {pod.name}{begin} | head -100")]
    return [Command(Purpose.LOOK, "less logs/pulsar-broker-*.log", broker)]


def stood_still(broker: str, since: int | None) -> list[Command]:
    """Return the commands that show why a process stood still: a full collection, a kill, a frozen machine."""
    if pod := pod_of(broker):
        return [Command(Purpose.LOOK, f"kubectl {pod.options}describe pod {pod.name}"), *log(broker, since)]
    return [Command(Purpose.LOOK, "grep -hE 'Pause Full|Total time for which|Reaching safepoint' logs/*gc*", broker)]


def bookies(broker: str) -> list[Command]:
    """Return the command that lists the bookies which can be written to."""
    pod = pod_of(broker)
    if pod is None:
        return [Command(Purpose.LOOK, "bin/bookkeeper shell listbookies -rw", "a bookie")]
    return [Command(Purpose.LOOK, f"kubectl {pod.options}get pods -l component=bookie")]


def clocks(broker: str) -> list[Command]:
    return [Command(Purpose.LOOK, "chronyc tracking", broker)]


def record() -> list[Command]:
    """Return the command that records a running cluster once more."""
    return [Command(Purpose.LOOK, "oneowner record --client-conf conf/client.conf --once --out now")]


def collect(wanted: str, run: str) -> list[Command]:
    """
    Return the commands that collect the file with the name *wanted*, for a recording in the folder *run*.

    Only a driver of the cluster writes admin calls and the messages of clients: for these there is no command.

    >>> [one.line for one in collect("zookeeper*.jsonl[.gz]", "night")][:1]
    ['oneowner script dump_zookeeper > dump_zookeeper.py']
    """
    folder = shlex.quote(run)
    lines: list[str] = []
    if "DebugMode" in wanted:  # it takes effect at once, for what is yet to come
        lines = ["pulsar-admin brokers update-dynamic-config --config loadBalancerDebugModeEnabled --value true"]
    if "log" in wanted:
        lines.append(
            f"kubectl logs POD > {folder}/POD.log   (or: cp logs/pulsar-broker-*.log {folder}/; of every broker)"
        )
    if "zookeeper" in wanted:
        dump = f"python3 dump_zookeeper.py DATADIR/version-2/log.* > {folder}/zookeeper.jsonl"
        lines += ["oneowner script dump_zookeeper > dump_zookeeper.py", f"{dump}   (on the machine of {SERVER})"]
    elif "channel" in wanted:
        lines = ["oneowner record --client-conf conf/client.conf --once --out now"]
    elif any(name in wanted for name in ("lookups", "owned", "bundles")):
        lines = ["oneowner record --client-conf conf/client.conf --namespace TENANT/NAMESPACE --for 30m --out next"]
    return [Command(Purpose.COLLECT, line) for line in lines]


def story(unit: str, run: str) -> list[Command]:
    """Return the command that explains the owner of a bundle by a recording."""
    return [Command(Purpose.LOOK, f"oneowner why {unit} {shlex.quote(run)}")]


def _parts(unit: str) -> tuple[str, str]:
    namespace, _, bundle = unit.rpartition("/")
    return namespace, bundle
