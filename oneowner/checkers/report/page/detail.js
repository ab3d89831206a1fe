"use strict";
/* What is selected, in words: the records of an interval, the evidence of a finding. */

const NEAR = 5; /* records before and after the selected one */
const MANY = 12;

function startDetail() {
  listen((changed) => {
    if (["unit", "of", "at", "finding"].some((name) => changed.has(name))) drawDetail();
  });
  drawDetail();
}

function drawDetail() {
  const finding = pickedFinding();
  const row = pickedRow();
  const at = pickedInterval();
  const parts = finding ? findingParts(finding) : row ? rowParts(row, at) : hint();
  byId("detail").replaceChildren(...parts.filter((part) => part !== null && part !== ""));
}

function hint() {
  const shown = book.findings.length ? "a finding below, a mark or a bar" : "a bar";
  return [make("p", {class: "quiet"}, `Choose ${shown}: its records and evidence are shown here.`)];
}

function brokerWords(broker) {
  const number = book.brokerNumber.get(broker);
  return make("span", {}, chip(number, letterOf(number)), ` ${broker}`);
}

function listed(pairs) {
  const rows = pairs.filter(([, value]) => value !== null && value !== "" && value !== undefined);
  return make("dl", {}, rows.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

const span = () => ({start: book.start, end: book.finish});

function rowParts(row, at) {
  const parts = [make("h3", {class: "code"}, row.unit)];
  if (book.runs.length > 1) parts.push(make("p", {class: "quiet"}, book.runs[row.run]));
  if (at >= 0) parts.push(...intervalParts(row, at));
  parts.push(recordsTable(row, at));
  const findings = row.findings.filter(passes);
  if (findings.length) {
    parts.push(make("h3", {}, "Findings of this bundle"));
    parts.push(make("ul", {}, findings.slice(0, MANY).map(findingItem)));
    if (findings.length > MANY) parts.push(make("p", {class: "quiet"}, `and ${findings.length - MANY} more in the table below`));
  }
  if (row.refusals.length) {
    parts.push(make("h3", {}, `Lost races: ${count(row.refusals.length, "refused record")}`));
    const items = row.refusals.slice(0, MANY).map((one) => make("li", {}, make("span", {class: "id"}, one.messageId), ` ${one.why}`));
    parts.push(make("ul", {class: "quiet"}, items));
  }
  return parts;
}

function findingItem(finding) {
  const words = `${finding.severity} ${finding.law}`;
  return make("li", {class: finding.severity}, button(words, () => pickFinding(finding), {class: "plain severity"}), ` ${inShort(finding.why)}`);
}

function intervalParts(row, at) {
  const seen = interval(at);
  const about = [
    ["state", seen.state],
    ["broker", seen.broker === null ? "nobody" : brokerWords(seen.broker)],
    ["from", `${moment(seen.from, span())}`],
    ["record", make("span", {class: "id"}, seen.id)],
    ["to", seen.to === null ? "the end of what was recorded" : `${moment(seen.to, span())}`],
    ["next record", seen.until ? make("span", {class: "id"}, seen.until) : null],
    ["lasts", duration(seen.end - seen.begin) + (seen.to === null ? ", at least" : "")],
  ];
  const step = (by, words) => button(words, () => pickRow(row, at + by), {disabled: at + by < row.first || at + by >= row.first + row.count});
  return [listed(about), make("p", {class: "bar"}, step(-1, "← before"), step(1, "after →"))];
}

function recordsTable(row, at) {
  if (!row.count) return make("p", {class: "quiet"}, "No interval of this bundle is on the page.");
  const middle = at < 0 ? row.first : at;
  const first = Math.max(row.first, Math.min(middle - NEAR, row.first + row.count - 2 * NEAR - 1));
  const last = Math.min(row.first + row.count, first + 2 * NEAR + 1);
  const rows = [];
  for (let i = first; i < last; i += 1) {
    const seen = interval(i);
    const who = seen.broker === null ? "" : chip(seen.number, letterOf(seen.number));
    rows.push(make("tr", {class: i === at ? "picked" : ""},
      make("td", {class: "id"}, button(seen.id, () => pickRow(row, i), {class: "plain"})), make("td", {}, clock(seen.from)),
      make("td", {}, seen.state, " ", who), make("td", {class: "number"}, duration(seen.end - seen.begin))));
  }
  const head = make("tr", {}, ["record", "from", "state", "lasts"].map((name) => make("th", {scope: "col"}, name)));
  const caption = `${last - first} of ${count(row.count, "interval")}`;
  return make("table", {class: "records"}, make("caption", {class: "quiet"}, caption), make("thead", {}, head), make("tbody", {}, rows));
}

/* A window as one reads it aloud: what was seen, and what cannot be excluded. */
function windowWords(finding) {
  const {window: seen} = finding;
  if (!seen) return [["when", moment(finding.from, span())]];
  const to = (time) => (time === null ? "the end" : moment(time, span()));
  const pairs = [];
  if (seen.since !== null) {
    const lasted = (seen.until ?? finishOf(finding.run)) - seen.since;
    pairs.push(["seen", `${moment(seen.since, span())} to ${to(seen.until)} (${duration(lasted)})`]);
  }
  if (seen.possibleSince !== seen.since || seen.possibleUntil !== seen.until) {
    const lasted = (seen.possibleUntil ?? finishOf(finding.run)) - seen.possibleSince;
    pairs.push(["possible", `${moment(seen.possibleSince, span())} to ${to(seen.possibleUntil)} (${duration(lasted)})`]);
  }
  return pairs;
}

function findingParts(finding) {
  const {at} = finding;
  const parts = [
    make("p", {class: finding.severity}, make("span", {class: "severity"}, `${finding.severity}: ${finding.law}`)),
    make("p", {}, inShort(finding.why)),
    listed([
      ["bundle", finding.unit === null ? null : make("span", {class: "code"}, finding.unit)],
      ...windowWords(finding),
      ["brokers", finding.brokers.length ? make("span", {}, finding.brokers.map((broker) => [brokerWords(broker), make("br")])) : null],
      ["at", make("span", {class: "code"}, `${at.file}:${at.line}`)],
      ["record", at.messageId ? make("span", {class: "id"}, at.messageId) : null],
      ["held", finding.held ? recordWords(finding.held) : null],
      ["proposed", finding.proposed ? recordWords(finding.proposed) : null],
      ["expected", inShort(finding.repair)],
      ["upstream", finding.upstream ? linked(finding.upstream) : null],
      ["write that run", finding.model ? make("span", {class: "code command"}, unbroken(finding.model.save)) : null],
      ["waived", finding.waived ? `until ${finding.waived.expires}: ${finding.waived.reason}` : null],
    ]),
  ];
  const statement = book.head.statements?.[finding.law];
  if (statement) parts.push(make("p", {class: "quiet"}, `The law: ${statement}`));
  if (finding.evidence?.length) parts.push(make("h3", {}, "Evidence"), make("ol", {}, finding.evidence.map(citeItem)));
  if (finding.from !== null) parts.push(button("show when", () => showAround(finding.from, endOf(finding))));
  if (finding.row?.count) parts.push(" ", button("its records", () => pickRow(finding.row, intervalAt(finding.row, finding.from ?? book.start))));
  return parts;
}

/* A command whose options are not torn at their hyphens. */
const unbroken = (command) => command.split(/ (?=--)/).flatMap((part) => [make("span", {}, part), " "]);

function citeItem(cite) {
  const place = make("span", {class: "cite code"}, `${moment(cite.time, span())}  ${cite.file}:${cite.line}`, cite.messageId ? `  ${cite.messageId}` : "");
  return make("li", {}, place, cite.text);
}

function recordWords(record) {
  const source = record.sourceBroker ? `from ${inShort(record.sourceBroker)}` : null;
  const parties = [inShort(record.dstBroker ?? ""), source].filter(Boolean).join(", ");
  return `${record.state}(${parties}) v${record.versionId}${record.force ? " forced" : ""}`;
}
