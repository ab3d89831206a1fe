"""Every citation of Pulsar's code in our texts exists under that name, in the release that the text is about."""

from functools import cache

import pytest

from tools.citations import CHANNEL, RELEASE, citations, read_members, texts, unknown

MEMBERS = read_members()
written = cache(lambda: list(texts()))


def test_every_class_and_member_that_a_text_cites_is_declared_in_its_release() -> None:
    assert [(where, *one) for where, text in written() for one in unknown(text, MEMBERS)] == []


def test_laws_faults_and_actions_are_read() -> None:
    cited = {where: citations(text) for where, text in written()}
    assert sum(map(len, cited.values())) > 500
    assert ("LeaderElectionImpl", "", RELEASE) in cited["one-elected"]
    assert ("ExtensibleLoadManagerWrapper", "disableBroker", "3.0.0") in cited["shutdown_only_unregisters"]
    assert ("ResourceLockImpl", "acquire", RELEASE) in cited["oneowner/model/locks/lock.py:acquire"]
    assert ("", "deferGetOwner", RELEASE) in cited["oneowner/model/channel/requests.py:time_out"]


def test_files_hold_no_class_that_is_not_cited() -> None:
    cited = {(one.release, one.cls or CHANNEL) for _, text in written() for one in citations(text)}
    assert {(release, cls) for release, classes in MEMBERS.items() for cls in classes} <= cited


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{CHANNEL}.disableBroker", (CHANNEL, "disableBroker", RELEASE)),
        ("ExtensibleLoadManagerImpl.getAssigned", ("ExtensibleLoadManagerImpl", "getAssigned", RELEASE)),
        ("ServiceUnitStateCompactionStrategy; PIP-192", ("ServiceUnitStateCompactionStrategy", "", RELEASE)),
        ("PulsarHandler.handleKeepAliveTimeout, playFollower", ("", "playFollower", RELEASE)),
        ("``closeInternalTopics``", ("", "closeInternalTopics", RELEASE)),
        ("deferGetOwnerRequest", ("", "deferGetOwnerRequest", RELEASE)),
        (f"``{CHANNEL}.deferGetOwner`` of 3.1.0", (CHANNEL, "deferGetOwner", "3.1.0")),
        ("TableViewImpl.handleMessage of 9.9.9", ("TableViewImpl", "handleMessage", "9.9.9")),
    ],
)  # fmt: skip
def test_name_that_the_release_does_not_have_is_found(text: str, wrong: tuple[str, str, str]) -> None:
    assert unknown(text, MEMBERS) == [wrong]
