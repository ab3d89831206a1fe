"""A cluster of one ZooKeeper, one bookie and a few brokers, each a small process on the loopback address."""

import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from oneowner.checkers.lab.cluster.processes import Process, free_ports, last_line, listens

NAME: Final = "lab"
BALANCE: Final = "org.apache.pulsar.broker.loadbalance"
CHANNEL: Final = f"{BALANCE}.extensions.channel"
LOAD_MANAGERS: Final = {
    "modular": {"loadManagerClassName": f"{BALANCE}.impl.ModularLoadManagerImpl"},
    "extensible": {
        "loadManagerClassName": f"{BALANCE}.extensions.ExtensibleLoadManagerImpl",
        "loadBalancerLoadSheddingStrategy": f"{BALANCE}.extensions.scheduler.TransferShedder",
        "loadBalancerDebugModeEnabled": "true",
    },
}
"""Settings of each load manager; the debug mode has it print every record that it handles."""
VIEWS: Final = {
    "system-topic": {"loadManagerServiceUnitStateTableViewClassName": f"{CHANNEL}.ServiceUnitStateTableViewImpl"},
    "metadata-store": {
        "loadManagerServiceUnitStateTableViewClassName": f"{CHANNEL}.ServiceUnitStateMetadataStoreTableViewImpl"
    },
}
"""The storage of the extensible load manager's channel."""
BASE: Final = {
    "clusterName": NAME, "managedLedgerDefaultEnsembleSize": "1", "managedLedgerDefaultWriteQuorum": "1",
    "managedLedgerDefaultAckQuorum": "1", "managedLedgerCacheSizeMB": "32",
    "brokerDeleteInactiveTopicsEnabled": "false",
    "defaultRetentionTimeInMinutes": "-1", "defaultRetentionSizeInMB": "-1", "webSocketServiceEnabled": "false",
    "functionsWorkerEnabled": "false", "advertisedAddress": "127.0.0.1", "bindAddress": "127.0.0.1",
    "loadBalancerSheddingEnabled": "false", "numIOThreads": "2", "numHttpServerThreads": "8",
}  # fmt: skip
"""One bookie holds every ledger once, retention keeps all, and nothing moves by itself."""
QUIET: Final = "-Doneowner.level=info"
"""The Java argument for a broker that logs as in production."""
LOG4J: Final = """\
status=error
appender.console.type=Console
appender.console.name=Console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d{ISO8601_OFFSET_DATE_TIME_HHMM} [%t] %-5level %c - {message}%n
rootLogger.level=info
rootLogger.appenderRef.console.ref=Console
logger.balance.name=org.apache.pulsar.broker.loadbalance
logger.balance.level=${sys:oneowner.level:-debug}
logger.namespace.name=org.apache.pulsar.broker.namespace
logger.namespace.level=${sys:oneowner.level:-debug}
logger.coordination.name=org.apache.pulsar.metadata.coordination
logger.coordination.level=${sys:oneowner.level:-debug}
logger.cursor.name=org.apache.pulsar.broker.service.persistent.PulsarCompactorSubscription
logger.cursor.level=${sys:oneowner.level:-debug}
logger.compacted.name=org.apache.pulsar.compaction.CompactedTopicImpl
logger.compacted.level=${sys:oneowner.level:-debug}
"""
MESSAGE: Final = {"4": "%msg", "5": "%msg %X"}
"""The text of a line of a broker's log, by the first number of its release: since 5.0.0 fields stand beside words."""


