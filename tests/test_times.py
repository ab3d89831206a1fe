"""Durations and moments as people write them."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.times import duration_ms, iso, moment_ms
from oneowner.checkers.verdict import Misuse
from tests.model.channel.strategies import steadily

NEW_YEAR = 1_767_225_600_000
"""2026-01-01T00:00:00Z, by `date -u -d 2026-01-01 +%s`."""


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("0ms", 0), ("1ms", 1), ("1500ms", 1_500), ("10s", 10_000), ("120s", 120_000), ("2m", 120_000),
     ("1h", 3_600_000), (" 30s ", 30_000)],
)  # fmt: skip
def test_duration_is_read_in_its_unit(text: str, milliseconds: int) -> None:
    assert duration_ms(text) == milliseconds


NONSENSE = ["", " ", "s", "12", "12 parsecs", "-1s", "1.5s", "1s2", "10S", "s10", "ten s", "٣s", "²s", "1e3s", "nan",
            "inf", "9" * 13 + "s", "9" * 5000 + "s", "1s\n2s"]  # fmt: skip


@pytest.mark.parametrize("text", NONSENSE)
def test_duration_of_nonsense_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(Misuse, match=re.escape(text) + r".*120s"):
        duration_ms(text)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0", 0),
        ("-1", -1),
        (str(NEW_YEAR), NEW_YEAR),
        ("2026-01-01", NEW_YEAR),
        ("2026-01-01T00:00:00", NEW_YEAR),  # UTC without a zone
        ("2026-01-01 00:00", NEW_YEAR),
        ("2026-01-01T00:00:00Z", NEW_YEAR),
        ("2026-01-01T01:00:00+01:00", NEW_YEAR),
        ("2025-12-31T16:00:00-08:00", NEW_YEAR),
        ("2026-01-01T05:45:00+05:45", NEW_YEAR),
        ("2026-01-01T00:00:00.001Z", NEW_YEAR + 1),
        ("2026-01-01T00:00:00.999", NEW_YEAR + 999),
        ("20260101T000000Z", NEW_YEAR),
        (" 2026-01-01 ", NEW_YEAR),
    ],
)
def test_moment_is_read_as_milliseconds_or_iso_8601(text: str, milliseconds: int) -> None:
    assert moment_ms(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "now", "yesterday", "12:00", "2026-13-01", "2026-02-30", "2026-01-01T25:00", "2026-01-01T00:00:61",
     "2026-01-01T00:00:00+99:00", "1.5", "1e3", "nan", "inf", "0x10", "٣", "9" * 19, "9" * 5000, "--1"],
)  # fmt: skip
def test_moment_of_nonsense_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(Misuse, match=re.escape(text) + r".*ISO 8601"):
        moment_ms(text)


@steadily
@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_moment_that_is_written_is_read_back(milliseconds: int) -> None:
    assert moment_ms(iso(milliseconds)) == milliseconds


@steadily
@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2100, 1, 1)))
def test_moment_without_a_zone_is_utc_whatever_the_machine_says(moment: datetime) -> None:
    whole = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    since = whole.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    assert moment_ms(whole.isoformat()) == since.days * 86_400_000 + since.seconds * 1_000 + since.microseconds // 1_000


@pytest.mark.parametrize("milliseconds", [10**18, -(10**18), 2**63])
def test_moment_that_no_calendar_has_stays_a_number(milliseconds: int) -> None:
    assert iso(milliseconds) == str(milliseconds)


def test_moment_in_seconds_is_refused_with_its_milliseconds() -> None:
    with pytest.raises(Misuse, match="1795219620; it looks like seconds, and milliseconds are 1795219620000"):
        moment_ms("1795219620")
