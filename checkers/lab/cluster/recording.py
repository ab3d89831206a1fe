"""One scenario on a cluster of its own becomes a folder that `audit` and `replay` read."""

from __future__ import annotations

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
from oneowner.checkers.lab.cluster.cluster import LOAD_MANAGERS, NAME, Cluster
from oneowner.checkers.lab.cluster.recorder import Recorder
from oneowner.checkers.recordings.scripts import dump_zookeeper
from oneowner.checkers.recordings.scripts.dump_channel import dump as dump_channel
from oneowner.checkers.yaml_text import write_document

NAMESPACES: Final = ("lab/a", "lab/b")
TOPICS: Final = tuple(f"persistent://{namespace}/t{number}" for namespace in NAMESPACES for number in range(3))
FAST: Final[Mapping[str, object]] = {"metadataStoreSessionTimeoutMillis": 10_000}
"""A session of 10 s is the least that is stable where all processes share a machine."""
COMPRESS_ABOVE: Final = 100_000
"""Files of more bytes are compressed."""


class Recording:
    """A cluster under observation; a scenario is a function of it."""

    def __init__(self, cluster: Cluster, out: Path, told: Callable[[str], None]) -> None:
        self.cluster, self.out, self.told = cluster, out, told
        self.events: list[dict[str, Any]] = []
        self.recorder = Recorder(cluster.ids, TOPICS, out)

    def event(self, event: str, **facts: object) -> None:
        """Note what happens now for the manifest's timeline, and tell it."""
        self.events.append({"t": now(), "event": event, **facts})
        self.told(
            " ".join([event, *(f"{key} {value}" for key, value in facts.items() if isinstance(value, str | int))])
        )

    def signal(self, number: int, what: signal.Signals) -> None:
        """Send broker *number* a signal."""
        self.event(what.name, process=f"broker-{number}", leader=self.leader(), owned=self.owned(number))
        self.cluster.brokers[number - 1].signal(what)

    def restart(self, number: int) -> None:
        """Start broker *number* again after its end, and wait until it answers."""
        self.cluster.brokers[number - 1].end()
        self.event("start", process=f"broker-{number}", pid=self.cluster.start_broker(number))
        self.event("ready", process=f"broker-{number}", seconds=round(self.cluster.wait_for_broker(number), 1))

    def wait(self, seconds: float) -> None:
        """Let the cluster run."""
        time.sleep(seconds)

    def namespace(self, namespace: str, bundles: int, topics: Sequence[str]) -> None:
        """Create a namespace of so many bundles, and its topics."""
        first = self.cluster.ids[0]
        policies = {"bundles": {"numBundles": bundles}, "replication_clusters": [NAME]}
        path = f"/admin/v2/namespaces/{namespace}"
        self.recorder.call("create namespace", first, "PUT", path, policies, namespace=namespace)
        for topic in topics:
            self.recorder.call("create topic", first, "PUT", f"/admin/v2/{topic.replace('://', '/')}", topic=topic)

    def sends(self, rate: float, sizes: Mapping[str, int] | None = None) -> None:
        """Begin to send to the topics of every scenario, or to others, as `Recorder.sends` does."""
        self.recorder.sends(",".join(f"127.0.0.1:{port}" for port in self.cluster.binary), rate, sizes)

    def leader(self) -> int | None:
        """Return who leads, by the first broker that says."""
        for broker in self.cluster.ids:
            leader = leader_of(self.recorder.admin.ask("GET", f"http://{broker}/admin/v2/brokers/leaderBroker", wait=2))
            if leader is not None:
                return self.cluster.ids.index(leader) + 1
        return None

    def owned(self, number: int) -> list[str]:
        """Return the bundles of the scenario that broker *number* says it owns; none if it does not answer."""
        broker = self.cluster.ids[number - 1]
        path = f"/admin/v2/brokers/{NAME}/{broker}/ownedNamespaces"
        owned = self.recorder.admin.ask("GET", f"http://{broker}{path}", wait=2).data()
        return [unit for unit in sorted(owned or ()) if unit.startswith(f"{NAME}/")]

    def follower_that_owns(self) -> int:
        """Return the follower that owns most of the scenario's bundles."""
        leader = self.leader()
        others = [number for number in range(1, len(self.cluster.ids) + 1) if number != leader]
        return max(others, key=lambda number: len(self.owned(number)))


Scenario = Callable[[Recording], None]


def record_scenario(
    name: str,
    scenario: Scenario,
    pulsar: Path,
    out: Path,
    load_manager: str,
    settings: Mapping[str, object],
    told: Callable[[str], None],
) -> None:
    """Run a scenario on three brokers of a cluster of its own; write the recording to the new folder *out*."""
    out.mkdir(parents=True)
    cluster = Cluster(pulsar, out / "cluster", 3, {**LOAD_MANAGERS[load_manager], **settings})
    recording = Recording(cluster, out, told)
    began = now()
    try:
        cluster.up(recording.event)
        recorder, first = recording.recorder, cluster.ids[0]
        tenant = {"adminRoles": [], "allowedClusters": [NAME]}
        recorder.call("create tenant", first, "PUT", "/admin/v2/tenants/lab", tenant)
        for namespace in NAMESPACES:
            recording.namespace(namespace, 4, [topic for topic in TOPICS if f"//{namespace}/" in topic])
        addresses = [f"http://{broker}" for broker in cluster.ids]
        bundles = {"before": boundaries(recorder.admin, addresses, NAMESPACES)}
        recording.sends(rate=2)
        recorder.start(lookup_every=0.5, poll_every=1.0)
        recording.wait(8)
        owners = {f"broker-{number}": recording.owned(number) for number in range(1, len(cluster.ids) + 1)}
        recording.event("prepared", leader=recording.leader(), owners=owners)
        scenario(recording)
        recording.event("recording ends", leader=recording.leader())
        recorder.stop()
        bundles["after"] = boundaries(recorder.admin, addresses, NAMESPACES)
        (out / "bundles.json").write_text(json.dumps(bundles, indent=1) + "\n")
        if load_manager == "extensible":
            dump_channel(
                f"pulsar://127.0.0.1:{cluster.binary[(recording.leader() or 1) - 1]}", str(out / "channel.jsonl")
            )
        keep(recording, name, scenario.__doc__ or "", began, settings)
    finally:
        cluster.down()
    shutil.rmtree(cluster.folder)


def keep(recording: Recording, name: str, about: str, began: int, settings: Mapping[str, object]) -> None:
    """Write history, logs and manifest while the cluster runs: its end is no part of the recording."""
    cluster, out = recording.cluster, recording.out
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