class Cluster:
    """The processes of one cluster, with the port, web address and log of each."""

    def __init__(
        self,
        pulsar: Path,
        folder: Path,
        brokers: int,
        settings: Mapping[str, object],
        agents: Sequence[Sequence[str]] = (),
        beside: str = "",
    ) -> None:
        """
        *folder* gets logs, data and configuration.

        :param settings: of every broker, over `BASE`
        :param agents: more arguments of Java, broker by broker; *beside* is on their class path first
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.pulsar, self.folder, self.settings = (
            pulsar,
            folder.resolve(),
            {**BASE, **{k: str(v) for k, v in settings.items()}},
        )
        keeper, bookie, *ports = free_ports(2 + 2 * brokers)
        self.keeper_port, self.bookie_port = keeper, bookie
        self.web, self.binary = ports[:brokers], ports[brokers:]
        self.stores = [keeper] * brokers
        """The port by which each broker reaches ZooKeeper: that of a relay, if there is one."""
        self.own: list[Mapping[str, object]] = [{}] * brokers
        """Settings of each broker over those of all, from its next start on."""
        log4j = self.folder / "log4j2.properties"
        major = pulsar.name.removeprefix("apache-pulsar-").partition(".")[0]
        log4j.write_text(LOG4J.replace("{message}", MESSAGE.get(major, MESSAGE["5"])))
        lib = pulsar / "lib"
        data = self.folder / "zookeeper"
        started = ["org.apache.zookeeper.server.ZooKeeperServerMain", str(keeper), str(data), "2000"]
        self.zookeeper = Process("zookeeper", lib, self.folder / "zookeeper.log", "128m", started, log4j)
        started = ["org.apache.bookkeeper.server.Main", "--conf", str(self.folder / "bookkeeper.conf")]
        self.bookie = Process("bookie", lib, self.folder / "bookie.log", "192m", started, log4j)
        self.brokers = [
            Process(
                f"broker-{number}", lib, self.folder / f"broker-{number}.log", "288m",
                ["org.apache.pulsar.PulsarBrokerStarter", "--broker-conf", str(self.folder / f"broker-{number}.conf")],
                log4j, agents[number - 1] if agents else (), beside,
            )
            for number in range(1, brokers + 1)
        ]  # fmt: skip
        self.log4j = log4j

    @property
    def ids(self) -> list[str]:
        """Return the id of each broker, ``host:port`` of its web service."""
        return [f"127.0.0.1:{port}" for port in self.web]

    def up(self, told: Callable[[str], None], seconds: float = 120) -> None:
        """Start ZooKeeper, then the bookie, then one broker after another, each ready in *seconds*; report each."""
        told(f"zookeeper ready after {self.start_zookeeper(seconds):.1f} s")
        store = f"127.0.0.1:{self.keeper_port}"
        self._once("org.apache.pulsar.PulsarClusterMetadataSetup", [
            "--cluster", NAME, "--metadata-store", f"zk:{store}", "--configuration-metadata-store", f"zk:{store}",
            "--web-service-url", f"http://{self.ids[0]}", "--broker-service-url", f"pulsar://127.0.0.1:{self.binary[0]}",
        ])  # fmt: skip
        told("cluster metadata written")
        journal, ledgers = self.folder / "journal", self.folder / "ledgers"
        (self.folder / "bookkeeper.conf").write_text(
            f"bookiePort={self.bookie_port}\nadvertisedAddress=127.0.0.1\nallowLoopback=true\njournalDirectory={journal}\n"
            f"ledgerDirectories={ledgers}\nmetadataServiceUri=zk+hierarchical://{store}/ledgers\nhttpServerEnabled=false\n"
            "enableStatistics=false\ndiskUsageThreshold=0.99\ndiskUsageWarnThreshold=0.98\njournalSyncData=false\n"
            "journalMaxSizeMB=64\ndbStorage_writeCacheMaxSizeMb=16\ndbStorage_readAheadCacheMaxSizeMb=16\n"
        )
        self.bookie.start()
        told(f"bookie ready after {self.bookie.wait_until(lambda: listens(self.bookie_port), seconds):.1f} s")
        for number in range(1, len(self.brokers) + 1):
            self.start_broker(number)
            told(f"broker {number} ready after {self.wait_for_broker(number, seconds):.1f} s")

    def start_broker(self, number: int) -> int:
        """Start broker *number*, counted from 1, and return its process id."""
        store = f"zk:127.0.0.1:{self.stores[number - 1]}"
        conf = {
            **self.settings, **self.own[number - 1], "metadataStoreUrl": store, "configurationMetadataStoreUrl": store,
            "webServicePort": self.web[number - 1], "brokerServicePort": self.binary[number - 1],
        }  # fmt: skip
        base = (self.pulsar / "conf" / "broker.conf").read_text(encoding="utf-8").splitlines()
        kept = [line for line in base if line.partition("=")[0].strip() not in conf]
        lines = [*kept, *(f"{key}={value}" for key, value in conf.items())]
        (self.folder / f"broker-{number}.conf").write_text("\n".join(lines) + "\n")
        return self.brokers[number - 1].start()

    def lose_zookeeper(self) -> None:
        """Kill ZooKeeper: its data stays."""
        self.zookeeper.kill()

    def start_zookeeper(self, seconds: float = 120) -> float:
        """Start or restart ZooKeeper; return the seconds until it listened."""
        self.zookeeper.start()
        return self.zookeeper.wait_until(lambda: listens(self.keeper_port), seconds)

    def wait_for_broker(self, number: int, seconds: float = 120) -> float:
        """Return the seconds until broker *number* answered."""
        return self.brokers[number - 1].wait_until(lambda: is_ready(self.ids[number - 1]), seconds)

    @property
    def processes(self) -> list[Process]:
        """Return every process, brokers first."""
        return [*self.brokers, self.bookie, self.zookeeper]

    def kill(self) -> None:
        """End every process at once."""
        for process in self.processes:
            process.kill()

    def down(self) -> None:
        """Ask every process to end, brokers first."""
        for process in self.processes:
            process.end()

    def _once(self, main: str, arguments: list[str]) -> None:
        log = self.folder / "setup.log"
        process = Process("setup", self.pulsar / "lib", log, "128m", [main, *arguments], self.log4j)
        with log.open("wb") as output:
            done = subprocess.run(process.command, stdout=output, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise RuntimeError(f"cluster metadata could not be written; {log}: {last_line(log)}")


def is_ready(broker: str) -> bool:
    url = f"http://{broker}/admin/v2/brokers/ready"
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False
