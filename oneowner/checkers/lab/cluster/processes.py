"""One Java process of a cluster: started, asked whether it is ready, stopped, continued, killed."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

OPENED: Final = (
    "java.base/java.io", "java.base/java.util.zip", "java.base/java.nio", "java.base/java.lang", "java.base/sun.net",
    "java.base/jdk.internal.misc", "java.base/jdk.internal.platform", "java.management/sun.management",
    "jdk.management/com.sun.management.internal",
)  # fmt: skip
"""The packages that Pulsar's own start script opens to its libraries."""
DIE_WITH_PARENT: Final = ("setpriv", "--pdeathsig", "KILL")
"""Linux kills the process when the one that started it ends, however that ends (util-linux)."""


class Process:
    """
    A Java program of a distribution, its output appended to *log*.

    It dies with the process that started it, even if that is killed: nothing is left behind.
    """

    def __init__(
        self,
        name: str,
        lib: Path,
        log: Path,
        heap: str,
        command: Sequence[str],
        log4j: Path,
        agent: Sequence[str] = (),
        beside: str = "",
    ) -> None:
        """:param agent: more arguments of Java; :param beside: the class path before the jars of *lib*."""
        self.name, self.log, self.paused = name, log, False
        opened = [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
        memory = [f"-Xmx{heap}", f"-XX:MaxDirectMemorySize={heap}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        tuned = [
            "-Djava.net.preferIPv4Stack=true",
            "-Djute.maxbuffer=10485760",
            "-Dlog4j2.is.webapp=false",
            "-Dzookeeper.admin.enableServer=false",  # its port, 8080, is the same in every cluster
        ]
        guard = DIE_WITH_PARENT if shutil.which(DIE_WITH_PARENT[0]) else ()
        self.command = [
            *guard,
            "java",
            *memory,
            *opened,
            *tuned,
            *agent,
            f"-Dlog4j.configurationFile={log4j}",
            "-cp",
            f"{beside}:{lib}/*" if beside else f"{lib}/*",
            *command,
        ]
        self.running: subprocess.Popen[bytes] | None = None

    def start(self, environment: Mapping[str, str] | None = None) -> int:
        """Start the program and return its process id."""
        self.paused = False
        with self.log.open("ab") as output:
            self.running = subprocess.Popen(
                self.command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                cwd=self.log.parent, env={**os.environ, **(environment or {})},
            )  # fmt: skip
        return self.running.pid

    @property
    def lives(self) -> bool:
        """True if the process runs, and is not stopped."""
        return self.running is not None and self.running.poll() is None and not self.paused

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> float:
        """
        Return the seconds until the process was ready.

        :raises RuntimeError: it ended before that, or was not ready in time; the message ends with its log's last line.
        """
        began = time.monotonic()
        while not ready():
            waited = time.monotonic() - began
            if self.running is None or self.running.poll() is not None or waited > seconds:
                why = f"not ready after {waited:.0f} s" if waited > seconds else "ended while it started"
                raise RuntimeError(f"{self.name} {why}; its log is {self.log}: {last_line(self.log)}")
            time.sleep(0.1)
        return time.monotonic() - began

    def signal(self, number: signal.Signals) -> None:
        """Send a signal: SIGSTOP, SIGCONT, SIGTERM or SIGKILL."""
        assert self.running is not None
        self.running.send_signal(number)
        self.paused = (self.paused or number is signal.SIGSTOP) and number is not signal.SIGCONT

    def kill(self) -> None:
        """End the process at once, and wait until it is gone."""
        if self.running is not None:
            self.running.kill()
            self.running.wait()

    def end(self, grace: float = 20.0) -> int:
        """Ask the process to end, kill it if it does not within *grace* seconds, and return its exit code."""
        if self.running is None:
            return 0
        if self.paused:
            self.signal(signal.SIGKILL)
        elif self.running.poll() is None:
            self.running.terminate()
        try:
            return self.running.wait(grace)
        except subprocess.TimeoutExpired:
            self.running.kill()
            return self.running.wait()


def free_ports(count: int) -> list[int]:
    """Return *count* ports of the loopback address that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def listens(port: int) -> bool:
    """Return whether a process accepts connections at *port*."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "it is empty")
