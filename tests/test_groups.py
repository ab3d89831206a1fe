"""Tests of one group share what is dear to start, a Spark session or a browser, so they must share a process."""

import os

import pytest

from oneowner.checkers.places import TOP
from tests.scheduling import LONGEST


@pytest.mark.xdist_group("alone")
def test_group_is_part_of_the_name_that_tests_are_handed_out_by(request: pytest.FixtureRequest) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        assert request.node.nodeid.endswith("@alone")


def test_files_that_are_handed_out_first_are_there() -> None:
    assert [name for name in LONGEST if "/" in name and not (TOP / name).is_file()] == []
