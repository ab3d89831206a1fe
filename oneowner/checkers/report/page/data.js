"use strict";
/*
 * What the page shows, unfolded: lines of JSON, gzipped, in base64 (checkers/report/html.py writes them).
 * Intervals are columns of numbers, because 100,000 objects would be slow to make and slow to search.
 */

const SEVERITIES = ["violation", "warning", "note"];

const book = {
  head: {}, rows: [], texts: [], events: [], lanes: [], stores: [], unserved: [], findings: [], refusals: [], replays: [], graph: null, end: null, spans: [],
  brokers: [], short: [], longNames: null, brokerNumber: new Map(), runs: [], start: 0, finish: 0,
  of: {row: [], broker: [], state: [], from: [], to: [], id: [], until: []},
};

async function unpacked() {
  const text = byId("data").textContent;
  let bytes;
  if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(text);
  else bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function readBook() {
  const lines = (await unpacked()).split("\n");
  let texts = [];
  for (const line of lines) {
    if (!line) continue;
    const part = JSON.parse(line);
    if (part.head) book.head = part.head;
    if (part.rows) for (const [run, unit] of part.rows) addRow(run, unit);
    if (part.texts) texts = texts.concat(part.texts);
    if (part.intervals) addIntervals(part.intervals);
    if (part.findings) for (const finding of part.findings) book.findings.push(finding);
    if (part.refusals) for (const refusal of part.refusals) book.refusals.push(refusal);
    if (part.events) book.events = part.events;
    if (part.lanes) book.lanes = part.lanes;
    if (part.stores) [book.stores, book.unserved] = [part.stores, part.unserved];
    if (part.replay) book.replays.push(part.replay);
    if (part.graph) book.graph = {...part.graph, states: [], edges: []};
    if (part.states) for (const state of part.states) book.graph.states.push(state);
    if (part.edges) for (const edge of part.edges) book.graph.edges.push(edge);
    if (part.end) book.end = part.end;
  }
  book.texts = texts;
  book.runs = book.head.runs ?? [];
  settle();
}

function addRow(run, unit) {
  const cut = unit.lastIndexOf("/");
  const row = {
    number: book.rows.length, run, unit, ns: unit.slice(0, cut), range: unit.slice(cut + 1),
    first: 0, count: 0, findings: [], refusals: [], unserved: [], brokers: new Set(),
  };
  book.rows.push(row);
  return row;
}

/* Rows come sorted, so the intervals of one are a range; times are differences within a block. */
function addIntervals(block) {
  const {row, broker, state, from, to, id, until} = book.of;
  let time = 0;
  for (let i = 0; i < block.row.length; i += 1) {
    time += block.from[i];
    const unit = book.rows[block.row[i]];
    if (unit.count === 0) unit.first = row.length;
    unit.count += 1;
    row.push(block.row[i]);
    broker.push(block.broker[i]);
    state.push(block.state[i]);
    from.push(time);
    to.push(block.to[i] === null ? NaN : time + block.to[i]);
    id.push(block.id[i]);
    until.push(block.until[i]);
  }
}

function settle() {
  const {of} = book;
  const named = new Set();
  for (const number of new Set(of.broker)) if (book.texts[number] !== null) named.add(book.texts[number]);
  for (const {brokers} of book.findings) for (const broker of brokers) named.add(broker);
  for (const {broker} of book.lanes) named.add(broker);
  book.brokers = [...named].sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
  book.short = shortNames(book.brokers);
  book.longNames = longNames();
  book.brokers.forEach((broker, number) => book.brokerNumber.set(broker, number));
  const numbers = Int32Array.from(book.texts, (text) => book.brokerNumber.get(text) ?? -1);
  of.broker = Int32Array.from(of.broker, (text) => numbers[text]);
  of.from = Float64Array.from(of.from);
  of.to = Float64Array.from(of.to);
  for (let i = 0; i < of.row.length; i += 1) if (of.broker[i] >= 0) book.rows[of.row[i]].brokers.add(of.broker[i]);
  joinFindings();
  measureSpans();
  of.drawn = drawnTimes();
}

function joinFindings() {
  const rows = new Map(book.rows.map((row) => [`${row.run} ${row.unit}`, row]));
  const rowOf = (run, unit) => {
    const key = `${run} ${unit}`;
    if (!rows.has(key)) rows.set(key, addRow(run, unit));
    return rows.get(key);
  };
  book.findings.forEach((finding, number) => {
    finding.number = number;
    finding.row = finding.unit === null ? null : rowOf(finding.run, finding.unit);
    if (finding.row) {
      finding.row.findings.push(finding);
      for (const broker of finding.brokers) finding.row.brokers.add(book.brokerNumber.get(broker));
    }
    finding.from = timeOf(finding);
    finding.words = [finding.law, finding.unit, finding.why, finding.upstream, ...finding.brokers].join(" ").toLowerCase();
  });
  for (const row of book.rows) row.findings.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  for (const [run, unit, since, until] of book.unserved) rows.get(`${run} ${unit}`)?.unserved.push({since, until});
  for (const [run, unit, messageId, rule, why] of book.refusals) {
    rows.get(`${run} ${unit}`)?.refusals.push({messageId, rule, why});
  }
}

/* When a finding begins, for sorting and jumping: what was seen, else what cannot be excluded, else its record. */
function timeOf(finding) {
  return finding.window?.since ?? finding.window?.possibleSince ?? finding.at.time;
}

function endOf(finding) {
  if (!finding.window) return finding.from;
  const {since, until, possibleUntil} = finding.window;
  return (since === null ? possibleUntil : until) ?? finishOf(finding.run);
}

/* From when to when each run goes: what lasts to the end of a run ends there, not where another run ends. */
function measureSpans() {
  const spans = [];
  const take = (run, time) => {
    if (time === null || time === undefined || Number.isNaN(time)) return;
    spans[run] ??= {start: time, end: time};
    if (time < spans[run].start) spans[run].start = time;
    if (time > spans[run].end) spans[run].end = time;
  };
  for (let i = 0; i < book.of.row.length; i += 1) {
    const {run} = book.rows[book.of.row[i]];
    take(run, book.of.from[i]);
    take(run, book.of.to[i]);
  }
  for (const finding of book.findings) {
    take(finding.run, finding.from);
    take(finding.run, finding.window?.until);
  }
  for (const [run, time] of book.events) take(run, time);
  book.spans = spans;
  const known = spans.filter(Boolean);
  book.start = known.length ? Math.min(...known.map((one) => one.start)) : 0;
  book.finish = known.length ? Math.max(book.start + 1, ...known.map((one) => one.end)) : 1;
}

const finishOf = (run) => book.spans[run]?.end ?? book.finish;

/* publishTime may go back in topic order; what is drawn never does, so that a row can be searched by halving. */
function drawnTimes() {
  const {from} = book.of;
  const drawn = from.slice();
  for (const row of book.rows) {
    for (let i = row.first + 1; i < row.first + row.count; i += 1) if (drawn[i] < drawn[i - 1]) drawn[i] = drawn[i - 1];
  }
  return drawn;
}

/* The interval of a row at a moment: the last one that began by then, or -1. */
function intervalAt(row, time) {
  let low = row.first;
  let high = row.first + row.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (book.of.drawn[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1 < row.first ? -1 : low - 1;
}

function interval(i) {
  const {of, rows, brokers, texts} = book;
  const row = rows[of.row[i]];
  const open = Number.isNaN(of.to[i]);
  const until = of.until[i] === 0 && !open ? of.id[i + 1] : of.until[i];
  const next = i + 1 < row.first + row.count ? of.drawn[i + 1] : Infinity;
  const end = open ? Math.max(of.drawn[i], finishOf(row.run)) : Math.max(of.drawn[i], Math.min(of.to[i], next));
  return {
    i, row, state: texts[of.state[i]], number: of.broker[i], broker: of.broker[i] < 0 ? null : brokers[of.broker[i]],
    from: of.from[i], to: open ? null : of.to[i], id: of.id[i], until: open ? null : until,
    begin: of.drawn[i], end,
  };
}

/* A sentence with the short names of brokers, as the text of the verb has them; the legend has the long ones. */
function inShort(text) {
  return book.longNames && text ? text.replace(book.longNames, (name) => book.head.short[name]) : text;
}

function longNames() {
  const long = Object.keys(book.head.short ?? {}).sort((one, other) => other.length - one.length);
  const names = long.map((name) => name.replace(/[.[\]]/g, "\\$&")).join("|");
  return long.length ? new RegExp(`(?<![\\w.:/-])(?:${names})(?![\\w/-]|[.:]\\w)`, "g") : null;
}
