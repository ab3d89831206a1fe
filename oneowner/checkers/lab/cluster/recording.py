"""One scenario on a cluster of its own becomes a folder that `audit` and `replay` read."""

import gzip
import json
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.collect.admin import now
from oneowner.checkers.collect.cluster_facts import boundaries
from oneowner.checkers.collect.watcher import leader_of
from oneowner.checkers.lab.cluster.cluster import LOAD_MANAGERS, NAME, VIEWS, Cluster
from oneowner.checkers.lab.cluster.recorder import Recorder
from oneowner.checkers.lab.cluster.relay import Passage, Relay
from oneowner.checkers.lab.cluster.start import Wanted
from oneowner.checkers.recordings.scripts import dump_zookeeper
from oneowner.checkers.yaml_text import write_document

NAMESPACES: Final = ("lab/a", "lab/b")
TOPICS: Final = tuple(f"persistent://{namespace}/t{number}" for namespace in NAMESPACES for number in range(3))
COMPRESS_ABOVE: Final = 100_000
"""Files of more bytes are compressed."""


class Recording:
    """A cluster under observation; a scenario is a function of it. Brokers go by their numbers, from 1."""

    def __init__(
        self,
        cluster: Cluster,
        recorder: Recorder,
        told: Callable[[str], None],
        relays: Sequence[Relay],
        gates: Sequence[int] = (),
        sleep: Callable[[float], None] = time.sleep,
        seed: int = 1,
    ) -> None:
        """
        :param relays: the relay of each broker to ZooKeeper; :param gates: the port of each broker's gates, if any.

        :param seed: the seed of a scenario's random choices.
        """
        self.cluster, self.recorder, self.told = cluster, recorder, told
        self.relays, self.gates, self.wait, self.seed = relays, gates, sleep, seed
        self.events: list[dict[str, Any]] = []

    @property
    def brokers(self) -> range:
        return range(1, len(self.cluster.ids) + 1)

    def id(self, number: int) -> str:
        """Return the id of a broker."""
        return self.cluster.ids[number - 1]

    def alive(self) -> list[int]:
        """Return the brokers whose process runs, and is not stopped."""
        return [number for number in self.brokers if self.cluster.brokers[number - 1].lives]

    def event(self, event: str, **facts: object) -> None:
        """Record an event in the manifest's timeline, and print it."""
        self.events.append({"t": now(), "event": event, **facts})
        self.told(
            " ".join([event, *(f"{key} {value}" for key, value in facts.items() if isinstance(value, str | int))])
        )

    def signal(self, what: signal.Signals, *numbers: int) -> None:
        """Send brokers a signal, one right after the other."""
        leader = self.leader()
        for number in numbers:
            self.event(what.name, process=f"broker-{number}", leader=leader, owned=self.owned(number))
        for number in numbers:
            self.cluster.brokers[number - 1].signal(what)

    def go_on(self, number: int) -> None:
        """Resume the paused broker *number*."""
        self.event("SIGCONT", process=f"broker-{number}")
        self.cluster.brokers[number - 1].signal(signal.SIGCONT)

    def wait_for_end(self, number: int, seconds: int) -> None:
        """Wait until broker *number* has ended, with a timeout."""
        waited = 0
        while number in self.alive() and waited < seconds:
            self.wait(1)
            waited += 1
        self.event("still runs" if number in self.alive() else "exit", process=f"broker-{number}", seconds=waited)

    def restart(self, number: int, seconds: float = 120) -> None:
        """Restart broker *number* after its end, and wait until it answers, with a timeout."""
        self.cluster.brokers[number - 1].end()
        self.event("start", process=f"broker-{number}", pid=self.cluster.start_broker(number))
        try:
            ready = self.cluster.wait_for_broker(number, seconds)
        except RuntimeError as error:  # an effect of a fault is no reason to lose the recording
            self.event("not ready", process=f"broker-{number}", why=str(error))
        else:
            self.event("ready", process=f"broker-{number}", seconds=round(ready, 1))

    def keep_in(self, storage: str, number: int) -> None:
        """Move the channel of broker *number* to another storage from its next start on."""
        self.event("storage", process=f"broker-{number}", storage=storage)
        self.cluster.own[number - 1] = VIEWS[storage]

    def write_setting(self, number: int, setting: str, value: str | None) -> None:
        """Write a setting into the file of broker *number*, for its next start; None takes it out again."""
        self.event("setting in its file", process=f"broker-{number}", setting=setting, value=value or "as before")
        own = {**self.cluster.own[number - 1], setting: value}
        self.cluster.own[number - 1] = {key: value for key, value in own.items() if value is not None}

    def configure(self, setting: str, value: str) -> None:
        """Set a dynamic setting of all brokers, as an operator does."""
        leader = self.leader() or 1
        self.event("setting", setting=setting, value=value)
        self.ask("set", leader, "POST", f"brokers/configuration/{setting}/{value}", setting=setting, value=value)

    def wait_for_line(self, number: int, words: str, seconds: int) -> None:
        """Wait until the log of broker *number* has a new line with *words*, with a timeout."""
        log, waited = self.cluster.brokers[number - 1].log, 0
        begins = log.stat().st_size
        while waited < seconds and words.encode() not in log.read_bytes()[begins:]:
            self.wait(1)
            waited += 1
        self.event("logged" if waited < seconds else "not logged", process=f"broker-{number}", words=words)

    def cut(self, *numbers: int) -> None:
        """Hold all traffic between brokers and ZooKeeper, like a network that loses packets."""
        for number in numbers:
            self.event("ZooKeeper cut", process=f"broker-{number}", leader=self.leader(), owned=self.owned(number))
            self.relays[number - 1].turn(Passage.HELD)

    def leave_unanswered(self, number: int) -> None:
        """Hold ZooKeeper's answers to a broker, whose requests pass: its session lasts there."""
        self.event(
            "ZooKeeper's answers held", process=f"broker-{number}", leader=self.leader(), owned=self.owned(number)
        )
        self.relays[number - 1].turn(Passage.UNANSWERED)

    def heal(self, *numbers: int) -> None:
        """Resume traffic between brokers and ZooKeeper."""
        for number in numbers:
            self.event("ZooKeeper healed", process=f"broker-{number}")
            self.relays[number - 1].turn(Passage.OPEN)

    def lose_zookeeper(self, seconds: float) -> None:
        """Kill ZooKeeper, and restart it after a delay."""
        self.event("SIGKILL", process="zookeeper", planned_outage_s=seconds)
        self.cluster.lose_zookeeper()
        self.wait(seconds)
        self.event("start", process="zookeeper")
        self.cluster.start_zookeeper()

    def ask(
        self, action: str, at: int, method: str, path: str, body: object = None, **parameters: object
    ) -> dict[str, Any]:
        """Make an admin call at a broker, of a path below ``/admin/v2/``, and record the result."""
        return self.recorder.call(action, self.id(at), method, f"/admin/v2/{path}", body, **parameters)

    def unload(self, unit: str, at: int, to: int | None = None) -> None:
        path, other = f"namespaces/{unit}/unload", self.id(to) if to else None
        if other is None:
            self.ask("unload", at, "PUT", path, bundle=unit)
        else:
            self.ask("transfer", at, "PUT", f"{path}?destinationBroker={other}", bundle=unit, dest=other)

    def split(self, unit: str, at: int, unload: bool = False, algorithm: str = "range_equally_divide") -> None:
        asked = f"unload={str(unload).lower()}&splitAlgorithmName={algorithm}"
        self.ask("split", at, "PUT", f"namespaces/{unit}/split?{asked}", bundle=unit, algorithm=algorithm)

    def namespace(self, namespace: str, bundles: int, topics: Sequence[str]) -> None:
        """Create a namespace of so many bundles, and its topics."""
        policies = {"bundles": {"numBundles": bundles}, "replication_clusters": [NAME]}
        self.ask("create namespace", 1, "PUT", f"namespaces/{namespace}", policies, namespace=namespace)
        for topic in topics:
            self.ask("create topic", 1, "PUT", topic.replace("://", "/"), topic=topic)

    def sends(self, rate: float, sizes: Mapping[str, int] | None = None) -> None:
        """Begin to send to the topics of every scenario, or to others, as `Recorder.sends` does."""
        self.recorder.sends(",".join(f"127.0.0.1:{port}" for port in self.cluster.binary), rate, sizes)

    def leader(self) -> int | None:
        """Return the leader, as reported by the first broker that answers."""
        for number in self.alive():
            url = f"http://{self.id(number)}/admin/v2/brokers/leaderBroker"
            leader = leader_of(self.recorder.admin.ask("GET", url, wait=2))
            if leader is not None:
                return self.cluster.ids.index(leader) + 1
        return None

    def owned(self, number: int) -> list[str]:
        """Return the bundles of the scenario that broker *number* lists as its own; none if it does not answer."""
        if number not in self.alive():
            return []
        broker = self.id(number)
        path = f"/admin/v2/brokers/{NAME}/{broker}/ownedNamespaces"
        owned = self.recorder.admin.ask("GET", f"http://{broker}{path}", wait=2).data()
        return [unit for unit in sorted(owned or ()) if unit.startswith(f"{NAME}/")]

    def topics(self, number: int) -> list[str]:
        """Return the scenario's topics at broker *number*, each with its number of producers, by its own stats."""
        url = f"http://{self.id(number)}/admin/v2/broker-stats/topics"
        stats = self.recorder.admin.ask("GET", url, wait=5).data() or {}
        return sorted(
            f"{topic}: {len(found.get('publishers', ()))} producers"
            for namespace, bundles in stats.items()
            if namespace.startswith(f"{NAME}/")
            for kinds in bundles.values()
            for topic, found in kinds.get("persistent", {}).items()
        )

    def dump(self) -> None:
        """Write the channel as the leader has it, or else another broker: one without its session finds no leader."""
        leader = self.leader()
        for number in sorted(self.alive(), key=lambda number: number != leader):
            lack = self.recorder.dump(f"pulsar://127.0.0.1:{self.cluster.binary[number - 1]}")
            self.event("channel dump", process=f"broker-{number}", result=lack or "whole")
            if not lack:
                break

    def follower_that_owns(self) -> int:
        """Return the follower that owns most of the scenario's bundles."""
        return max(self.followers(), key=lambda number: len(self.owned(number)))

    def followers(self) -> list[int]:
        """Return the live brokers that do not lead."""
        leader = self.leader()
        return [number for number in self.alive() if number != leader]


