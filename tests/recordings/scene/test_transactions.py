"""Parts of a transaction that failed are no writes."""

from oneowner.checkers.recordings.laws.integrity.zookeeper_transactions import LAWS
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.scene.registry import written
from oneowner.checkers.recordings.scene.transactions import carried_out
from tests.recordings.laws.crafted import B1, scene, write

NODE = f"/loadbalance/brokers/{B1}"
BEGUN = write(1, 10, "createSession")


def made(zxid: int, path: str = NODE, session: str = "0x1", data: str = "{}") -> NodeWrite:
    return write(zxid, 10 * zxid, "create", path, session, data, ephemeral=True)


def error(zxid: int) -> NodeWrite:
    return write(zxid, 10 * zxid, "error")


def contradictions(*writes: NodeWrite) -> int:
    kept = carried_out(writes)
    found = LAWS[0].judge(scene(writes=kept)).findings
    return len(found) + len(written(kept).contradictions)


def test_parts_beside_an_error_are_left_out() -> None:
    failed = [BEGUN, made(2), error(2), made(3)]
    assert carried_out(failed) == [BEGUN, error(2), made(3)]
    assert contradictions(*failed) == 0


def test_parts_that_their_session_writes_again_are_those_of_a_failed_transaction() -> None:
    beside = made(2, "/loadbalance/extension")
    assert carried_out([BEGUN, made(2), beside, made(3)]) == [BEGUN, made(3)]
    assert contradictions(BEGUN, made(2), beside, made(3), made(4, "/loadbalance/extension")) == 0


def test_node_that_is_made_twice_stays_a_contradiction() -> None:
    alone = [BEGUN, made(2), made(3)]
    assert carried_out(alone) == alone
    assert contradictions(*alone) > 0
    beside = made(2, "/loadbalance/extension")
    other = [BEGUN, made(2), beside, made(3, data='{"a": 1}')]
    assert carried_out(other) == other
    stranger = [BEGUN, made(2), beside, made(3, session="0x2")]
    assert carried_out(stranger) == stranger


def test_node_that_goes_and_comes_back_was_made_twice_indeed() -> None:
    beside = made(2, "/loadbalance/extension")
    gone = write(3, 30, "delete", NODE)
    assert carried_out([BEGUN, made(2), beside, gone, made(4)]) == [BEGUN, made(2), beside, gone, made(4)]
