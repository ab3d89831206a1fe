"""Texts written into a page are read back without a browser."""

import gzip
import hashlib
import io
import json
import re
from base64 import b64decode, b64encode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.report import html
from oneowner.checkers.report.broker_names import BrokerNames
from oneowner.checkers.report.cited_documents import FINDINGS, Citations
from oneowner.checkers.results import Page, Part, Result, Stream
from oneowner.checkers.verdict import Verdict
from tests.command_line import COUNTEREXAMPLES, REAL, oneowner, refused
from tests.report.page.crafted import HOSTILE, audited, finding, intervals, unit_name


class Outline(HTMLParser):
    """Tags, attributes that load something, and the text of scripts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.inline: list[str] = []
        self.scripts: list[str] = []
        self.policy = ""
        self._script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        self.loads += [str(given[name]) for name in ("src", "href", "action", "srcset") if name in given]
        self.inline += [name for name in given if name.startswith("on") or name == "style"]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(given["content"])
        self._script = tag == "script" and "type" not in given

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._script = False


def page_of(result: Result) -> str:
    stream = io.StringIO()
    html.write_to(stream, result)
    return stream.getvalue()


def data_of(text: str) -> list[dict[str, Any]]:
    """The lines of JSON that a page holds."""
    (packed,) = re.findall(r'<script type="text/plain" id="data">\n(.*?)</script>', text, re.DOTALL)
    return [json.loads(line) for line in gzip.decompress(b64decode(packed)).decode().splitlines()]


def unfolded(text: str) -> list[tuple[int, dict[str, Any]]]:
    """The intervals of a page, as they were given."""
    rows: list[list[Any]] = []
    texts: list[str | None] = []
    found: list[tuple[int, dict[str, Any]]] = []
    for line in data_of(text):
        rows += line.get("rows", [])
        texts += line.get("texts", [])
        columns: dict[str, list[Any]] = line.get("intervals", {"row": []})
        time = 0
        for number in range(len(columns["row"])):
            given = {name: column[number] for name, column in columns.items()}
            time += given["from"]
            end = None
            if given["to"] is not None:
                until = given["until"] if given["until"] != 0 else columns["id"][number + 1]
                end = {"messageId": until, "time": time + given["to"]}
            run, unit = rows[given["row"]]
            named = {"unit": unit, "broker": texts[given["broker"]], "state": texts[given["state"]]}
            found.append((run, {**named, "from": {"messageId": given["id"], "time": time}, "to": end}))
    return found


def test_intervals_are_read_back_as_they_were_given() -> None:
    text = page_of(audited(units=130, each=40))  # more than a block
    assert unfolded(text) == list(intervals(130, 40))


def test_intervals_of_several_runs_stay_apart() -> None:
    result = audited(units=3, each=4)
    both = [(run, interval) for run in (0, 1) for _, interval in intervals(3, 4)]
    result.page = Page(runs=("one", "two"), intervals=both)
    text = page_of(result)
    assert unfolded(text) == both
    assert data_of(text)[0]["head"]["runs"] == ["one", "two"]


def test_findings_keep_every_key_and_name_their_run() -> None:
    result = audited()
    (found,) = [line["findings"] for line in data_of(page_of(result)) if "findings" in line]
    assert found == [{"run": 0, **one} for one in result.findings]


def test_page_says_how_much_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("MOST_INTERVALS", 60), ("FOR_ANYBODY", 48), ("MOST_FINDINGS", 2), ("MOST_REFUSALS", 0)):
        monkeypatch.setattr(html, name, number)
    monkeypatch.setattr(html, "BLOCK", 7)
    text = page_of(audited(units=30, each=12))
    assert data_of(text)[-1] == {"end": {"findings": 4, "refusals": 1, "intervals": 30 * 12 - 48}}
    assert [interval["unit"] for _, interval in unfolded(text)] == [unit_name(n) for n in range(4) for _ in range(12)]


def test_room_is_kept_for_units_with_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "MOST_INTERVALS", 60)
    monkeypatch.setattr(html, "FOR_ANYBODY", 48)
    last = finding("dual-serving", unit_name(29), 0)
    text = page_of(audited(units=30, each=12, found=[last]))
    units = [interval["unit"] for _, interval in unfolded(text)]
    assert units[48:] == [unit_name(29)] * 12


def test_incident_is_read_without_the_scripts_and_is_escaped() -> None:
    result = audited()
    root = {"kind": "silent process", "what": f"b1 stood still {HOSTILE}", "brokers": [], "time": 1, "evidence": []}
    fields = {
        "run": 0,
        "severity": "warning",
        "root": root,
        "from": 1_000,
        "to": 3_000,
        "ended": "over",
        "longest": 900,
        "consequences": [],
    }
    fields |= {"harm": "clients could not use", "harmed": ["u"], "repair": HOSTILE, "like": [HOSTILE], "moments": []}
    result.more["incidents"] = [fields]
    text = page_of(result)
    assert "<dt>since</dt><dd>1970-01-01T00:00:01.000Z, for 2.0 s</dd>" in text
    assert "<dt>what</dt><dd>b1 stood still " in text
    assert "<dt>harm</dt><dd>clients could not use 1 bundle, for up to 900 ms: u</dd>" in text
    assert HOSTILE not in text


def test_sentences_of_a_page_have_the_short_names_of_the_text_and_commands_the_long_ones() -> None:
    brokers = [f"pulsar-broker-{number}.pulsar-broker.pulsar.svc.cluster.local:8080" for number in range(3)]
    result = audited()
    result.page = Page(runs=("run",), lanes=[{"run": 0, "broker": broker} for broker in brokers])
    root = {"kind": "stopped view", "what": f"{brokers[1]} stopped", "brokers": brokers[1:2], "time": 1, "evidence": []}
    moment = {"time": 1_000, "what": f"{brokers[2]} was elected leader"}
    result.more["incidents"] = [
        {
            "run": 0, "severity": "warning", "root": root, "from": 1_000, "to": None, "ended": "lasts", "longest": 0,
            "consequences": [], "harm": "concerned", "harmed": [], "units": [], "like": [], "moments": [moment],
            "repair": f"restart {brokers[1]}, so that its view begins anew",
        }
    ]  # fmt: skip
    text = page_of(result)
    assert "<dd>pulsar-broker-1 stopped</dd>" in text
    assert "restart pulsar-broker-1, so that" in text
    assert "</time> pulsar-broker-2 was elected leader" in text
    assert f"--admin-url http://{brokers[1]} brokers healthcheck" in text
    assert data_of(text)[0]["head"]["short"][brokers[0]] == "pulsar-broker-0"


def test_streams_are_read_as_they_are_written() -> None:
    """Memory stays flat: when the first piece is out, the last interval has not been asked for."""
    given = 0

    def endless() -> Any:
        nonlocal given
        for item in intervals(4000, 50):
            given += 1
            yield item

    result = audited()
    result.page = Page(runs=("run",), intervals=Stream(endless))
    pieces = html.squeezed(html.lines(result, result.page, BrokerNames(())))
    next(pieces)
    assert 0 < given < 150_000


def test_same_result_gives_the_same_bytes() -> None:
    assert page_of(audited()) == page_of(audited())


def test_what_logs_hold_never_becomes_markup() -> None:
    outline = Outline(page_of(audited()))
    assert "img" not in outline.tags
    assert outline.tags.count("script") == 1 + len(html.SCRIPTS)
    assert HOSTILE not in "".join(outline.scripts)


def test_page_holds_the_documents_that_its_texts_name_and_those_that_these_name() -> None:
    named = "this is returned_unit_stays_fenced; docs/upstream/no-such.md; docs/../secret.md; a_word_with_underscores"
    text = page_of(audited(found=[{**finding("dual-serving", unit_name(1), 0), "upstream": named}]))
    held = re.findall(r'<details id="([\w./-]+)" tabindex', text)
    assert held == ["docs/upstream/fenced-for-good.md", "returned_unit_stays_fenced"]
    assert "A transfer that is given back leaves its topics closed" in text
    assert "docs/upstream/README.md" not in held


def test_every_finding_can_be_held_by_a_page() -> None:
    citations, names = Citations(), sorted(path.stem for path in FINDINGS.glob("*.yaml"))
    assert list(citations.heeding(names)) == names
    held = {one.name: one.body for one in citations.documents()}
    assert set(names) <= set(held)
    for name in names:
        assert "<h1>" in held[name]
        assert len(held[name]) > 300, name
        assert "<script" not in held[name]
        assert all(link.startswith(("#", "https://")) for link in re.findall(r'href="([^"]*)"', held[name]))


def test_subject_and_reasons_are_escaped() -> None:
    result = Result("audit", Verdict.UNKNOWN, [HOSTILE], page=Page(subject=HOSTILE, statements={"a": HOSTILE}))
    result.parts = (Part(HOSTILE, Verdict.UNKNOWN, (), ()),)
    assert "img" not in Outline(page_of(result)).tags


def test_page_loads_nothing_and_allows_only_its_own_scripts() -> None:
    outline = Outline(page_of(audited()))
    assert [load for load in outline.loads if not load.startswith(("#", "data:,"))] == []
    assert outline.inline == []
    assert "default-src 'none'" in outline.policy
    hashes = {b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in outline.scripts}
    assert hashes == set(re.findall(r"sha256-([^']+)'", outline.policy.partition("script-src")[2].partition(";")[0]))
    assert "unsafe" not in outline.policy


def test_scripts_fit_into_a_page_and_name_no_address() -> None:
    for name in (*html.SCRIPTS, *sum(html.OWN_PAGES.values(), ())):
        script = (html.HERE / f"{name}.js").read_text(encoding="utf-8")
        assert "</script" not in script
        assert "://" not in script
        assert ".innerHTML" not in script
        assert script.count("\n") <= 290, name
    assert {path.stem for path in html.HERE.glob("*.js")} == {*html.SCRIPTS, *sum(html.OWN_PAGES.values(), ())}


def test_verdict_and_laws_can_be_read_without_the_scripts() -> None:
    text = re.sub(r"<script.*?</script>", "", page_of(audited()), flags=re.DOTALL)
    for words in (
        "made/up &amp; more",
        ">broken (invalid)<",
        "dual-serving",
        "version-chain",
        "needs broker logs",
        "90.0 %",
    ):
        assert words in text


@pytest.mark.parametrize("verb", ["gate", "faults", "prove", "export", "list"])
def test_verb_without_a_page_offers_none(verb: str, tmp_path: Path) -> None:
    assert "--html" not in oneowner(verb, "--help").out
    outcome = oneowner(verb, "--html", tmp_path / "page.html")
    assert outcome.code == 2
    assert "No such option '--html'" in outcome.err
    assert not list(tmp_path.iterdir())


def test_page_goes_to_standard_output_once() -> None:
    outcome = oneowner("audit", REAL / "healthy", "--html", "-")
    assert outcome.out.startswith("<!doctype html>")
    assert "healthy" in outcome.err
    refused(
        oneowner("audit", REAL / "healthy", "--html", "-", "--json", "-"),
        "- is named twice; every output needs its own file",
    )


def test_page_is_not_written_into_a_folder_that_is_missing(tmp_path: Path) -> None:
    refused(oneowner("audit", REAL / "healthy", "--html", tmp_path / "no" / "page.html"), "no folder")


@pytest.fixture(scope="module")
def zombie(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The page and the JSON of one audit."""
    page, audit = (tmp_path_factory.mktemp("zombie") / name for name in ("page.html", "audit.json"))
    oneowner("audit", REAL / "zombie", "--html", page, "--json", audit)
    return page, audit


