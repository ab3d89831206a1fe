"use strict";
/*
 * What is drawn of a row: bars in the colour of who owns the bundle, hatched while it is handed over, and the windows
 * of findings over them. Letters and hatching say what colours say.
 */

const BAR = 15;
const paint = {context: null, ratio: 1, onPaper: false, colours: {}, patterns: new Map()};

const OWNED = new Set(["Owned", "Splitting"]);
const MOVING = new Set(["Assigning", "Releasing"]);

/* The canvas takes the colours of the style sheet, which follow the theme. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const probe = make("span");
  document.body.append(probe);
  for (const name of ["ground", "raised", "line", "ink", "soft", "violation", "warning", "note", "idle", "link", "held", "valid"]) {
    probe.style.color = `var(--${name})`;
    paint.colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  paint.font = style.fontFamily || "sans-serif";
  paint.patterns.clear();
}

/* Stripes: a hand-over. A second turn through the palette gets dots, so that no two of 16 brokers look alike. */
function patternOf(kind, colour) {
  const key = `${kind} ${colour}`;
  if (!paint.patterns.has(key)) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8 * paint.ratio;
    const c = tile.getContext("2d");
    c.scale(paint.ratio, paint.ratio);
    c.fillStyle = kind === "stripes" ? paint.colours.ground : colour;
    c.fillRect(0, 0, 8, 8);
    c.strokeStyle = kind === "stripes" ? colour : paint.colours.ground;
    c.fillStyle = paint.colours.ground;
    c.lineWidth = kind === "stripes" ? 2.6 : 1.3;
    c.beginPath();
    if (kind === "dots") {
      c.arc(2, 2, 1.1, 0, 7);
      c.arc(6, 6, 1.1, 0, 7);
      c.fill();
    } else {
      for (const shift of [-8, 0, 8]) {
        c.moveTo(shift - 1, 9);
        c.lineTo(shift + 9, -1);
        if (kind === "cross") {
          c.moveTo(shift - 1, -1);
          c.lineTo(shift + 9, 9);
        }
      }
      c.stroke();
    }
    const pattern = paint.context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(1 / paint.ratio));
    paint.patterns.set(key, pattern);
  }
  return paint.patterns.get(key);
}

function fillOf(state, number) {
  if (number < 0) return paint.colours.idle;
  const colour = colourOf(number);
  if (MOVING.has(state)) return patternOf("stripes", colour);
  if (state === "Splitting") return patternOf("cross", colour);
  return number % (2 * PALETTE.length) >= PALETTE.length ? patternOf("dots", colour) : colour;
}

/* All intervals of a row that can be seen. What is narrower than a pixel is drawn once for all that share it. */
function drawRow(row, top) {
  const {context: c} = paint;
  const {of, texts} = book;
  const right = scale.left + scale.width;
  const middle = top + BAR / 2;
  let covered = -1;
  let i = Math.max(row.first, intervalAt(row, scale.from));
  for (; i < row.first + row.count; i += 1) {
    const begin = x(of.drawn[i]);
    if (begin > right) break;
    const seen = interval(i);
    const left = Math.max(scale.left, begin);
    const end = Math.min(right, x(seen.end));
    if (end <= covered || end < scale.left) continue;
    covered = Math.max(left + 1, end) - 0.01;
    const state = texts[of.state[i]];
    c.fillStyle = fillOf(state, of.broker[i]);
    if (of.broker[i] < 0) c.fillRect(left, middle - 1.5, Math.max(1, end - left), 3);
    else c.fillRect(left, top, Math.max(1, end - left), BAR);
    if (end - left > 9) nameBar(seen, left, end, top);
  }
}

function nameBar(seen, left, end, top) {
  const {context: c} = paint;
  const {number, state} = seen;
  const wide = end - left;
  if (number < 0) {
    if (wide > 40) write(state, left + 4, top + BAR / 2, paint.colours.soft, paint.colours.ground);
    return;
  }
  c.strokeStyle = paint.colours.ground;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(left + 0.5, top);
  c.lineTo(left + 0.5, top + BAR);
  c.stroke();
  const letter = letterOf(number);
  const words = [`${letter} ${book.short[number]}${OWNED.has(state) && state !== "Splitting" ? "" : ` ${state}`}`, letter];
  const fitting = words.find((text) => c.measureText(text).width < wide - 6);
  if (!fitting) return;
  if (state === "Owned" && number % (2 * PALETTE.length) < PALETTE.length) {
    write(fitting, left + 4, top + BAR / 2, inkOn(colourOf(number)), null);
  } else {
    write(fitting, left + 4, top + BAR / 2, paint.colours.ink, paint.colours.ground);
  }
}

