"""Fixtures and options of all tests."""

import gc
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

os.environ.setdefault("CFLAGS", "-O0")  # most searches of the tests are over sooner than an optimised one is compiled

os.environ["XDG_CACHE_HOME"] = str(Path(__file__).resolve().parent.parent / "build" / "test-cache")
"""Tests compile and write outside the user's cache: their files stay from one run to the next, and go with build/."""

# Bytecode is kept, whatever the user's own setting: else each of the many processes of the tests compiles all anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # what a shell does to work in the background, and its children
    signal.signal(signal.SIGINT, signal.default_int_handler)


gc.set_threshold(10_000, 20, 50)  # the collector of garbage took a tenth of the time, also while tests are collected


settings.register_profile("all", suppress_health_check=[HealthCheck.too_slow])  # whatever else the machine does
settings.register_profile("some", settings.get_profile("all"), max_examples=25)
"""The number of examples for a change, unless a test sets its own; ``make test-slow`` tries a hundred."""


class Examples:
    """Looks for examples in docstrings only where there are any: to look through all takes long."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        found = yield
        if file_path.suffix != ".py" or ">>>" in file_path.read_text(encoding="utf-8"):
            return found
        return [collector for collector in found if not isinstance(collector, DoctestModule)]

    @pytest.hookimpl
    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Look into no folder of recordings: there are hundreds, and no Python is in them."""
        return True if collection_path.name == "traces" else None


class Reports:
    """
    Sends one report per test from a process of xdist, with its failures, where pytest would send five messages.

    Most tests take less time than packing and unpacking the others, which only these options use.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        options = item.config.option
        if options.durations or options.verbose > 0 or options.xmlpath:
            return None
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Examples())  # of all rooms: what is not in a plugin is asked of the tests' own files
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Reports())
    settings.load_profile("some" if config.option.markexpr == "not slow" else "all")


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is slow
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked ``sample(n)``, let n cases be tried with every change, evenly spread; the others are slow."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.split("[", maxsplit=1)[0], []).append(item)
    for each in cases.values():
        mark = each[0].get_closest_marker("sample")
        assert mark is not None
        (wanted,) = mark.args
        assert wanted > 0, "a test of which no case is left proves nothing"
        taken = {place * len(each) // wanted for place in range(wanted)}
        for place, item in enumerate(each):
            if place not in taken:
                item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Exempt long-lived objects from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out whole files, but one by one the tests that are slow: each of them takes long enough by itself."""
    if config.option.markexpr != "not slow" or config.option.dist != "loadgroup":
        return None
    from tests.scheduling import FileScheduling  # another process than this one has no use for it

    return FileScheduling(config, log)