def test_page_shows_the_findings_and_intervals_of_the_json(tmp_path: Path, zombie: tuple[Path, Path]) -> None:
    (page, audit), timeline = zombie, tmp_path / "timeline.json"
    oneowner("timeline", REAL / "zombie", "--json", timeline)
    text = page.read_text(encoding="utf-8")
    found = [one for line in data_of(text) for one in line.get("findings", [])]
    assert found == [{"run": 0, **one} for one in json.loads(audit.read_text())["findings"]]
    assert [one for _, one in unfolded(text)] == json.loads(timeline.read_text())["intervals"]


def test_page_tells_what_was_done_and_the_json_does_not(zombie: tuple[Path, Path]) -> None:
    page, audit = zombie
    (events,) = [line["events"] for line in data_of(page.read_text(encoding="utf-8")) if "events" in line]
    assert [0, 1795219615877, "SIGSTOP broker-3 (127.0.0.1:18083), follower"] in events
    assert "SIGSTOP" not in audit.read_text()


def test_run_of_the_model_has_every_record_with_its_verdict(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    oneowner("replay", COUNTEREXAMPLES / "assign_before_close" / "single-writer.yaml", "--html", page)
    (run,) = [line["replay"] for line in data_of(page.read_text(encoding="utf-8")) if "replay" in line]
    assert [(number, *one) for number, step in enumerate(run["steps"]) for one in step["traffic"]["appended"]] == [
        (2, 1, 1, "Releasing(2, from 1) v3", True),
        (4, 1, 1, "Assigning(2, from 1) v4", True),
        (7, 2, 1, "Owned(2, from 1) v5", True),
    ]
    last = run["steps"][-1]
    assert last["broken"][0] == "single-writer"
    assert (last["after"]["serving"], last["after"]["closing"]) == ([[], [1], []], [[1], [], []])
    assert last["after"]["twice"] == [1]
    assert last["after"]["cursor"] == [1, 3, 0]
    assert [step["actor"] for step in run["steps"]] == [None, 1, 1, 1, 1, 2, 2, 2, 2, 2]


@pytest.mark.sample(11)
@pytest.mark.parametrize("scenario", sorted(COUNTEREXAMPLES.glob("*/*.yaml"))[::9], ids=lambda path: path.parent.name)
def test_positions_in_the_channel_add_up_in_every_run(scenario: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    oneowner("replay", scenario, "--html", page)
    (run,) = [line["replay"] for line in data_of(page.read_text(encoding="utf-8")) if "replay" in line]
    if "storage" not in run:  # a system without a channel has no positions in it
        assert "/" in run["family"]
        return
    written = forgotten = 0
    for step in run["steps"]:
        after, moved = step["after"], step["traffic"]
        written += len(moved["appended"])
        places = [one["place"] for one in moved["read"] if "place" in one]
        assert all(0 < forgotten + place <= written for place in places), step["action"]
        forgotten += moved["lost"]
        if run["storage"] == "system-topic":
            assert forgotten + after["written"] == written, step["action"]
        assert all(cursor is None or 0 <= cursor <= after["written"] for cursor in after["cursor"])
