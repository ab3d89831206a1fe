"""
A Pulsar release as a folder of jars, from Maven Central.

The server distribution of a release is had where there is one (4.0.4, 4.0.6, 4.0.8). ``mvn`` finds the registry.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

from oneowner.checkers.verdict import Misuse


def distribution(release: str, home: Path) -> Path:
    """
    Return the folder ``apache-pulsar-RELEASE`` below *home*; download and unpack it if it is not there yet.

    :raises Misuse: Maven or Java is missing, or Maven Central has no server distribution of that release.
    """
    for program, package in (("java", "a Java runtime, 17 or later"), ("mvn", "Maven")):
        if shutil.which(program) is None:
            raise Misuse(f"lab: {program} is not on the path; install {package}")
    folder = home / f"apache-pulsar-{release}"
    if not (folder / "lib").is_dir():
        home.mkdir(parents=True, exist_ok=True)
        artifact = f"org.apache.pulsar:pulsar-server-distribution:{release}:tar.gz:bin"
        command = ["mvn", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={home}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        packed = home / f"pulsar-server-distribution-{release}-bin.tar.gz"
        if done.returncode or not packed.exists():
            raise Misuse(
                f"lab: Maven Central has no server distribution of Pulsar {release}; 4.0.6 is known to be there"
            )
        with tarfile.open(packed) as archive:
            archive.extractall(home, filter="data")
        packed.unlink()
    return folder