function write(text, left, middle, ink, ground) {
  const {context: c} = paint;
  if (ground) {
    c.fillStyle = ground;
    c.fillRect(left - 2, middle - 6.5, c.measureText(text).width + 4, 13);
  }
  c.fillStyle = ink;
  c.fillText(text, left, middle + 0.5);
}

/* No send to the bundle was confirmed, though some were tried: its bar fades, and a line strikes it out. */
function drawUnserved(row, top) {
  const {context: c} = paint;
  for (const {since, until} of row.unserved) {
    const left = Math.max(scale.left, x(since));
    const right = Math.min(scale.left + scale.width, x(until ?? finishOf(row.run)));
    if (right <= left) continue;
    c.fillStyle = paint.colours.ground;
    c.globalAlpha = 0.78;
    c.fillRect(left, top, right - left, BAR);
    c.globalAlpha = 1;
    c.fillStyle = paint.colours.ink;
    c.fillRect(left, top + BAR / 2 - 1, right - left, 2);
    const fitting = ["no send was confirmed", "no send"].find((text) => c.measureText(text).width < right - left - 14);
    if (fitting) write(fitting, left + 8, top + BAR / 2, paint.colours.ink, paint.colours.ground);
  }
}

/* A finding: a frame over its window, dashed where it is only possible; a mark where it is a moment. */
function drawFinding(finding, top, height, picked) {
  const {context: c} = paint;
  const colour = paint.colours[finding.severity];
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = picked ? 3 : 2;
  const {window: span} = finding;
  if (span) {
    const fill = picked || !finding.row ? colour : null;
    const finish = finishOf(finding.run);
    if (span.since !== null) frame(span.since, span.until ?? finish, top, height, fill, picked);
    const [since, until] = [span.possibleSince, span.possibleUntil ?? finish];
    if (since !== span.since || until !== (span.until ?? finish)) {
      c.setLineDash([4, 3]);
      frame(since, until, top, height, null, picked);
      c.setLineDash([]);
    }
  }
  if (finding.from !== null) drawMark(finding.severity, x(finding.from), top - 1, picked ? 6 : 4.5);
}

/*
 * Who served a bundle beside its owner: a stripe in that broker's colour under the bar, hatched where that is only
 * possible.
 */
const showsServers = (finding) => (book.head.lawsOfServers ?? []).includes(finding.law);

function drawOthers(row, bar) {
  for (const finding of row.findings) {
    if (!showsServers(finding) || !finding.window || !passes(finding)) continue;
    const at = intervalAt(row, finding.from);
    const owner = at < 0 ? null : interval(at).broker;
    finding.brokers.filter((broker) => broker !== owner).slice(0, 2).forEach((broker, place) => {
      const {possibleSince, possibleUntil, since, until} = finding.window;
      const number = book.brokerNumber.get(broker);
      const top = bar + BAR + 1 + 2 * place;
      stripe(possibleSince, possibleUntil ?? finishOf(row.run), top, fillOf("Releasing", number));
      if (since !== null) stripe(since, until ?? finishOf(row.run), top, fillOf("Owned", number));
    });
  }
}

function stripe(from, to, top, fill) {
  const {context: c} = paint;
  const left = Math.max(scale.left, x(from));
  const right = Math.min(scale.left + scale.width, Math.max(x(from) + 2, x(to)));
  if (right <= left) return;
  c.fillStyle = fill;
  c.fillRect(left, top, right - left, 5);
}

function frame(from, to, top, height, fill, picked) {
  const {context: c} = paint;
  const left = Math.max(scale.left - 3, x(from));
  const right = Math.min(scale.left + scale.width + 3, x(to));
  if (right < scale.left || left > scale.left + scale.width) return;
  const wide = Math.max(2, right - left);
  if (fill) {
    c.globalAlpha = picked ? 0.35 : 0.13;
    c.fillRect(left, top, wide, height);
    c.globalAlpha = 1;
  }
  c.strokeRect(left, top, wide, height);
}

/* Three shapes for three severities: triangle, diamond, dot. */
function drawMark(severity, at, top, size) {
  const {context: c} = paint;
  if (at < scale.left - size || at > scale.left + scale.width + size) return;
  c.beginPath();
  if (severity === "violation") {
    c.moveTo(at - size, top - 1);
    c.lineTo(at + size, top - 1);
    c.lineTo(at, top + size * 1.5);
  } else if (severity === "warning") {
    c.moveTo(at, top - 1);
    c.lineTo(at + size * 0.8, top + size * 0.8);
    c.lineTo(at, top + size * 1.7);
    c.lineTo(at - size * 0.8, top + size * 0.8);
  } else c.arc(at, top + size * 0.6, size * 0.6, 0, 7);
  c.closePath();
  c.fillStyle = paint.colours[severity];
  c.fill();
  c.strokeStyle = paint.colours.ground;
  c.lineWidth = 1;
  c.stroke();
}
