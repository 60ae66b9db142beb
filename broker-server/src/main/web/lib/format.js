// Texts for numbers, sizes and times, in the language and time zone of the reader.
import { html } from './html.js';

export const NONE = '–';

// Creating a format takes milliseconds, so each is created when it is first used.
function lazy(create) {
  let created;
  return { format: (value) => (created ??= create()).format(value) };
}

const whole = lazy(() => new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 }));
const decimal = lazy(() => new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }));
const compact = lazy(() => new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }));
const date = lazy(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'short' }));
const dateTime = lazy(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' }));
const clock = lazy(() => new Intl.DateTimeFormat(undefined, {
  hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23',
}));

export const isKnown = (value) => value !== undefined && value !== null;
export const count = (value) => (isKnown(value) ? whole.format(value) : NONE);
export const short = (value) => (isKnown(value) ? (value < 10_000 ? decimal : compact).format(value) : NONE);
export const percent = (value) => (isKnown(value) ? `${whole.format(value)}\u00a0%` : NONE);
export const yesNo = (value) => (isKnown(value) ? (value ? 'yes' : 'no') : NONE);

export function bytes(value) {
  if (!isKnown(value)) {
    return NONE;
  }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  while (Math.abs(value) >= 1024 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${decimal.format(value)} ${units[at]}`;
}

export function micros(value) {
  if (!isKnown(value)) {
    return NONE;
  }
  return value < 1_000 ? `${whole.format(value)} µs` : millis(value / 1_000);
}

export function millis(value) {
  if (!isKnown(value)) {
    return NONE;
  }
  return value < 1_000 ? `${decimal.format(value)} ms` : duration(value);
}

// A duration in milliseconds, such as 3 h 12 min.
export function duration(value) {
  if (!isKnown(value)) {
    return NONE;
  }
  const seconds = Math.round(value / 1_000);
  const units = [['d', 86_400], ['h', 3_600], ['min', 60], ['s', 1]];
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first < 0) {
    return '0 s';
  }
  const [unit, size] = units[first];
  const text = `${Math.floor(seconds / size)} ${unit}`;
  const next = units[first + 1];
  const rest = next ? Math.floor((seconds % size) / next[1]) : 0;
  return rest > 0 ? `${text} ${rest} ${next[0]}` : text;
}

// A time of the API (RFC 3339, or milliseconds since 1970), in the zone of the reader; UTC as a tooltip.
export function Time({ at, precise = false }) {
  if (!isKnown(at)) {
    return NONE;
  }
  const moment = new Date(at);
  const text = precise ? preciseText(moment) : dateTime.format(moment);
  return html`<time datetime=${moment.toISOString()} title=${`${moment.toISOString()} (UTC)`}>${text}</time>`;
}

function preciseText(moment) {
  const today = new Date().toDateString() === moment.toDateString();
  const text = clock.format(moment);
  return today ? text : `${date.format(moment)} ${text}`;
}

export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

// How long ago something happened, such as "5 min ago".
export const ago = (at) => (isKnown(at) ? `${duration(Math.max(0, Date.now() - new Date(at)))} ago` : NONE);