def record_scenario(
    wanted: Wanted, done: Callable[[Recording], None], out: Path, told: Callable[[str], None], seed: int = 1
) -> None:
    """Run a scenario on a cluster of the *wanted* kind and name; write the recording to the new folder *out*."""
    out.mkdir(parents=True)
    settings = {**LOAD_MANAGERS[wanted.load_manager], **wanted.settings}
    cluster = Cluster(wanted.pulsar, out / "cluster", wanted.brokers, settings, **wanted.gates)
    relays = [Relay(cluster.keeper_port) for _ in cluster.brokers]
    cluster.stores = [relay.port for relay in relays]
    recorder = Recorder(cluster.ids, TOPICS, out)
    recording = Recording(cluster, recorder, told, relays, wanted.ports, seed=seed)
    began = now()
    try:
        cluster.up(recording.event)
        tenant = {"adminRoles": [], "allowedClusters": [NAME]}
        recording.ask("create tenant", 1, "PUT", "tenants/lab", tenant)
        for namespace in NAMESPACES:
            recording.namespace(namespace, 4, [topic for topic in TOPICS if f"//{namespace}/" in topic])
        addresses = [f"http://{broker}" for broker in cluster.ids]
        bundles = {"before": boundaries(recorder.admin, addresses, NAMESPACES)}
        recording.sends(rate=2)
        recorder.start(lookup_every=0.5, poll_every=1.0)
        recording.wait(8)
        owners = {f"broker-{number}": recording.owned(number) for number in recording.brokers}
        recording.event("prepared", leader=recording.leader(), owners=owners)
        done(recording)
        recording.event("recording ends", leader=recording.leader())
        recorder.stop()
        bundles["after"] = boundaries(recorder.admin, addresses, NAMESPACES)
        (out / "bundles.json").write_text(json.dumps(bundles, indent=1) + "\n")
        if wanted.load_manager == "extensible" and wanted.storage == "system-topic":
            recording.dump()
        keep(recording, out, wanted.name, done.__doc__ or "", began, wanted.settings)
    finally:
        cluster.down()
        for relay in relays:
            relay.close()
    shutil.rmtree(cluster.folder)


