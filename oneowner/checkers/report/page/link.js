"use strict";
/*
 * What a reader looks at: filters, the piece of time, what is selected. It lives in the address, so that a link shows
 * a colleague the same thing; everything that is drawn listens to it.
 */

const LOOK = {
  q: "", run: "", ns: "", broker: "", law: "", sev: SEVERITIES.join(","), only: false, from: null, to: null,
  unit: "", of: "", at: "", finding: "", sort: "severity", replay: 0, step: -1, path: "",
};
const look = {...LOOK};
const listeners = [];
let written = "";

const listen = (listener) => listeners.push(listener);

/* change({unit: ..}): sets it, tells whoever draws, and puts it into the address. */
function change(patch) {
  const changed = new Set();
  for (const [name, value] of Object.entries(patch)) {
    if (look[name] !== value) {
      look[name] = value;
      changed.add(name);
    }
  }
  if (!changed.size) return;
  for (const listener of listeners) listener(changed);
  writeSoon();
}

function address() {
  const parameters = new URLSearchParams();
  for (const [name, usual] of Object.entries(LOOK)) {
    if (name === "from" || name === "to" || look[name] === usual) continue;
    parameters.set(name, look[name] === true ? "1" : look[name]);
  }
  if (look.from !== null) parameters.set("t", `${Math.round(look.from)}-${Math.round(look.to)}`);
  return parameters.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
}

/* Browsers allow few changes of the address a second, and dragging makes many. */
let waiting = 0;
function writeSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(writeNow, 250);
}

function writeNow() {
  clearTimeout(waiting);
  const now = address();
  if (now === written) return;
  written = now;
  history.replaceState(null, "", `#${now}`);
}

function readAddress() {
  const text = location.hash.slice(1) || (document.documentElement.dataset.look ?? "");
  const parameters = new URLSearchParams(text);
  const patch = {...LOOK};
  for (const [name, usual] of Object.entries(LOOK)) {
    const value = parameters.get(name);
    if (value === null || name === "from" || name === "to") continue;
    if (typeof usual === "boolean") patch[name] = value === "1";
    else if (typeof usual === "number") patch[name] = Math.max(usual, Math.trunc(Number(value)) || 0);
    else patch[name] = value;
  }
  const range = /^(-?\d+)-(-?\d+)$/.exec(parameters.get("t") ?? "");
  if (range && Number(range[1]) < Number(range[2])) [patch.from, patch.to] = [Number(range[1]), Number(range[2])];
  written = text;
  change(patch);
}

window.addEventListener("hashchange", () => {
  if (location.hash.slice(1) !== written) readAddress();
});
window.addEventListener("pagehide", writeNow);

/* What passes the filters. A finding about no bundle concerns the whole cluster: no namespace hides it. */
function passes(finding) {
  if (!look.sev.split(",").includes(finding.severity)) return false;
  if (look.law && finding.law !== look.law) return false;
  if (look.run !== "" && finding.run !== Number(look.run)) return false;
  if (look.ns && finding.row && finding.row.ns !== look.ns) return false;
  if (look.broker && !finding.brokers.includes(look.broker)) return false;
  return !look.q || finding.words.includes(look.q.toLowerCase());
}

/* A bundle stays if it is asked for itself, or by one of its findings. */
function isShown(row) {
  if (look.run !== "" && row.run !== Number(look.run)) return false;
  if (look.ns && row.ns !== look.ns) return false;
  const told = row.findings.some(passes);
  if ((look.law || look.only) && !told) return false;
  if (look.broker && !row.brokers.has(book.brokerNumber.get(look.broker))) return false;
  return !look.q || told || row.unit.toLowerCase().includes(look.q.toLowerCase());
}

const FILTERS = ["q", "run", "ns", "broker", "law", "sev", "only"];
const isFilter = (changed) => FILTERS.some((name) => changed.has(name));

function rowNamed(unit, run) {
  return book.rows.find((row) => row.unit === unit && (run === "" || row.run === Number(run)))
    ?? book.rows.find((row) => row.unit === unit) ?? null;
}

/* The selected bundle: its name is enough, unless several runs have it (*of* is the number of the run). */
const pickedRow = () => (look.unit ? rowNamed(look.unit, look.of) : null);

/* The selected interval is named by the record that began it, so a link survives a longer dump. */
function pickedInterval() {
  const row = look.at ? pickedRow() : null;
  if (!row) return -1;
  for (let i = row.first; i < row.first + row.count; i += 1) if (book.of.id[i] === look.at) return i;
  return -1;
}

function pickedFinding() {
  return look.finding === "" ? null : (book.findings[Number(look.finding) - 1] ?? null);
}
