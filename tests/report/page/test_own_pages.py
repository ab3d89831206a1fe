"""Verbs with a page of their own: what it shows, that it loads nothing, and that it fits a phone in the dark."""

import json
import re
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.report.html import OWN_PAGES, write_html
from oneowner.checkers.sweep.axes_table import axes_tables
from oneowner.checkers.sweep.task import Task
from tests.command_line import oneowner, refused
from tests.real_classes.crafted import conformed, patched
from tests.report.page.chromium import Browser
from tests.report.page.test_writing import Outline

HOSTILE = "<script>alert(1)</script>"
CONF = (
    "loadManagerClassName=org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl\n"
    "loadBalancerMaxNumberOfBundlesInBundleLoadReport=1\n"
)
SNAPSHOTS = TOP / "traces" / "snapshots"
LINE = {
    "id": HOSTILE,
    "assignors": ["high_availability"],
    "stateful": ["0_0", "0_1"],
    "stateless": [],
    "clients": [
        {"id": 1, "lags": {"0_0": -2, "0_1": -2}, "previous_active": ["0_0", "0_1"]},
        {"id": 2, "lags": {"0_0": 0, "0_1": 0}, "previous_active": []},
    ],
}
CRAFTED = {"conform": conformed, "check-patch": patched}
"""Verbs that need real classes, by a result without any."""


def written(verb: str, folder: Path) -> str:
    """The page of a small case of a verb."""
    page, conf, lines = folder / "page.html", folder / "broker.conf", folder / "lines.jsonl"
    conf.write_text(f"{CONF}loadBalancerFoo={HOSTILE}\n")
    lines.write_text(json.dumps(LINE) + "\n")
    (folder / "load.csv").write_text(f"cycle,bundle,bytes,messages\n0,t/n/{HOSTILE},5,1\n0,t/n/b,5,1\n")
    sizes = ("--brokers", 3, "--cycles", 6)
    cases = {
        "assign": ("--batch", lines),
        "compare": ("locks",),
        "coverage": ("append", "single-server"),
        "decide": (SNAPSHOTS / "21722-comes-back.yaml", "--shedder", "threshold"),
        "lint": (conf,),
        "releases": ("4.2.4",),
        "simulate": (folder / "load.csv", "--shedder", "threshold", *sizes),
        "sweep": ("--engine", "inline", "--simulate", folder / "load.csv", "--shedder", "avg", *sizes),
    }
    if verb in CRAFTED:
        write_html(CRAFTED[verb](HOSTILE), str(page))
    else:
        oneowner(verb, *cases[verb], "--html", page)
    return page.read_text()


@pytest.mark.parametrize("verb", OWN_PAGES)
def test_page_of_a_verb_loads_nothing_and_escapes_its_input(verb: str, tmp_path: Path) -> None:
    text = written(verb, tmp_path)
    outline = Outline(text)
    assert HOSTILE not in text
    assert outline.inline == []
    assert "default-src 'none'" in outline.policy
    assert all(one.startswith(("data:", "#", "https://github.com/", "https://issues.")) for one in outline.loads)
    assert len(outline.scripts) == len(OWN_PAGES[verb])


@pytest.mark.parametrize("verb", OWN_PAGES)
def test_page_of_a_verb_fits_a_phone_and_obeys_a_dark_theme(verb: str, tmp_path: Path, chromium: Browser) -> None:
    written(verb, tmp_path)
    chromium.window(390, 844, "dark")
    chromium.call("Page.navigate", url=(tmp_path / "page.html").as_uri())
    chromium.wait("document.readyState === 'complete' && document.querySelector('main') !== null")
    assert chromium.run("document.documentElement.scrollWidth") <= 390
    assert chromium.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
    assert chromium.complaints == []


