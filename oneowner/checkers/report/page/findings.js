"use strict";
/* The table of findings: sorted by a click on a heading, filtered with the timeline. */

const SHOWN = 200; /* rows that are made at once */
const table = {limit: SHOWN, order: []};

const COLUMNS = [
  ["severity", "severity", (finding) => SEVERITIES.indexOf(finding.severity)],
  ["time", "when (UTC)", (finding) => finding.from ?? Infinity],
  ["law", "law", (finding) => finding.law],
  ["unit", "bundle", (finding) => finding.unit ?? ""],
  ["lasts", "lasts", (finding) => (finding.window ? finding.from - endOf(finding) : 0)],
  ["why", "what happened, and the lines that show it", (finding) => finding.why],
];

/* A run of the model has no times and no bundles of a cluster: then there are no such columns. */
const columns = () => (book.findings.some((finding) => finding.row || finding.from !== null)
  ? COLUMNS : COLUMNS.filter(([name]) => !["time", "unit", "lasts"].includes(name)));

function startFindings() {
  byId("more").addEventListener("click", () => {
    table.limit += SHOWN;
    drawFindings();
  });
  listen((changed) => {
    if (isFilter(changed)) table.limit = SHOWN;
    if (isFilter(changed) || changed.has("sort")) drawFindings();
    else if (changed.has("finding")) markPicked();
  });
  byId("findings-part").hidden = book.head.verb === "timeline" || book.replays.length > 0;
  for (const severity of SEVERITIES) {
    const tally = byId(`tally-${severity}`);
    const number = book.findings.filter((finding) => finding.severity === severity && !finding.waived).length;
    tally.hidden = book.head.verb === "timeline" || book.head.verb === "explore" || book.replays.length > 0;
    tally.querySelector("dd").textContent = number.toLocaleString("en");
  }
  const waived = book.findings.filter((finding) => finding.waived).length;
  byId("tally-waived").hidden = !waived;
  byId("tally-waived").querySelector("dd").textContent = waived.toLocaleString("en");
  drawFindings();
}

function findingsInOrder() {
  const down = look.sort.startsWith("-");
  const name = look.sort.replace("-", "");
  const key = (COLUMNS.find(([column]) => column === name) ?? COLUMNS[0])[2];
  const sign = down ? -1 : 1;
  const compare = (a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : a.number - b.number);
  return book.findings.filter(passes).sort(compare);
}

function drawFindings() {
  table.order = findingsInOrder();
  const left = book.end?.findings ?? 0;
  const all = table.order.length === book.findings.length ? "" : ` of ${book.findings.length.toLocaleString("en")}`;
  byId("findings-count").textContent = `${table.order.length.toLocaleString("en")}${all}`;
  const heading = ([name, words]) => {
    const now = look.sort.replace("-", "") === name;
    const sorted = !now ? "none" : look.sort.startsWith("-") ? "descending" : "ascending";
    const arrow = !now ? "" : sorted === "ascending" ? " ▲" : " ▼";
    const turn = () => change({sort: now && sorted === "ascending" ? `-${name}` : name});
    return make("th", {scope: "col", "aria-sort": sorted}, button(words + arrow, turn, {class: "plain", "data-sort": name}));
  };
  const focused = document.activeElement?.dataset?.sort;
  byId("findings").tHead.replaceChildren(make("tr", {}, columns().map(heading)));
  if (focused) byId("findings").tHead.querySelector(`[data-sort="${focused}"]`)?.focus();
  byId("findings").tBodies[0].replaceChildren(...table.order.slice(0, table.limit).map(findingRow));
  if (!table.order.length) {
    const words = book.findings.length ? "No finding passes the filters." : left ? "" : "No finding.";
    byId("findings").tBodies[0].append(make("tr", {}, make("td", {colspan: COLUMNS.length, class: "quiet"}, words)));
  }
  const more = byId("more");
  more.hidden = table.order.length <= table.limit;
  more.textContent = `show more of the ${(table.order.length - table.limit).toLocaleString("en")} others`;
  markPicked();
}

function findingRow(finding) {
  const cells = {
    severity: make("td", {class: "severity"}, finding.severity, finding.waived ? make("span", {class: "cite"}, "waived") : ""),
    time: make("td", {class: "when"}, moment(finding.from, span())),
    law: make("td", {class: "law"}, finding.law),
    unit: make("td", {class: finding.unit === null ? "quiet" : "unit code"}, finding.unit ?? "whole cluster"),
    lasts: make("td", {class: "number lasts"}, finding.window ? duration(endOf(finding) - finding.from) : ""),
    why: make("td", {class: "why"}, button(inShort(finding.why), () => jump(finding), {class: "plain"}), evidenceOf(finding)),
  };
  const row = make("tr", {class: `${finding.severity} ${finding.waived ? "waived" : ""}`, "data-finding": finding.number + 1}, columns().map(([name]) => cells[name]));
  row.addEventListener("click", (event) => {
    if (!event.target.closest("button, summary, details")) jump(finding);
  });
  return row;
}

function evidenceOf(finding) {
  const cites = finding.evidence ?? [];
  const first = cites[0] ?? finding.at;
  const place = make("span", {class: "cite"}, make("span", {class: "code"}, `${first.file}:${first.line}`), first.text ? `  ${first.text}` : "");
  const upstream = finding.upstream ? make("span", {class: "cite"}, linked(finding.upstream)) : "";
  if (cites.length < 2) return [upstream, place];
  const words = `${cites.length} lines of evidence`;
  return [upstream, place, make("details", {}, make("summary", {}, words), make("ol", {}, cites.map(citeItem)))];
}

function jump(finding) {
  pickFinding(finding);
  byId("time-part").scrollIntoView({block: "start", behavior: "auto"});
}

function markPicked() {
  for (const row of byId("findings").tBodies[0].rows) {
    const picked = row.dataset.finding === look.finding;
    row.classList.toggle("picked", picked);
    if (picked) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}
