"use strict";
/* How things are said on the page: elements, moments, durations, brokers. */

const byId = (id) => document.getElementById(id);

/* make("td", {class: "why"}, "text", element): text is always text, never markup, whatever a log line holds. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function button(text, onclick, attributes = {}) {
  return make("button", {type: "button", onclick, ...attributes}, text);
}

/* A text with a link for each document in it that the page holds. */
function linked(text) {
  return text.split(/(docs\/[\w/-]+\.md|\b[a-z0-9]+(?:_[a-z0-9]+)+\b)/).map((part, number) => (number % 2 && byId(part) ? make("a", {href: `#${part}`, "data-skip": part}, part) : part));
}

function isoTime(milliseconds) {
  const moment = new Date(milliseconds);
  return Number.isNaN(moment.getTime()) ? String(milliseconds) : moment.toISOString();
}

const day = (milliseconds) => isoTime(milliseconds).slice(0, 10);
const clock = (milliseconds) => isoTime(milliseconds).slice(11, 23);

/* The time of day alone is enough while a run stays within one day. */
function moment(milliseconds, span) {
  if (milliseconds === null || milliseconds === undefined) return "";
  return span && day(span.start) === day(span.end) ? clock(milliseconds) : `${day(milliseconds)} ${clock(milliseconds)}`;
}

function duration(milliseconds) {
  const size = Math.abs(milliseconds);
  if (size < 1000) return `${Math.round(milliseconds)} ms`;
  if (size < 120_000) return `${(milliseconds / 1000).toFixed(size < 10_000 ? 3 : 2)} s`;
  if (size < 7_200_000) return `${(milliseconds / 60_000).toFixed(1)} min`;
  if (size < 172_800_000) return `${(milliseconds / 3_600_000).toFixed(1)} h`;
  return `${(milliseconds / 86_400_000).toFixed(1)} days`;
}

const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/* Okabe and Ito's palette: told apart by all common kinds of colour blindness; letters say it again. */
const PALETTE = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#999999"];
const onDark = new Set(["#0072b2"]);
const colourOf = (number) => PALETTE[number % PALETTE.length];
const inkOn = (colour) => (onDark.has(colour) ? "#fff" : "#111");

/* A, B, .. Z, AA, AB ..: as columns of a sheet are named. */
function letterOf(number) {
  return (number >= 26 ? letterOf(Math.floor(number / 26) - 1) : "") + String.fromCharCode(65 + (number % 26));
}

/* Brokers without what all of them share at either end: 18081 of 127.0.0.1:18081, broker-1 of broker-1.pulsar:8080. */
function shortNames(brokers) {
  if (brokers.length < 2) return brokers;
  const parts = brokers.map((broker) => broker.split(/([.:])/));
  const least = Math.min(...parts.map((part) => part.length));
  let head = 0;
  while (head < least - 1 && parts.every((part) => part[head] === parts[0][head])) head += 1;
  let tail = 0;
  while (tail < least - head - 1 && parts.every((part) => part.at(-1 - tail) === parts[0].at(-1 - tail))) tail += 1;
  return parts.map((part) => part.slice(head, part.length - tail).join("").replace(/^[.:]|[.:]$/g, ""));
}

function chip(number, text) {
  const made = make("span", {class: "chip"}, text);
  made.style.background = colourOf(number);
  made.style.color = inkOn(colourOf(number));
  return made;
}
