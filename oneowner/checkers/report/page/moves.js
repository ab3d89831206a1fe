"use strict";
/* Mouse and keys on the timeline, its legend, and the filters. */

/* What is under a point of the canvas: a finding of the cluster, an event, or a row with its interval and findings. */
function under(px, py) {
  if (py < chart.top) {
    if (py < AXIS) return {axis: true};
    if (py < chart.lanes) return {event: nearest(eventsShown(), (event) => event[1], px, 60)};
    const lane = chart.loose.filter((finding) => finding.lane === Math.floor((py - chart.lanes) / LANE));
    return {finding: nearest(lane, (finding) => finding.from, px, 8) ?? windowAt(lane, px)};
  }
  const down = py - chart.top + chart.scroller.scrollTop;
  const line = chart.lines[Math.floor(down / LINE)];
  if (line?.store) return {words: storeWords(line, timeAt(px))};
  if (line?.lane) return {words: laneWords(line, down % LINE, timeAt(px))};
  if (!line?.row) return {};
  if (px < scale.left - 3) return {row: line.row};
  const finding = nearest(line.row.findings.filter(passes), (one) => one.from, px, 6);
  const dead = line.row.unserved.find(({since, until}) => since <= timeAt(px) && timeAt(px) <= (until ?? Infinity));
  return {row: line.row, finding, dead, inside: windowAt(line.row.findings, px), at: intervalAt(line.row, timeAt(px))};
}

function nearest(items, time, px, reach) {
  let best = null;
  for (const item of items) {
    const away = Math.abs(x(time(item)) - px);
    if (away <= reach && (!best || away < best.away)) best = {item, away};
  }
  return best?.item ?? null;
}

function windowAt(findings, px) {
  const time = timeAt(px);
  return findings.find((finding) => finding.window && passes(finding) && finding.from <= time && time <= endOf(finding)) ?? null;
}

function place(event) {
  const box = chart.canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function startMoves() {
  const {canvas} = chart;
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [px, py] = place(event);
    held = {px, py, top: chart.scroller.scrollTop, from: scale.from, moved: false, brushes: py < AXIS && px >= scale.left};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [px, py] = place(event);
    chart.hover = {x: px, y: py};
    if (held) drag(held, px, py);
    else tell(under(px, py), event);
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const was = held;
    held = null;
    const [px, py] = place(event);
    if (chart.brush) {
      const [from, to] = chart.brush.map(timeAt).sort((a, b) => a - b);
      chart.brush = null;
      if (to - from > 0) show(from, to);
      redraw();
    } else if (was && !was.moved) pick(under(px, py));
  });
  canvas.addEventListener("pointercancel", () => {
    held = chart.brush = null;
  });
  canvas.addEventListener("pointerleave", () => {
    chart.hover = null;
    byId("tip").hidden = true;
    redraw();
  });
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(Math.sign(event.deltaY) * 0.25), timeAt(place(event)[0]));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan(((event.deltaX || event.deltaY) / scale.width) * (scale.to - scale.from));
    }
  }, {passive: false});
  canvas.addEventListener("dblclick", (event) => zoom(0.4, timeAt(place(event)[0])));
  canvas.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && pressed(event)) event.preventDefault();
  });
}

function drag(held, px, py) {
  if (Math.hypot(px - held.px, py - held.py) > 3) held.moved = true;
  if (!held.moved) return;
  byId("tip").hidden = true;
  if (held.brushes) {
    chart.brush = [held.px, Math.max(scale.left, px)];
    return;
  }
  chart.scroller.scrollTop = held.top - (py - held.py);
  if (look.from !== null) {
    const moved = ((px - held.px) / scale.width) * (scale.to - scale.from);
    show(held.from - moved, held.from - moved + scale.to - scale.from);
  }
}