def test_legend_of_a_simulation_shows_values_under_the_pointer_and_by_keys(tmp_path: Path, chromium: Browser) -> None:
    page = tmp_path / "page.html"
    asked = ("simulate", "broker-lost", "--shedder", "threshold", "--brokers", 3, "--bundles", 9, "--cycles", 9)
    oneowner(*asked, "--html", page, "--json", tmp_path / "run.json")
    points = json.loads((tmp_path / "run.json").read_text())["runs"][0]["cycles"]
    chromium.window(1400, 1000)
    chromium.open(page.as_uri())

    def shown() -> tuple[int, list[str]]:
        at = chromium.run("document.querySelector('.at').textContent")
        values = chromium.run("[...document.querySelectorAll('.values output')].map((one) => one.textContent)")
        return int(at), values

    box = chromium.run("(({x, y, width, height}) => [x, y, width, height])"
                       "(document.querySelector('.plot').getBoundingClientRect())")  # fmt: skip
    chromium.mouse("mouseMoved", box[0] + 1, box[1] + 20)
    chromium.settle()
    at, values = shown()
    usages = [float(value.removesuffix(" %")) for value in values]
    assert at == 0
    assert max(usages) == pytest.approx(100 * points[0]["most"], abs=0.06)
    assert min(usages) == pytest.approx(100 * points[0]["least"], abs=0.06)
    chromium.run("document.querySelector('.chart').focus()")
    chromium.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    assert shown()[0] == 4
    assert "absent" in shown()[1]


def test_axes_on_which_tasks_differ_are_columns_and_the_others_stand_once() -> None:
    rules = [(("gap_rule", value),) for value in ("true", "false")]
    tasks = [Task("explore", "transfer", release, rules=one) for one in rules for release in ("3.0.4", "4.0.6")]
    (table,) = axes_tables(tasks)
    assert table["columns"] == ["release", "gap_rule"]
    assert table["common"] == {"family": "transfer", "fault": "none"}
    values = [row["values"] for row in table["rows"]]
    assert values == [["3.0.4", "true"], ["4.0.6", "true"], ["3.0.4", "false"], ["4.0.6", "false"]]


def test_decision_page_draws_brokers_limits_and_moves(tmp_path: Path) -> None:
    text = written("decide", tmp_path)
    assert re.findall(r'aria-label="(b\d:8080: [\d.]+) %"', text) == ["b1:8080: 80.0", "b2:8080: 20.0", "b3:8080: 10.0"]
    assert "average: <b>36.7 %</b>" in text
    assert "average + loadBalancerBrokerThresholdShedderPercentage: <b>46.7 %</b>" in text
    (moving,) = re.findall(r'class="moves-away" x="([\d.]+)%" y="4" height="18" width="([\d.]+)%"', text)
    assert [float(one) for one in moving] == pytest.approx([25, 75])  # 60 of the 80 MB/s of the broker


def test_page_of_releases_fills_a_cell_for_each_bug_and_release(tmp_path: Path) -> None:
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    oneowner("releases", "returned_unit_stays_fenced", "--html", page, "--json", data)
    rows = json.loads(data.read_text())["releases"]
    text = page.read_text()
    first = {one.split()[0] for one in re.findall(r"<span>([^<]+)</span></th>", text)}
    filled = re.findall(r'class="has"><span title="([\w.-]+): ', text)
    assert filled == [row["release"] for row in rows if row["verdict"] == "invalid" and row["release"] in first]


def test_page_of_assignments_shows_the_client_that_ran_a_task_before(tmp_path: Path) -> None:
    text = written("assign", tmp_path)
    assert re.findall(r'class="task (\w+)" title="([^"]+)">(\d)', text).count(("moved", "from 1", "1")) == 1
    assert ("lost", "now at 2", "1") in re.findall(r'class="task (\w+)" title="([^"]+)">(\d)', text)


def test_page_of_settings_shows_the_change_and_the_witness(tmp_path: Path) -> None:
    text = written("lint", tmp_path)
    assert '<li class="old">loadBalancerMaxNumberOfBundlesInBundleLoadReport=1</li>' in text
    assert '<li class="new">loadBalancerMaxNumberOfBundlesInBundleLoadReport=10</li>' in text
    assert "<b>Witness:</b> a broker at 100% with 2 bundles" in text


def test_page_is_refused_where_there_is_none(tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps(LINE) + "\n")
    refused(oneowner("assign", "--batch", lines, "--html", "-"), "standard output has the answers")
    refused(oneowner("decide", "--batch", lines, "--html", tmp_path / "page.html"), "require a snapshot, not a batch")
