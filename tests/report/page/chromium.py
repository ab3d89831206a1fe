"""
A headless Chromium, driven by its DevTools protocol: load a page, press keys, click, look.

The browser is Debian's package ``chromium``; nothing is downloaded. Everything that it complains of is kept.
"""

import base64
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome")
WHERE = next((path for name in NAMES if (path := shutil.which(name))), None)
MISSING = "Chromium is not installed: sudo apt-get install chromium"

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb",
         "--hide-scrollbars", "--remote-debugging-port=0",
         # One page of ours at a time: a process for each site, and one in reserve, took a third of the time.
         "--no-zygote", "--in-process-gpu", "--renderer-process-limit=1", "--disable-site-isolation-trials",
         "--disable-extensions", "--mute-audio", "--disable-features=SpareRendererForSitePerProcess,"
         "BackForwardCache,Translate,OptimizationHints,MediaRouter,IsolateOrigins,site-per-process")  # fmt: skip
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, "Enter": 13, "Escape": 27,
        "Home": 36, "End": 35, " ": 32}  # fmt: skip
PATIENCE = 60
"""Seconds that anything may take on a busy machine."""


class Browser:
    """One page at a time in one Chromium."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self._events: list[dict[str, Any]] = []
        self.complaints: list[str] = []
        """Console errors and warnings, uncaught exceptions, blocked or failed requests."""
        self.asked: list[str] = []
        """Every address that was asked for, the page's own included."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its answer."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = self._receive()
            if message.get("id") == self._number:
                assert "error" not in message, (method, message["error"])
                result: dict[str, Any] = message["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._socket.recv(timeout=PATIENCE))
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, said: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and said["type"] in {"error", "warning", "assert"}:
            self.complaints.append(str([one.get("value", one.get("description")) for one in said["args"]]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(said["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(said["request"]["url"])

    def open(self, address: str) -> None:
        """Load a page of ours, from nothing, and wait until it has drawn itself."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait("document.documentElement.dataset.ready")
        self.settle()

    def wait(self, expression: str) -> Any:
        """Wait until *expression* is true in the page; return its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(AssertionError):  # there may be no page yet
                if value := self.run(f"(() => {{ try {{ return {expression} }} catch {{ return null }} }})()"):
                    return value
            time.sleep(0.02)
        raise AssertionError(f"in vain after {PATIENCE} s: {expression}; {self.complaints}")

    def run(self, expression: str) -> Any:
        """Return the value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def settle(self) -> None:
        """Wait until everything is drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, *keys: str, shift: bool = False) -> None:
        """Press keys one after the other, as on a keyboard."""
        for key in keys:
            code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            about = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)
        self.settle()

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Send one event of the mouse."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        """Click at a point of the window."""
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag from one point of the window to another."""
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for part in (0.3, 0.7, 1.0):
            here = [a + (b - a) * part for a, b in zip(start, end, strict=True)]
            self.mouse("mouseMoved", *here, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)
        self.settle()

    def window(self, width: int, height: int, scheme: str = "light", ratio: float = 1) -> None:
        """Set size, colour scheme and pixel ratio of the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def screenshot(self, path: Path, full: bool = False) -> None:
        """Write the visible part, or the whole page, as PNG."""
        self.settle()
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        path.write_bytes(base64.b64decode(data))


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium with a profile of its own; end it, and only it, afterwards."""
    assert WHERE is not None, MISSING
    with tempfile.TemporaryDirectory(prefix="oneowner-page-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [WHERE, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            # A thread that pings would draw from the random numbers of everybody, also while Hypothesis draws.
            with connect(_address(Path(profile)), max_size=None, compression=None, ping_interval=None) as socket:
                yield Browser(socket)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _address(profile: Path) -> str:
    """Return the address of the first page's socket, once the browser has printed its port."""
    import urllib.request

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(OSError, ValueError, StopIteration, IndexError):
            port = int((profile / "DevToolsActivePort").read_text().splitlines()[0])
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=5) as answer:
                pages = json.load(answer)
            return str(next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"))
        time.sleep(0.05)
    raise AssertionError(f"Chromium does not answer after {PATIENCE} s")
