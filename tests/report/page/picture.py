"""The picture of the README, made anew (``python -m tests.report.page.picture``): a bundle that was served twice."""

import tempfile
from contextlib import chdir
from pathlib import Path

from oneowner.checkers.places import TOP
from oneowner.checkers.report.html import HERE
from tests.command_line import REAL, oneowner
from tests.report.page.chromium import browser

PICTURE = HERE / "zombie.png"
LOOK = "sev=violation,warning&only=1&t=1795219590000-1795219680000"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        path = Path(folder) / "page.html"
        with chdir(TOP):  # the page names paths as they are given
            oneowner("audit", (REAL / "zombie").relative_to(TOP), "--html", path, "--quiet")
        page.window(1440, 830)
        page.open(f"file://{path}#{LOOK}")
        page.run(
            """pickFinding(book.findings.find((one) => showsServers(one)
            && one.unit.startsWith('rig/c/0x0')), false)"""
        )
        page.run("chart.scroller.scrollTop = 0; byId('time-part').scrollIntoView(); document.activeElement.blur()")
        page.settle()
        page.screenshot(PICTURE)
        print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
