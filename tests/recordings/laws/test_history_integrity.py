"""The ZooKeeper history alone, and against brokers' logs, the channel and polls."""

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.read.zookeeper import BROKERS, LEADER
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import Case, case, each, warning
from tests.recordings.laws.crafted import B1, B2, B3, channel, logs, message, poll, printed, said, scene, write

HISTORY, LINES, SESSIONS, NAMES = (
    "history-is-possible", "logs-and-history-agree", "sessions-begin-and-end", "names-are-known",
)  # fmt: skip
S0, S1, S2, S3 = (f"0x10000000000000{number}" for number in range(4))
NODE, NODE_2 = f"{BROKERS}{B1}", f"{BROKERS}{B2}"


def history(*writes: NodeWrite, lines: tuple[LogEvent, ...] = (), **fields: object) -> Scene:
    return scene(writes=sorted(writes, key=lambda one: (one.zxid, one.origin)), said=logs(*lines), **fields)


def begin(zxid: int, session: str = S1, time: int = 0) -> NodeWrite:
    return write(zxid, time or zxid * 10, "createSession", session=session)


def end(zxid: int, session: str = S1) -> NodeWrite:
    return write(zxid, zxid * 10, "closeSession", session=session)


def create(
    zxid: int, path: str, session: str = S1, ephemeral: bool = False, data: str = "", time: int = 0
) -> NodeWrite:
    return write(zxid, time or zxid * 10, "create", path, session, data, ephemeral)


def change(zxid: int, path: str, version: int, session: str = S1) -> NodeWrite:
    return write(zxid, zxid * 10, "setData", path, session, version=version)


def delete(zxid: int, path: str, session: str = S1) -> NodeWrite:
    return write(zxid, zxid * 10, "delete", path, session)


def elects(zxid: int, broker: str, session: str = S1, time: int = 0) -> NodeWrite:
    return create(zxid, LEADER, session, ephemeral=True, data=f'{{"brokerId":"{broker}"}}', time=time)


def silence(since: int, until: int) -> tuple[NodeWrite, ...]:
    """The server goes on, one failed write a second."""
    return tuple(write(900 + n, time, "error", session=S3) for n, time in enumerate(range(since, until, 1_000)))


LATE = history(
    begin(5), create(7, "/a", ephemeral=True), change(8, "/b", 4), change(9, "/b", 5), delete(10, "/c"), end(11)
)
WHOLE = (
    begin(1), create(2, "/a"), create(3, "/a/e", ephemeral=True), change(4, "/a", 1), end(5), begin(6, S2),
    create(7, "/a/e", S2, ephemeral=True), change(8, "/a", 2, S2), delete(9, "/a/e", S2), delete(10, "/a", S2),
)  # fmt: skip
SCRIPT = (
    begin(1), create(2, "/a"), create(3, "/a/e"), end(4), begin(5, S2), create(6, "/a/e", S2), change(7, "/a", 1, S2),
)  # fmt: skip
STARTED = said(0, 10, "broker-starting", version="4.0.6")
STARTS, HAS = said(1, 95, "registering", path=NODE, state="Started"), said(2, 110, "registered")
WON = said(3, 210, "elected", path=LEADER, leader=B1)
GOES_ON = said(9, 9_000, "election-event-failed")._replace(thread="metadata-store-10-1")
LATER = write(99, 9_500, "error")


def registered(*lines: LogEvent, writes: tuple[NodeWrite, ...] = ()) -> Scene:
    """A broker registers at 100, with its log line, and the server goes on."""
    return history(begin(1), create(10, NODE, ephemeral=True, time=100), *writes, LATER, lines=(STARTED, *lines))


def restarted_late(*lines: LogEvent) -> Scene:
    """B1 starts after 20 s; B2 registers at 2 ms, its session ends at 30 s, and it registers again at 33 s."""
    own = STARTED._replace(time=20_000), STARTS._replace(time=20_010), HAS._replace(time=20_030)
    return history(
        begin(1), create(2, NODE_2, ephemeral=True, time=2), begin(10, S3, time=19_000),
        create(20, NODE, S3, ephemeral=True, time=20_020), end(40)._replace(time=30_000), begin(50, S2, time=33_001),
        create(60, NODE_2, S2, ephemeral=True, time=33_002), LATER._replace(time=90_000),
        lines=(*own, GOES_ON._replace(time=37_000), *lines, GOES_ON._replace(time=80_000)),
    )  # fmt: skip


def logged(event: str, time: int, subject: str = B2, number: int = 5) -> LogEvent:
    return said(number, time, f"registry-{event}", subject=subject)


