"""Tests of one group share what is dear to start, a Spark session or a browser, so they must share a process."""

import os

import pytest


@pytest.mark.xdist_group("alone")
def test_group_is_part_of_the_name_that_tests_are_handed_out_by(request: pytest.FixtureRequest) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        assert request.node.nodeid.endswith("@alone")
