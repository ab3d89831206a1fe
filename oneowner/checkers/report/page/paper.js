"use strict";
/* What is printed: the timeline, drawn for paper in light colours, and the findings that pass the filters. */

const WIDE = 1300; /* pixels across a page: a sheet of A4, lying, shrinks them to eight tenths */
const HIGH = 840; /* pixels down a page */
const SHEETS = 3; /* of the timeline, at most */
const PRINTED = 150; /* findings */

function startPaper() {
  window.addEventListener("beforeprint", preparePrint);
  window.addEventListener("afterprint", endPrint);
}

function preparePrint() {
  const {theme} = document.documentElement.dataset;
  const {limit} = table;
  paint.before = {theme, limit, reasons: byId("reasons")?.open};
  document.documentElement.dataset.theme = "light";
  table.limit = PRINTED;
  drawFindings();
  if (byId("reasons")) byId("reasons").open = true;
  if (!byId("time-part").hidden) byId("print-part").replaceChildren(make("h2", {}, "Who owned what, when (UTC)"), ...sheets());
}

function endPrint() {
  const {theme, limit, reasons} = paint.before;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  table.limit = limit;
  drawFindings();
  if (byId("reasons")) byId("reasons").open = reasons;
  byId("print-part").replaceChildren();
  if (chart.canvas) recolour();
}

/* The lines of the timeline, as many as a page has room for with their times above them; if they are too many, those of bundles without a finding are left out. */
function sheets() {
  const {lines} = chart;
  const {context, ratio} = paint;
  const each = Math.max(LANE_LINES, Math.floor((HIGH - chart.top) / LINE));
  const most = each * SHEETS;
  const told = lines.length <= most ? lines : lines.filter(({row}) => !row || row.findings.some(passes));
  const kept = told.slice(0, most);
  const drawn = [];
  readColours();
  Object.assign(paint, {ratio: 2, onPaper: true});
  for (let from = 0; from < kept.length; from += each) {
    chart.lines = kept.slice(from, from + each);
    drawn.push(...strips(sheet(chart.lines.length * LINE + chart.top + 4)));
  }
  Object.assign(paint, {context, ratio, onPaper: false});
  chart.lines = lines;
  const left = lines.filter(({row}) => row).length - kept.filter(({row}) => row).length;
  const more = left ? make("p", {}, `${count(left, "bundle")} more: filter them, or zoom, and print again.`) : "";
  return [make("ul", {class: "legend"}, legendItems()), ...drawn, more];
}

function sheet(height) {
  const canvas = make("canvas", {width: WIDE * paint.ratio, height: height * paint.ratio});
  paint.context = canvas.getContext("2d");
  paint.patterns.clear();
  paintChart(WIDE, height);
  return canvas;
}

/* One under the other they are the sheet; a page can end between any two. */
function strips(whole) {
  const {width, height} = whole;
  const first = (chart.top + 2 * LINE) * paint.ratio;
  const made = [];
  for (let top = 0, deep = first; top < height; top += deep, deep = 2 * LINE * paint.ratio) {
    const strip = make("canvas", {width, height: Math.min(deep, height - top)});
    strip.getContext("2d").drawImage(whole, 0, -top);
    made.push(strip);
  }
  return made;
}
