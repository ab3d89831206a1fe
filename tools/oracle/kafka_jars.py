"""The classes of a release of Kafka Streams, or of Kafka's group coordinator, from Maven Central, and our harness."""

from pathlib import Path
from typing import Final

from tools.oracle.jars import compiled, fetch

OWN: Final = ("kafka-streams", "kafka-clients")
BROKER: Final = (
    "kafka-group-coordinator", "kafka-group-coordinator-api", "kafka-coordinator-common", "kafka-server-common",
)  # fmt: skip
"""Artifacts that a harness of the broker's decisions needs beside the clients."""
OTHERS: Final = (
    "com.fasterxml.jackson.core:jackson-databind:2.17.2", "com.fasterxml.jackson.core:jackson-core:2.17.2",
    "com.fasterxml.jackson.core:jackson-annotations:2.17.2", "org.slf4j:slf4j-api:1.7.36", "org.slf4j:slf4j-nop:1.7.36",
)  # fmt: skip


def kafka_classpath(release: str, harness: str, home: Path) -> str:
    """Return the class path of a release with a harness; fetch and compile what is not in *home* yet."""
    folder = home / "kafka" / release
    own = (*OWN, *BROKER) if harness.endswith("StreamsGroupOracle") else OWN
    for artifact in (*(f"org.apache.kafka:{name}:{release}" for name in own), *OTHERS):
        _, name, version = artifact.split(":")
        if not (folder / f"{name}-{version}.jar").exists():
            fetch(artifact, folder)
    jars = f"{folder}/*"
    return f"{compiled(harness, jars, home / 'classes' / 'kafka' / release / harness)}:{jars}"
