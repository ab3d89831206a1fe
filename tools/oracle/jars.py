"""The classes of a Pulsar release, from Maven Central, and our harness compiled against them."""

import subprocess
import tarfile
from pathlib import Path
from typing import Final

BASE: Final = "4.0.6"
"""Its server distribution has every third-party jar; another release needs its own jars in front."""
OWN: Final = (
    "pulsar-broker", "pulsar-broker-common", "pulsar-common", "pulsar-client-original", "pulsar-client-api",
    "pulsar-client-admin-api", "pulsar-client-admin-original", "pulsar-metadata", "managed-ledger",
    "pulsar-config-validation", "pulsar-transaction-common", "testmocks",
)  # fmt: skip
MOCKS: Final = (
    "org.mockito:mockito-core:5.14.2", "net.bytebuddy:byte-buddy:1.15.4", "net.bytebuddy:byte-buddy-agent:1.15.4",
    "org.objenesis:objenesis:3.3",
)  # fmt: skip
MORE: Final = {
    "4.2.4": (
        "org.apache.pulsar:pulsar-websocket:4.2.4",
        "org.eclipse.jetty.ee8.websocket:jetty-ee8-websocket-jetty-server:12.0.16",
    )
}
"""Artifacts that a release's `PulsarService` needs to be loaded, and the distribution lacks."""
JAVA: Final = Path(__file__).parent / "java"


def classpath(release: str, harness: str, home: Path) -> str:
    """Return the class path of a release with a harness; fetch and compile what is not in *home* yet."""
    base = home / f"apache-pulsar-{BASE}"
    if not base.is_dir():
        fetch(f"org.apache.pulsar:pulsar-server-distribution:{BASE}:tar.gz:bin", home)
        with tarfile.open(home / f"pulsar-server-distribution-{BASE}-bin.tar.gz") as archive:
            archive.extractall(home, filter="data")
    mocks, own, classes = home / "mocks", home / release, home / "classes" / release / harness
    for artifact in MOCKS:
        if not list(mocks.glob(f"{artifact.split(':')[1]}-[0-9]*.jar")):
            fetch(artifact, mocks)
    if release != BASE:
        needed = (*(f"org.apache.pulsar:{artifact}:{release}" for artifact in OWN), *MORE.get(release, ()))
        for artifact in needed:
            _, name, version = artifact.split(":")
            if not (own / f"{name}-{version}.jar").exists():
                fetch(artifact, own)
    # A class that the release lacks must not be found in the base's own jars.
    replaced = {f"org.apache.pulsar-{name}-{BASE}.jar" for name in OWN} if release != BASE else set()
    others = sorted(str(jar) for jar in (base / "lib").glob("*.jar") if jar.name not in replaced)
    jars = ":".join((f"{own}/*", *others, f"{mocks}/*"))
    return f"{compiled(harness, jars, classes)}:{jars}"


def compiled(harness: str, jars: str, classes: Path) -> Path:
    """Return the folder of a harness's classes; compile what was not, or has changed."""
    path = harness.replace(".", "/")
    file = classes / f"{path}.class"
    if not file.exists() or file.stat().st_mtime < max(source.stat().st_mtime for source in JAVA.rglob("*.java")):
        classes.mkdir(parents=True, exist_ok=True)
        # Only what the harness uses is compiled: a release may lack what another harness needs.
        command = ["javac", "-nowarn", "-d", str(classes), "-cp", jars, "-sourcepath", str(JAVA)]
        subprocess.run([*command, str(JAVA / f"{path}.java")], check=True)
    return classes


def fetch(artifact: str, folder: Path) -> None:
    """Copy an artifact of Maven Central into *folder*; some releases have no jar of some name."""
    command = ["mvn", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and any(name in artifact for name in ("pulsar-broker:", "pulsar-server", "mockito", "kafka")):
        raise SystemExit(f"error: {artifact} cannot be had: {done.stdout[-500:]}")
