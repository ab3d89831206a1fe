"""The page of broken laws: every recording, no alarm without a finding, and the laws that findings name."""

from oneowner.checkers.ledger.recording_pins import recordings
from tools.broken_laws_table import PAGE, page, rows


def test_page_has_the_present_pins_of_every_recording() -> None:
    assert page() == PAGE.read_text(encoding="utf-8")
    assert [one.name for one in rows()] == [path.name for path in recordings()]


def test_recording_that_shows_no_finding_breaks_no_law() -> None:
    healthy = [one for one in rows() if not one.findings]
    assert len(healthy) >= 16
    assert not [one.name for one in healthy if one.of_states or one.broken]


def test_law_of_a_finding_is_broken_where_a_recording_breaks_laws_of_states() -> None:
    other = [one.name for one in rows() if one.of_states.keys().isdisjoint(found.law for found in one.findings)]
    broken = [one.name for one in rows() if one.of_states]
    assert len(broken) >= 8
    assert set(broken) & set(other) == {"quick-restart"}, "the watch that was not delivered is inferred"