function tell(found, event) {
  const tip = byId("tip");
  const finding = found.finding ?? found.inside;
  const words = found.words ? [found.words] : [];
  if (finding) words.push(`${finding.severity} ${finding.law}: ${finding.why}`);
  if (found.event) words.push(`${clock(found.event[1])} ${found.event[2]}`);
  if (found.row && found.at >= 0) words.push(inWords(interval(found.at)));
  if (found.dead) words.push(`no send was confirmed: ${clock(found.dead.since)} to ${found.dead.until === null ? "the end" : clock(found.dead.until)}`);
  tip.hidden = !words.length;
  tip.replaceChildren(...words.map((text) => make("div", {}, text)));
  const left = Math.min(event.clientX + 14, window.innerWidth - Math.min(430, tip.offsetWidth + 10));
  tip.style.left = `${Math.max(4, left)}px`;
  const below = event.clientY + 18 + tip.offsetHeight > window.innerHeight;
  tip.style.top = `${below ? event.clientY - 12 - tip.offsetHeight : event.clientY + 18}px`;
}

function inWords(seen) {
  const who = seen.broker === null ? "nobody" : `${letterOf(seen.number)} ${seen.broker}`;
  const end = seen.to === null ? "the end" : clock(seen.to);
  return `${seen.state}, ${who}: ${clock(seen.from)} to ${end} (${duration(seen.end - seen.begin)})`;
}

function pick(found) {
  if (found.finding) pickFinding(found.finding, false);
  else if (found.row) pickRow(found.row, found.at ?? -1);
  else if (!found.axis) letGo();
}

const runOf = (row) => (row && book.runs.length > 1 ? String(row.run) : "");

function pickRow(row, at) {
  change({unit: row.unit, of: runOf(row), at: at >= 0 ? book.of.id[at] : "", finding: ""});
}

function pickFinding(finding, jumps = true) {
  change({finding: String(finding.number + 1), unit: finding.row?.unit ?? "", of: runOf(finding.row), at: ""});
  if (jumps && finding.from !== null) showAround(finding.from, endOf(finding));
}

function letGo() {
  change({unit: "", of: "", at: "", finding: ""});
}

/* One key; says whether it meant something here. */
function pressed(event) {
  const {key, shiftKey} = event;
  const span = scale.to - scale.from;
  if (shiftKey && (key === "ArrowLeft" || key === "ArrowRight")) pan(span * (key === "ArrowLeft" ? -0.2 : 0.2));
  else if (key === "ArrowUp" || key === "ArrowDown") stepRow(key === "ArrowUp" ? -1 : 1);
  else if (key === "PageUp" || key === "PageDown") stepRow(key === "PageUp" ? -20 : 20);
  else if (key === "ArrowLeft" || key === "ArrowRight") stepInterval(key === "ArrowLeft" ? -1 : 1);
  else if (key === "+" || key === "=") zoom(0.6, focusTime());
  else if (key === "-") zoom(1 / 0.6, focusTime());
  else if (key === "0") change({from: null, to: null});
  else if (key === "Home" || key === "End") stepInterval(key === "Home" ? -Infinity : Infinity);
  else if (key === "n" || key === "p") stepFinding(key === "n" ? 1 : -1);
  else if (key === "Escape") letGo();
  else return false;
  return true;
}

function focusTime() {
  const at = pickedInterval();
  if (at < 0) return pickedFinding()?.from ?? undefined;
  const seen = interval(at);
  const middle = (Math.max(seen.begin, scale.from) + Math.min(seen.end, scale.to)) / 2;
  return middle >= scale.from && middle <= scale.to ? middle : undefined;
}

function stepRow(by) {
  const now = chart.shown.indexOf(pickedRow());
  const next = now < 0 ? 0 : Math.min(chart.shown.length - 1, Math.max(0, now + by));
  const row = chart.shown[next];
  if (row) pickRow(row, intervalAt(row, focusTime() ?? (scale.from + scale.to) / 2));
}

function stepInterval(by) {
  const row = pickedRow() ?? chart.shown[0];
  if (!row?.count) return;
  const now = pickedInterval();
  const wanted = now < 0 ? row.first : now + by;
  const at = Math.min(row.first + row.count - 1, Math.max(row.first, wanted));
  pickRow(row, at);
  const seen = interval(at);
  if (seen.begin > scale.to || seen.end < scale.from) show(seen.begin - (scale.to - scale.from) / 2, seen.begin + (scale.to - scale.from) / 2);
}

/* Through the findings that pass the filters, in the order of the table. */
function stepFinding(by) {
  const shown = findingsInOrder();
  if (!shown.length) return;
  const now = shown.indexOf(pickedFinding());
  pickFinding(shown[now < 0 ? (by > 0 ? 0 : shown.length - 1) : (now + by + shown.length) % shown.length]);
}
