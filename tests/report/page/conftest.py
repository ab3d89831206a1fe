"""One browser for all tests of the page, and the pages that they open."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oneowner.checkers.report.html import write_html
from tests.command_line import COUNTEREXAMPLES, REAL, oneowner
from tests.report.page.chromium import MISSING, WHERE, Browser, browser
from tests.report.page.crafted import audited

Open = Callable[..., Browser]

COMMANDS = {
    "zombie": ("audit", REAL / "zombie"),
    "story": ("audit", REAL / "zombie", "--why", "--unit", "rig/c/0xc0000000_0xffffffff"),
    "split": ("audit", REAL / "split"),
    "two-runs": ("audit", REAL / "healthy", REAL / "kill-owner"),
    "timeline": ("timeline", REAL / "kill-owner"),
    "counterexample": ("replay", COUNTEREXAMPLES / "assign_before_close" / "single-writer.yaml"),
    "lasso": ("replay", COUNTEREXAMPLES / "no_force" / "orphan-cleaned.yaml"),
    "leads": ("replay", COUNTEREXAMPLES / "unregistered_leads" / "leader-plays.yaml"),
    "nodes": ("replay", COUNTEREXAMPLES / "failure-metadata-store" / "dual-serving-explained.yaml"),
    "long": ("replay", COUNTEREXAMPLES / "split-again" / "quiescent-agreement.yaml"),
    "recorded": ("replay", REAL / "healthy"),
    "explored": (
        "explore",
        "transfer",
        "--set",
        "brokers=2",
        "--engine",
        "native",
        "--fault",
        "assign_before_close",
        "--law",
        "single-writer",
    ),  # others are broken by shorter runs
    "stepped": ("step", "transfer", "--set", "brokers=2", "--fault", "assign_before_close"),
    "stepped-in-part": ("step", "transfer", "--max-states", "400"),
    "no-counterexample": ("explore", "pip-192"),
}
"""The commands that write the pages."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if WHERE is None:
        pytest.skip(MISSING)
    with browser() as started:
        yield started


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the page of a name, written when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    def page(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            if name == "made-up":
                write_html(audited(), str(path))
            else:
                outcome = oneowner(*COMMANDS[name], "--html", path, "--quiet")
                assert path.exists(), outcome.said
        return path

    return page


@pytest.fixture
def opened(chromium: Browser, pages: Callable[[str], Path]) -> Iterator[Open]:
    """Open a page with its observer; it may complain of nothing and request nothing but itself."""
    ours = {"about:blank"}

    def open_(name: str, look: str = "", scheme: str = "light") -> Browser:
        address = f"file://{pages(name)}"
        ours.add(address)
        chromium.complaints.clear()
        chromium.asked.clear()
        chromium.window(1500, 1000, scheme)
        chromium.open(address + (f"#{look}" if look else ""))
        assert chromium.run("byId('trouble').hidden")
        return chromium

    yield open_
    assert chromium.complaints == []
    assert {url.partition("#")[0] for url in chromium.asked} <= ours
