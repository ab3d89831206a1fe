"use strict";
/*
 * The timeline: a canvas as high as the window that stays in place while a tall empty element scrolls behind it. Only
 * the rows in sight are drawn, so that two thousand bundles cost no more than twenty.
 */

const LINE = 24;
const AXIS = 26;
const LANE = 20;
const LANES = 6; /* at most, of findings about no bundle */
const chart = {canvas: null, scroller: null, lines: [], lineOf: new Map(), top: AXIS, hover: null, brush: null, due: false};

function startTimeline() {
  chart.canvas = byId("canvas");
  chart.scroller = byId("scroller");
  paint.context = chart.canvas.getContext("2d");
  chart.scroller.addEventListener("scroll", redraw);
  new ResizeObserver(redraw).observe(chart.scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  listen((changed) => {
    if (isFilter(changed)) layOut();
    if (changed.has("unit") || changed.has("finding")) bringIntoSight();
    redraw();
  });
  recolour();
  layOut();
  bringIntoSight();
}

function recolour() {
  readColours();
  drawLegend();
  redraw();
}

/* Which lines there are: a heading for each namespace, then its bundles. */
function layOut() {
  chart.lines = [];
  chart.lineOf.clear();
  let heading = null;
  let run = null;
  const many = book.runs.length > 1;
  const rows = book.rows.filter(isShown).sort((a, b) => a.run - b.run || (a.unit < b.unit ? -1 : 1));
  for (const row of rows) {
    if (row.run !== run) chart.lines.push(...laneLines(row.run));
    ({run} = row);
    const title = many ? `${row.ns}  ·  ${book.runs[row.run]}` : row.ns;
    if (title !== heading) chart.lines.push({heading: title});
    heading = title;
    chart.lineOf.set(row, chart.lines.length);
    chart.lines.push({row});
  }
  chart.shown = rows;
  layLoose();
  const height = chart.lines.length * LINE + chart.top + 8;
  const visible = Math.max(160, Math.min(height, Math.round(window.innerHeight * 0.72)));
  chart.scroller.style.height = `${visible + 2}px`;
  chart.canvas.style.height = `${visible}px`;
  byId("tall").style.height = `${Math.max(0, height - visible)}px`;
  const findings = book.findings.filter(passes).length;
  byId("counted").textContent = `${count(rows.length, "bundle")} of ${book.rows.length.toLocaleString("en")}, ${count(findings, "finding")}`;
  redraw();
}

/* Findings about no bundle have lanes of their own, so that those that overlap can be told apart. */
function layLoose() {
  const ends = [];
  chart.loose = book.findings.filter((finding) => !finding.row && finding.from !== null && passes(finding))
    .sort((a, b) => beginOf(a) - beginOf(b) || a.number - b.number);
  for (const finding of chart.loose) {
    const free = ends.findIndex((end) => end < beginOf(finding));
    finding.lane = free >= 0 ? free : Math.min(ends.length, LANES - 1);
    ends[finding.lane] = Math.max(ends[finding.lane] ?? -Infinity, lastOf(finding) + (book.finish - book.start) / 100);
  }
  chart.lanes = AXIS + (book.events.length ? LANE : 0);
  chart.top = chart.lanes + ends.length * LANE + 4;
}

const beginOf = (finding) => Math.min(finding.from, finding.window?.possibleSince ?? Infinity);
const lastOf = (finding) => (finding.window ? Math.max(endOf(finding), finding.window.possibleUntil ?? finishOf(finding.run)) : finding.from);

/* Scroll so that the selected bundle can be seen. */
function bringIntoSight() {
  const row = pickedRow() ?? pickedFinding()?.row;
  const line = row ? chart.lineOf.get(row) : undefined;
  if (line === undefined) return;
  const room = chart.canvas.clientHeight - chart.top;
  const top = line * LINE;
  const {scrollTop} = chart.scroller;
  if (top < scrollTop + LINE || top > scrollTop + room - 2 * LINE) chart.scroller.scrollTop = top - room / 2;
}

function redraw() {
  if (chart.due || !chart.canvas) return;
  chart.due = true;
  requestAnimationFrame(() => {
    chart.due = false;
    drawAll();
  });
}

function drawAll() {
  const {canvas} = chart;
  const {clientWidth: width, clientHeight: height} = canvas;
  if (!width) return;
  const ratio = window.devicePixelRatio || 1;
  if (ratio !== paint.ratio) paint.patterns.clear();
  paint.ratio = ratio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  paintChart(width, height);
  drawHover(height);
}

/* Everything but the mouse, on the canvas of *paint*, which is so wide and so high: the window's, or one for paper. */
function paintChart(width, height) {
  const {context: c, ratio} = paint;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.textBaseline = "middle";
  c.font = `12px ${paint.font}`;
  const gutter = Math.round(Math.min(230, Math.max(110, width * 0.28)));
  setScale(gutter, width - gutter - 8);
  c.fillStyle = paint.colours.ground;
  c.fillRect(0, 0, width, height);
  drawGrid(height);
  drawLines(gutter, height);
  drawThroughs(height);
  drawTop(gutter, width);
}

/* Times as thin lines; what was done to the cluster as dotted ones through all bundles. */
function drawGrid(height) {
  const c = paint.context;
  c.fillStyle = paint.colours.line;
  for (const time of ticks().made) c.fillRect(Math.round(x(time)), AXIS - 5, 1, height);
}

function drawThroughs(height) {
  const c = paint.context;
  c.strokeStyle = paint.colours.soft;
  c.lineWidth = 1;
  c.setLineDash([1, 4]);
  c.beginPath();
  for (const [, time] of eventsShown()) {
    const at = Math.round(x(time)) + 0.5;
    if (at < scale.left || at > scale.left + scale.width) continue;
    c.moveTo(at, chart.top);
    c.lineTo(at, height);
  }
  c.stroke();
  c.setLineDash([]);
}

function drawLines(gutter, height) {
  const c = paint.context;
  const scrollTop = paint.onPaper ? 0 : chart.scroller.scrollTop;
  const first = Math.max(0, Math.floor(scrollTop / LINE));
  const last = Math.min(chart.lines.length, Math.ceil((scrollTop + height - chart.top) / LINE) + 1);
  const chosen = pickedFinding();
  const chosenRow = pickedRow();
  const at = pickedInterval();
  for (let number = first; number < last; number += 1) {
    const line = chart.lines[number];
    const top = chart.top + number * LINE - scrollTop;
    if (line.heading) {
      c.fillStyle = paint.colours.raised;
      c.fillRect(0, top, c.canvas.width, LINE);
      c.font = `600 12px ${paint.font}`;
      write(line.heading, 10, top + LINE / 2 + 1, paint.colours.ink, null);
      c.font = `12px ${paint.font}`;
      continue;
    }
    if (line.store || line.lane) {
      (line.store ? drawStore : drawLane)(line, top, gutter);
      continue;
    }
    const {row} = line;
    const isPicked = row === chosenRow;
    if (isPicked) {
      c.fillStyle = paint.colours.held;
      c.fillRect(0, top, c.canvas.width, LINE);
    }
    const bar = top + 2.5;
    drawRow(row, bar);
    drawUnserved(row, bar);
    drawOthers(row, bar);
    for (const finding of row.findings.toReversed()) if (passes(finding)) drawFinding(finding, top + 1, LINE - 2, finding === chosen);
    if (at >= 0 && book.of.row[at] === row.number) outline(interval(at), bar);
    coverGutter(gutter, top, isPicked);
    c.font = `11.5px ui-monospace, "Liberation Mono", monospace`;
    const begins = row.range.split("_")[0]; /* enough to tell bundles apart where the whole range has no room */
    write(c.measureText(row.range).width < gutter - 24 ? row.range : begins, 20, bar + BAR / 2, paint.colours.ink, null);
    c.font = `12px ${paint.font}`;
    const worst = SEVERITIES.find((severity) => row.findings.some((finding) => finding.severity === severity && passes(finding)));
    if (worst) {
      const {left} = scale;
      scale.left = 0; /* a mark beside the name, whatever piece of time is shown */
      drawMark(worst, 10, bar + BAR / 2 - 4, 4.5);
      scale.left = left;
    }
  }
}

/* Bars that begin before the piece of time in sight end at the names. */
function coverGutter(gutter, top, isPicked) {
  const c = paint.context;
  c.fillStyle = isPicked ? paint.colours.held : paint.colours.ground;
  c.fillRect(0, top, gutter - 3, LINE);
}

function outline(seen, bar) {
  const c = paint.context;
  const left = Math.max(scale.left, x(seen.begin));
  const right = Math.min(scale.left + scale.width, x(seen.end));
  if (right < scale.left || left > scale.left + scale.width) return;
  c.strokeStyle = paint.colours.ink;
  c.lineWidth = 2.5;
  c.strokeRect(left, bar - 1, Math.max(3, right - left), BAR + 2);
}

/* Times, what was done to the cluster, and findings about no bundle: they stay while rows scroll. */
function drawTop(gutter, width) {
  const c = paint.context;
  c.fillStyle = paint.colours.ground;
  c.fillRect(0, 0, width, chart.top);
  const {step, made} = ticks();
  c.fillStyle = paint.colours.line;
  c.fillRect(0, chart.top - 1, width, 1);
  for (const time of made) {
    c.fillStyle = paint.colours.line;
    c.fillRect(Math.round(x(time)), AXIS - 6, 1, chart.top - AXIS + 6);
    write(tickText(time, step), x(time) + 4, 12, paint.colours.soft, null);
  }
  if (day(scale.from) === day(scale.to) && step < DAY) write(`${day(scale.from)} UTC`, 10, 12, paint.colours.soft, null);
  if (book.events.length) drawEvents(AXIS, gutter);
  const chosen = pickedFinding();
  for (const finding of chart.loose) drawFinding(finding, chart.lanes + finding.lane * LANE + 3, LANE - 5, finding === chosen);
  nameLoose();
  for (let top = chart.lanes; top < chart.top - LANE; top += LANE) coverGutter(gutter, top, false);
  if (chart.loose.length) write("whole cluster", 10, chart.lanes + LANE / 2, paint.colours.ink, null);
  if (chart.brush) {
    c.globalAlpha = 0.25;
    c.fillStyle = paint.colours.link;
    const [from, to] = [Math.min(...chart.brush), Math.max(...chart.brush)];
    c.fillRect(from, 0, to - from, c.canvas.height);
    c.globalAlpha = 1;
  }
}

/* The last lane holds what no other had room for: a name that would run into the next finding is left out. */
function nameLoose() {
  const next = []; /* of each lane, where the finding after this one begins */
  for (const finding of chart.loose.toReversed()) {
    const left = Math.max(scale.left, x(finding.from)) + 8;
    const right = Math.min(finding.window ? x(endOf(finding)) : left, next[finding.lane] ?? Infinity);
    next[finding.lane] = left - 8;
    if (paint.context.measureText(finding.law).width >= right - left) continue;
    write(finding.law, left, chart.lanes + finding.lane * LANE + LANE / 2 + 1, paint.colours.ink, null);
  }
}

const eventsShown = () => book.events.filter(([of]) => look.run === "" || of === Number(look.run));

function drawEvents(top, gutter) {
  const c = paint.context;
  const seen = eventsShown().filter((event) => event[1] >= scale.from && event[1] <= scale.to);
  seen.forEach(([, time, words], number) => {
    const at = Math.round(x(time));
    const room = (number + 1 < seen.length ? x(seen[number + 1][1]) : scale.left + scale.width) - at - 8;
    c.fillStyle = paint.colours.ink;
    c.fillRect(at, top + 3, 1.5, LANE - 6);
    const fitting = [words, words.split(" (")[0], words.split(" ")[0]].find((text) => c.measureText(text).width < room);
    if (fitting) write(fitting, at + 4, top + LANE / 2 + 0.5, paint.colours.soft, null);
  });
  coverGutter(gutter, top, false);
  write("what was done", 10, top + LANE / 2, paint.colours.ink, null);
}

function drawHover(height) {
  if (!chart.hover || chart.hover.x < scale.left) return;
  const c = paint.context;
  c.fillStyle = paint.colours.soft;
  c.fillRect(chart.hover.x, AXIS, 1, height);
  write(clock(timeAt(chart.hover.x)), chart.hover.x + 4, AXIS - 14, paint.colours.ink, paint.colours.ground);
}
