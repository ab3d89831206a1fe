"""Each bug with a signature has a text that shows it, and a text near to that which does not."""

from pathlib import Path

import pytest

from oneowner.checkers.bugs.answer import Answer, answer_to
from oneowner.checkers.bugs.known_bugs import known_bugs
from oneowner.checkers.bugs.page import answer_lines
from oneowner.checkers.bugs.sources import Source

TEXTS = Path(__file__).parent / "texts"
NEAR = "%%% "
SIGNED = sorted(name for name, one in known_bugs().items() if one.signatures)


def answer(tmp_path: Path, text: str) -> Answer:
    path = tmp_path / "pasted"
    path.write_text(text, encoding="utf-8")
    return answer_to([Source("broker.log", str(path))])


def parts(name: str) -> list[str]:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8").split(NEAR)


@pytest.mark.parametrize("name", SIGNED)
def test_text_of_a_bug_shows_it_first(name: str, tmp_path: Path) -> None:
    shown = [one.bug.name for one in answer(tmp_path, parts(name)[0]).suspects]
    assert shown[:1] == [name]


@pytest.mark.parametrize("name", SIGNED)
def test_text_near_to_a_bug_does_not_show_it(name: str, tmp_path: Path) -> None:
    (_, *near) = parts(name)
    assert near
    for one in near:
        reason, _, text = one.partition("\n")
        shown = [suspect.bug.name for suspect in answer(tmp_path, text).suspects]
        assert name not in shown, reason


@pytest.mark.parametrize("name", SIGNED)
def test_no_text_shows_another_bug_for_certain(name: str, tmp_path: Path) -> None:
    """Lines that prove one bug stand in no text of another, near or not; only a bug of the same run may be likely."""
    for number, one in enumerate(parts(name)):
        text = one.partition("\n")[2] if number else one
        certain = [each.bug.name for each in answer(tmp_path, text).suspects if each.match.signature.sure == "certain"]
        assert set(certain) <= {name}


def test_texts_are_of_bugs_that_have_signatures() -> None:
    assert sorted(path.stem for path in TEXTS.iterdir()) == SIGNED


MANAGER = "org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl"
CHANNEL = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
FOLLOWER_CLEANS_UP = (
    f"2026-11-21T00:30:12,297+0000 [main] INFO  {MANAGER} - This broker:b2:8080 plays a follower now.",
    f"2026-11-21T00:30:13,297+0000 [x] INFO  {CHANNEL} - Overriding inactiveBroker:b3:8080, ownership "
    "serviceUnit:a/b/0x00000000_0x40000000 from A to overrideData:B",
)


def test_log_that_several_brokers_write_without_a_prefix_proves_nothing_of_one(tmp_path: Path) -> None:
    """The leader cleans up, and the follower beside it; each line may be of either."""
    assert [one.bug.name for one in answer(tmp_path, "\n".join(FOLLOWER_CLEANS_UP)).suspects] == ["late_clean_up"]
    leader = FOLLOWER_CLEANS_UP[0].replace("b2:8080 plays a follower", "b1:8080 plays the leader")
    mixed = answer(tmp_path, "\n".join([leader, *FOLLOWER_CLEANS_UP]))
    assert (mixed.suspects, mixed.mixed) == ((), {"broker.log": ("b1:8080", "b2:8080")})
    assert any("give each a file" in line for line in answer_lines(mixed))
