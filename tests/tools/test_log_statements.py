"""The table of log lines is held against the log statements of releases, and these are read from Java as they stand."""

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.log_lines import LogLine
from oneowner.checkers.recordings.read.log_patterns import Garbled, table
from tools.log_statements import PAGE, compare, page_of, reads, written
from tools.source_statements import VALUE, statements_of

CLASS = "org/apache/pulsar/broker/loadbalance/extensions/A.java"
NAME = "org.apache.pulsar.broker.loadbalance.extensions.A"


def found(body: str, above: str = "") -> list[tuple[str, str, tuple[str, ...] | None]]:
    statements = list(statements_of(CLASS, body, above))
    assert {one.logger for one in statements} <= {NAME}
    return [(one.level, one.text, one.attributes) for one in statements]


def test_table_reads_every_statement_of_every_release_and_has_no_form_that_none_prints() -> None:
    compared = compare(written(), table())
    assert (compared.unread, compared.unheard, compared.needless) == ([], [], [])
    of_the_balancer = {
        "3.0.7",
        "3.1.0",
        "3.2.0",
        "3.2.3",
        "3.3.6",
        "4.0.6",
        "4.0.7",
        "4.0.8",
        "4.2.4",
        "5.0.0-M1",
        "5.0.1",
    }
    assert set(compared.shares) == of_the_balancer
    for read, irrelevant, there in compared.shares.values():
        assert there > 200
        assert irrelevant <= 2
        assert read + irrelevant == there


def test_page_has_the_shares_of_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_of(compare(written(), table()))


def test_classes_that_own_and_lock_are_read_whole_in_every_release() -> None:
    by_class = compare(written(), table()).by_class
    whole = {"OwnershipCache", "OwnedBundle", "ResourceLockImpl", "LeaderElectionImpl", "ZKSessionWatcher"}
    for name in (*whole, "ModularLoadManagerImpl", "TopicLookupBase", "SystemTopicBasedTopicPoliciesService"):
        assert {"2.8.1", "2.9.1", "2.10.5", "2.11.0", "3.0.7", "4.0.8", "5.0.1"} <= set(by_class[name])
        assert all(read == there for read, there in by_class[name].values()), name


def test_statements_of_a_class_file_are_those_of_its_source() -> None:
    """5.0.0-M1 was read from sources, and 5.0.1 from class files: most statements are the same."""
    of = {release: {one for one, some in written().items() if release in some} for release in ("5.0.0-M1", "5.0.1")}
    assert len(of["5.0.0-M1"] & of["5.0.1"]) > 0.8 * len(of["5.0.0-M1"])


def test_comparison_tells_what_nobody_reads_and_what_nobody_prints() -> None:
    lacking = {one: releases for one, releases in written().items() if "has been created" not in one.text}
    compared = compare(lacking, table())
    assert [words.partition(":")[0] for words in compared.unheard] == ["registry-created", "registry-created"]
    (strange,) = statements_of(CLASS, 'log.info("never seen {}", it);')
    assert compare({strange: ["4.0.6"]}, table()).unread == [strange]


def test_no_statement_of_any_release_is_damage() -> None:
    """A line of the code's own that no law needs is read, or not understood; never taken for a mutilated other one."""
    patterns, judged = table(), 0
    for one in written():
        readers = [pattern for pattern in patterns if reads(pattern, one)]
        if any(pattern.is_needed for pattern in readers):
            continue  # with made up values it is mutilated indeed
        text = one.text.replace(VALUE, "x")
        attributes = None if one.attributes is None else dict.fromkeys(one.attributes, "x")
        line = LogLine(Origin(0, 0, 1), 1, 0, one.level, one.logger, "main", text, attributes, [])
        assert not isinstance(patterns.understand(line), Garbled), one
        judged += 1
    assert judged > 300


def test_text_is_put_together_from_literals_formats_and_constants() -> None:
    assert found('log.info("a {} b" + (x ? "y" : "z") + " c", value);') == [("INFO", "a {} b{} c", None)]
    assert found('log.warn(String.format("a %s of %.2f%%", x, y));') == [("WARN", "a {} of {}%", None)]
    assert found('static final String A = "may not %s" + "."; log.error(String.format(A + "x", y));') == [
        ("ERROR", "may not {}.x", None)
    ]
    assert found('String msg = "one " + n; log.warn(msg); msg = "two"; log.warn(msg);') == [
        ("WARN", "one {}", None),
        ("WARN", "two", None),
    ]
    assert found('log.debug("""\n    a {}\n    b""", x);') == [("DEBUG", "a {}\nb", None)]
    assert found('// log.info("gone");\n/* log.info("too"); */ log.info("http://kept");') == [
        ("INFO", "http://kept", None)
    ]


def test_structured_statement_has_its_attributes_and_those_of_its_logger() -> None:
    chain = 'log.warn().attr("b", f(x, ")")).attr("a", y).exceptionMessage(e).log("words");'
    assert found(chain) == [("WARN", "words", ("a", "b", "exception"))]
    assert found('log.infof("a %s", x);') == [("INFO", "a {}", None)]
    built = 'this.log = LOG.with().attr("topic", t).attr("name", () -> n).build();'
    assert found(f'{built} log.info("closed");') == [("INFO", "closed", ("name", "topic"))]
    inherited = 'this.log = LOG.with().ctx(super.log).build(); log.info("closed");'
    assert found(inherited, built) == [("INFO", "closed", ("name", "topic"))]