CASES = {
    "history from the first transaction on is possible": case(HISTORY, history(*WHOLE), occasions=10),
    "history that begins late is possible": case(HISTORY, LATE),
    "history that does not say what is ephemeral is possible": case(HISTORY, history(*SCRIPT)),
    "history of two members of an ensemble is possible": case(
        HISTORY, history(*WHOLE, *(one._replace(origin=one.origin._replace(piece=9)) for one in WHOLE))),
    "line that stands behind a later one": case(
        HISTORY, history(begin(1), create(3, "/a")._replace(origin=begin(2).origin), create(2, "/b")
                         ._replace(origin=begin(3).origin)), warning(why="zxid 2 (create /b) stands behind zxid 3"),
        doubts=1),
    "time goes back": case(
        HISTORY, history(begin(1, time=70_000), create(2, "/a", time=10_000)), warning(why="is stamped 60.0 s before"),
        doubts=1),
    "session whose begin is missing between two others": case(
        HISTORY, history(begin(1, S1), begin(2, S3)), warning(why="session 0x100000000000002 has no begin"), doubts=1),
    "sessions of which one server only knew most": case(
        HISTORY, history(begin(1, "0x100000000000001"), begin(2, "0x100000000000009"))),
    "session begins twice": case(HISTORY, history(begin(1), begin(2)), warning(why="begins twice"), doubts=1),
    "session that never began": case(
        HISTORY, history(begin(1), create(2, "/a", S2)), warning(why=f"of session {S2}, which never began"), doubts=1),
    "session that has ended goes on": case(
        HISTORY, history(begin(1), end(2), create(3, "/a")), warning(why="which ended with zxid 2"), doubts=1),
    "session that ends twice, by itself and by the server, only warns":
        case(HISTORY, history(begin(1), end(2), end(3)), warning()),
    "node is made while it is there": case(
        HISTORY, history(begin(1), create(2, "/a"), create(3, "/a")), warning(why="is there since zxid 2"), doubts=1),
    "ephemeral node outlives the session that made it": case(
        HISTORY, history(begin(1), begin(2, S2), create(3, NODE, ephemeral=True), create(4, NODE, S2, ephemeral=True)),
        warning(B1, why="is there since zxid 3"), doubts=1),
    "node that nothing made is changed": case(
        HISTORY, history(begin(1), create(2, "/a"), change(3, "/a/b", 1)), warning(why="nothing made"), doubts=1),
    "node is made below one that nothing made": case(
        HISTORY, history(begin(1), create(2, "/a"), create(3, "/a/b/c")), warning(why="below one that nothing made"),
        doubts=1),
    "node of another cluster is made beside the cluster's own root": case(
        HISTORY, history(begin(1), create(2, ""), create(3, "../two"), create(4, "../two/a"))),
    "node that was deleted is changed": case(
        HISTORY, history(begin(1), create(2, "/a"), delete(3, "/a"), change(4, "/a", 1)),
        warning(why="went with zxid 3"), doubts=1),
    "node goes while it has a child": case(
        HISTORY, history(begin(1), create(2, "/a"), create(3, "/a/b"), delete(4, "/a")),
        warning(why="has a child, /a/b"), doubts=1),
    "version is not the next": case(
        HISTORY, history(begin(1), create(2, "/a"), change(3, "/a", 2)), warning(why="has version 2"), doubts=1),
    "one session registers two brokers": case(
        HISTORY, history(begin(1), create(2, NODE), create(3, NODE_2)), warning(B1, B2, why="registers b1:8080 and b2"),
        doubts=1),
    "broker registers with the address of another": case(
        HISTORY, history(begin(1), begin(2, S2), create(3, NODE, data=f'"http://{B2}"'), create(4, NODE_2, S2)),
        warning(B1, why="with the address of b2:8080"), doubts=1),
    "session of one broker elects another": case(
        HISTORY, history(begin(1), create(2, NODE), elects(3, B2)), warning(B1, why="elects b2:8080"), doubts=1),
    "broker comes back with a new session, and the old one never ends": case(
        HISTORY, history(begin(1), create(2, NODE, ephemeral=True), begin(3, S2), change(4, NODE, 1, S2),
                         *silence(1_000, 60_000)), warning(B1, why=f"left session {S1} for {S2}"), doubts=1),
    "old session may last while the server is silent": case(
        HISTORY, history(begin(1), create(2, NODE, ephemeral=True), begin(3, S2), change(4, NODE, 1, S2),
                         write(99, 600_000, "error", session=S2))),

    "registration and election are in log and history": case(
        LINES, registered(STARTS, HAS, WON, GOES_ON, writes=(elects(20, B1, time=200),)), occasions=3),
    "two registrations at once are in order":
        case(LINES, registered(STARTS, STARTS, HAS, HAS, GOES_ON)),
    "log that never says that a broker starts to register is of another kind":
        case(LINES, registered(HAS, GOES_ON)),
    "registration that failed says so": case(LINES, registered(STARTS, said(2, 110, "register-failed"), GOES_ON)),
    "process that ends may not have said that it registered": case(LINES, registered(STARTS)),
    "registration ends without a beginning":
        case(LINES, registered(HAS, STARTS, HAS, GOES_ON), warning(B1, why="no line says that it started"), doubts=1),
    "registration begins without an end": case(
        LINES, registered(STARTS, GOES_ON), warning(B1, why="no line says how that ended"),
        warning(B1, why="its log does not say so"), doubts=1),
    "election is not in the log": case(
        LINES, registered(STARTS, HAS, GOES_ON, writes=(elects(20, B1, time=200),)),
        warning(B1, why="the history elects b1:8080"), doubts=1),
    "election that met a conflict may not be in the log": case(
        LINES, registered(STARTS, HAS, said(4, 220, "leader-kept-own"), GOES_ON, writes=(elects(20, B1, time=200),))),
    "election is not in the history": case(
        LINES, history(begin(1, time=1), create(10, NODE, ephemeral=True, time=100), LATER,
                       lines=(STARTED, STARTS, HAS, WON, GOES_ON)),
        warning(B1, why="the history has no such election"), doubts=1),
    "registration is not in the history": case(
        LINES, history(begin(1, time=1), LATER, lines=(STARTED, STARTS, HAS, GOES_ON)),
        warning(B1, why="has no such node"), doubts=1),
    "election in another's name": case(
        LINES, registered(STARTS, HAS, WON._replace(values={"path": LEADER, "leader": B2}), GOES_ON,
                          writes=(elects(20, B1, time=200),)), warning(B1, B2, why="in the name of b2:8080"), doubts=1),
    "end that others saw is in the history": case(
        LINES, history(begin(1), create(2, NODE_2, ephemeral=True), end(40), LATER,
                       lines=(logged("created", 25), logged("deleted", 420))), occasions=2),
    "end that others saw is not in the history": case(
        LINES, history(begin(1), create(2, NODE_2, ephemeral=True), LATER,
                       lines=(logged("created", 25), logged("deleted", 420))),
        warning(B2, B1, why="saw a registration of b2:8080 end"), doubts=1),
    "second end is not in the history": case(
        LINES, history(begin(1), create(2, NODE_2, ephemeral=True), end(40)._replace(time=4_000),
                       begin(50, S2, time=5_000), create(60, NODE_2, S2, ephemeral=True, time=6_000), LATER,
                       lines=(logged("created", 25), logged("deleted", 4_010), logged("created", 6_010),
                              logged("deleted", 9_000))),
        warning(B2, B1, why="end"), doubts=1),
    "end and beginning that wait for one thread may be told in the other order, at once": case(
        LINES, restarted_late(logged("created", 38_000), logged("deleted", 38_000))),
    "end that is told after the next beginning is another one": case(
        LINES, restarted_late(logged("created", 38_000), logged("deleted", 38_200)),
        warning(B2, B1, why="end"), doubts=1),
    "end that one process is told of twice is one": case(
        LINES, history(begin(1), create(2, NODE_2, ephemeral=True), end(40), LATER,
                       lines=(logged("created", 25), logged("deleted", 420), logged("deleted", 421)))),

    "session of a log begins and ends in the history": case(
        SESSIONS, history(begin(1), end(40), LATER, lines=(said(1, 20, "zk-session-begun", session=S1),
                                                           said(2, 500, "zk-session-expired", session=S1[2:])))),
    "session of another ensemble is nobody's business": case(
        SESSIONS, history(begin(1), LATER, lines=(said(1, 20, "zk-session-begun", session="0x200000000000001"),))),
    "session of a log never began": case(
        SESSIONS, history(begin(1), LATER, lines=(said(1, 20, "zk-session-begun", session=S2),)),
        warning(B1, why="which never began in the history"), doubts=1),
    "session that is over never ends": case(
        SESSIONS, history(begin(1), LATER, lines=(said(1, 500, "zk-session-expired", session=S1[2:]),)),
        warning(B1, why="which never ends in the history"), doubts=1),

    "leader that is named was elected, and the namespace is there": case(
        NAMES, history(begin(1), elects(2, B1), create(3, "/admin/policies/t/n"), LATER, polls=[poll(1, 60, 70, B2)],
                       channel=channel(message(0, 80, printed("Owned", 2, B1)))), occasions=2),
    "leader that is named was never elected": case(
        NAMES, history(begin(1), elects(2, B2), LATER, polls=[poll(1, 60, 70, B2), poll(2, 80, 90, B3)]),
        warning(B1, B2, why="names b1:8080 as leader"), doubts=1),
    "history that begins late does not know who was elected":
        case(NAMES, history(begin(2), LATER, polls=[poll(1, 60, 70, B2)]), occasions=0),
    "namespace of a unit was never made": case(
        NAMES, history(begin(1), create(2, "/admin/policies/t/other"), LATER,
                       channel=channel(message(0, 80, printed("Owned", 2, B1)))),
        warning(why="nothing made /admin/policies/t/n"), doubts=1),
}  # fmt: skip


@each(CASES)
def test_history_can_have_happened(case: Case) -> None:
    case.check()