def keep(recording: Recording, out: Path, name: str, about: str, began: int, settings: Mapping[str, object]) -> None:
    """Write history, logs and manifest while the cluster runs: its end is no part of the recording."""
    cluster = recording.cluster
    logs = sorted((cluster.folder / "zookeeper" / "version-2").glob("log.*"), key=lambda log: int(log.suffix[1:], 16))
    with (out / "zookeeper.jsonl").open("w", encoding="utf-8") as file:
        for log in logs:
            for write in dump_zookeeper.dump(str(log)):
                if not write.get("path", "").startswith(("/ledgers", "/managed-ledgers", "/counters")):
                    file.write(json.dumps(write) + "\n")
    for log in (cluster.zookeeper.log, *(broker.log for broker in cluster.brokers)):
        shutil.copy(log, out / log.name)
    manifest = {
        "scenario": name, "about": " ".join(about.split()),
        "source": "real processes on the loopback address; nothing simulated",
        "versions": {"pulsar": cluster.pulsar.name.removeprefix("apache-pulsar-")},
        "started_ms": began, "ended_ms": now(), "clock": "one machine, one clock",
        "brokers": [
            {"index": number, "id": broker, "binary_port": cluster.binary[number - 1], "log": f"broker-{number}.log"}
            for number, broker in enumerate(cluster.ids, 1)
        ],
        "config_base": {key: value for key, value in cluster.settings.items() if key not in settings},
        "config_overrides": dict(settings),
        "namespaces": list(NAMESPACES), "topics": list(TOPICS), "events": recording.events,
    }  # fmt: skip
    (out / "manifest.yaml").write_text(write_document(manifest, flow=False))
    for file_ in out.iterdir():
        if file_.is_file() and file_.stat().st_size > COMPRESS_ABOVE and file_.suffix in (".jsonl", ".log"):
            with gzip.GzipFile(f"{file_}.gz", "wb", mtime=0) as packed:
                packed.write(file_.read_bytes())
            file_.unlink()
