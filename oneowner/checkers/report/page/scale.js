"use strict";
/* The axis of time: from milliseconds to pixels and back, where to put ticks, how to zoom. */

const scale = {from: 0, to: 1, left: 0, width: 1};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE,
  2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY,
  2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY,
];
const APART = 95; /* pixels between two labels */
const LEAST = 5; /* milliseconds that the whole width shows at most closely */

const x = (time) => scale.left + ((time - scale.from) / (scale.to - scale.from)) * scale.width;
const timeAt = (pixel) => scale.from + ((pixel - scale.left) / scale.width) * (scale.to - scale.from);

/* All of it, or of the one run that is asked for, with a little air at both ends. */
function wholeSpan() {
  const {start, end} = (look.run !== "" && book.spans[look.run]) || {start: book.start, end: book.finish};
  const air = Math.max(1, (end - start) * 0.015);
  return {from: start - air, to: end + air};
}

function setScale(left, width) {
  const whole = wholeSpan();
  scale.from = look.from ?? whole.from;
  scale.to = look.to ?? whole.to;
  scale.left = left;
  scale.width = Math.max(1, width);
}

/* At once, not when it is drawn: two keys may come between two frames. */
listen((changed) => {
  if (changed.has("from") || changed.has("to")) setScale(scale.left, scale.width);
});

function ticks() {
  const step = STEPS.find((size) => (size / (scale.to - scale.from)) * scale.width >= APART) ?? STEPS.at(-1);
  const made = [];
  for (let time = Math.ceil(scale.from / step) * step; time <= scale.to; time += step) made.push(time);
  return {step, made};
}

function tickText(time, step) {
  if (step >= DAY) return day(time);
  if (step >= MINUTE) return clock(time).slice(0, 5);
  return step >= SECOND ? clock(time).slice(0, 8) : clock(time);
}

/* Zoom around a moment, which stays where it is; beyond the whole there is nothing to see. */
function zoom(factor, around = (scale.from + scale.to) / 2) {
  const whole = wholeSpan();
  const size = (scale.to - scale.from) * factor;
  if (size >= whole.to - whole.from) {
    change({from: null, to: null});
    return;
  }
  const share = (around - scale.from) / (scale.to - scale.from);
  show(around - share * Math.max(LEAST, size), around + (1 - share) * Math.max(LEAST, size));
}

function pan(milliseconds) {
  if (look.from !== null) show(scale.from + milliseconds, scale.to + milliseconds);
}

/* Show from..to, moved back into the whole where it would leave it. */
function show(from, to) {
  const whole = wholeSpan();
  const size = Math.min(to - from, whole.to - whole.from);
  const begin = Math.min(Math.max(from, whole.from), whole.to - size);
  change({from: begin, to: begin + size});
}

/* Bring a piece of time into sight, with as much around it as makes it readable. */
function showAround(from, to) {
  const size = scale.to - scale.from;
  const wanted = to - from;
  if (from >= scale.from && to <= scale.to && wanted > size / 60) return;
  const room = Math.max(wanted * 4, Math.min(size, Math.max(wanted * 12, 2000)));
  const middle = (from + to) / 2;
  show(middle - room / 2, middle + room / 2);
}
