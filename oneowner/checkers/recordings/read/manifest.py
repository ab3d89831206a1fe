"""A manifest holds the cluster's configuration, and the broker of each log; actions on the cluster are not read."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oneowner.checkers.documents import read_document
from oneowner.checkers.judged_release import JudgedRelease, recorded_release
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.releases import version
from oneowner.model.pulsar.releases import DEFAULT_RELEASE, MILESTONES, RELEASES

WAIT = "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis"
DELAY = "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds"
DEFAULTS = {WAIT: 30_000, DELAY: 3_600}
INTERVAL = "loadBalancerServiceUnitStateMonitorIntervalInSeconds"
SESSION = "metadataStoreSessionTimeoutMillis"
UNLOAD = "namespaceBundleUnloadingTimeoutMs"
MULTI_PHASE = "loadBalancerMultiPhaseBundleUnload"
STORES = ("metadataStoreUrl", "zookeeperServers")
"""The settings for the URL of the metadata store; the second setting is the older one."""
ZOOKEEPER = re.compile(r"(?:zk:)?(?!(?:rocksdb|etcd|oxia|memory):)[^/]+(/.*)?")
"""A store in ZooKeeper; the other schemes are those of the other stores of ``MetadataStoreFactoryImpl``."""
FIRST_MULTI_PHASE = (3, 2)
"""PIP-307 came with this release; the configuration that switches it off came later."""
TIMES = (WAIT, DELAY, INTERVAL, SESSION, UNLOAD)
"""Configuration by which a run is judged: whole numbers."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest's facts about the cluster; its events, the actions on the cluster, are not read."""

    config: dict[str, Any] = field(default_factory=dict)
    """Configuration of the brokers, overrides included."""
    logs: dict[str, str] = field(default_factory=dict)
    """Broker id by the name of its log."""
    ports: dict[str, str] = field(default_factory=dict)
    """Broker id by the port of its binary protocol, which lookups over that protocol name."""
    release: str = ""
    """The release of Pulsar, such as 4.0.6; empty: not given."""
    day: str = ""
    """The day on which the recording began, in UTC; empty: not given."""

    @property
    def judged_by(self) -> JudgedRelease:
        """The release by whose rules the run is judged; without a name if the manifest names none."""
        if not self.release:
            return JudgedRelease("")
        return recorded_release(self.release, (*RELEASES, *MILESTONES), DEFAULT_RELEASE)

    @property
    def chroot(self) -> str | None:
        """The chroot, the ZooKeeper node above the cluster's own; None if not given (``getMetadataStoreUrl``)."""
        return chroot_of(next((self.config[name] for name in STORES if self.config.get(name)), None))

    @property
    def is_one_phase(self) -> bool:
        """True if a source closes its topics entirely before it publishes; by default it does not."""
        at = version(self.judged_by.name)
        is_old = at is not None and at.line < FIRST_MULTI_PHASE
        return is_old or str(self.config.get(MULTI_PHASE, True)).lower() == "false"


def chroot_of(url: object) -> str | None:
    """
    Return the chroot in a ``metadataStoreUrl``, empty if it has none; None if it names no ZooKeeper.

    >>> chroot_of("zk:h1:2181,h2:2181/one"), chroot_of("h:2181"), chroot_of("zk:[::1]:2181/"), chroot_of("rocksdb:/d")
    ('/one', '', '', None)
    """
    found = ZOOKEEPER.fullmatch(str(url or "").strip())
    return None if found is None else (found[1] or "").rstrip("/")


def read_manifest(files: list[Path], doubts: list[str]) -> Manifest:
    """Return the manifest among *files*; errors in it are added to *doubts*."""
    for file in files:
        if file.name == "manifest.yaml":
            try:
                document = read_document(file)
            except Misuse as error:
                doubts.append(str(error))
                return Manifest()
            data = document.data if isinstance(document.data, dict) else None
            parts = [data.get(key) or {} for key in ("config_base", "config_overrides")] if data is not None else []
            if data is None or not all(isinstance(part, dict) for part in parts):
                doubts.append(f"{file}: a manifest is a mapping, and so are its config_base and config_overrides")
                return Manifest()
            config = {**parts[0], **parts[1]}
            for name in TIMES:
                if name in config and not re.fullmatch("[0-9]{1,9}", str(config[name])):
                    doubts.append(f"{file}: {name} refused: {config.pop(name)}; it is a whole number")
            wait, delay = (int(config.get(name, default)) for name, default in DEFAULTS.items())
            if delay * 1_000 < wait:  # the constructor of ServiceUnitStateChannelImpl: Invalid Config
                doubts.append(f"{file}: {DELAY} refused: {delay}; with {WAIT} {wait} no broker starts")
            versions = data.get("versions")
            release = str(versions.get("pulsar", "")) if isinstance(versions, dict) else ""
            day = _day_of(data.get("started_ms"))
            return Manifest(config, *_brokers(file, data.get("brokers") or [], doubts), release, day)
    return Manifest()


def _day_of(started: Any) -> str:
    if not isinstance(started, int) or not 0 < started < 2**42:
        return ""
    return datetime.fromtimestamp(started / 1000, UTC).date().isoformat()


def _brokers(file: Path, entries: Any, doubts: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the broker of each log and of each binary port; doubt a manifest without them."""
    logs: dict[str, str] = {}
    ports: dict[str, str] = {}
    for entry in entries if isinstance(entries, list) else [entries]:
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            doubts.append(f"{file}: brokers is a list of mappings with id, log, binary_port")
            continue
        if isinstance(entry.get("log"), str):
            logs[entry["log"]] = entry["id"]
        if entry.get("binary_port") is not None:
            host = entry["id"].rpartition(":")[0]
            ports[f"{host}:{entry['binary_port']}"] = entry["id"]
    return logs, ports
