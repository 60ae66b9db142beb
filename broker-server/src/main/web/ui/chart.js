// Plots of values over time, drawn by uPlot. Screen readers get a sentence with the latest values. uPlot is loaded after the
// values of the view are on the screen, because it takes as long to start as everything else.
import { NONE } from '../lib/format.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { colorScheme } from './theme.js';

const HEIGHT = 160;
const COLORS = ['--series-1', '--series-2', '--series-3'];

// times: seconds since 1970. series: [{label, values, format: (value) => text}]; null is a gap
export function Chart({ title, times, series }) {
  const frame = useRef(null);
  const plot = useRef(null);
  const colors = colorScheme.use();
  const shape = series.map(({ label }) => label).join('\n');
  const { uPlot, failed } = useLibrary();

  useEffect(() => {
    if (!uPlot) {
      return undefined;
    }
    const created = new uPlot(options(frame.current, series), [times, ...series.map(({ values }) => values)], frame.current);
    plot.current = created;
    const resizing = new ResizeObserver(() => created.setSize({ width: frame.current.clientWidth, height: HEIGHT }));
    resizing.observe(frame.current);
    return () => {
      resizing.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, [uPlot, shape, colors]);

  useEffect(() => plot.current?.setData([times, ...series.map(({ values }) => values)]), [times, series]);

  const latest = series.map(({ label, values, format }) => `${label}: ${last(values, format)}`);
  return html`<figure class="chart">
    <figcaption>${title}<span class="legend">${series.map(({ label, values, format }, i) => html`<span class="key">
      <span class="swatch series-${i + 1}"></span>${label} <b>${last(values, format)}</b></span>`)}</span></figcaption>
    <div class="plot" ref=${frame} role="img" aria-label=${`${title}. Now: ${latest.join(', ')}`}></div>
    ${failed ? html`<p class="quiet">The plots cannot be loaded. Reload the page.</p>` : null}
  </figure>`;
}

function useLibrary() {
  const [library, setLibrary] = useState({});
  useEffect(() => {
    import('uplot').then((module) => setLibrary({ uPlot: module.default }), () => setLibrary({ failed: true }));
  }, []);
  return library;
}

function last(values, format) {
  const value = values.at(-1);
  return value === undefined || value === null ? NONE : format(value);
}

function options(frame, series) {
  const style = getComputedStyle(frame);
  const text = style.color;
  const grid = { stroke: resolve(frame, '--border'), width: 1 };
  return {
    width: frame.clientWidth || 300,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: 'time' }, y: false, drag: { x: false, y: false } },
    scales: { y: { range: (u, min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { stroke: text, grid, ticks: grid, font: '11px system-ui', size: 30, space: 80, values: (u, ticks) => ticks.map(clock(u.scales.x)) },
      { stroke: text, grid, ticks: { show: false }, font: '11px system-ui', size: 64,
        values: (u, ticks) => labels(ticks.map((tick) => (tick < 0 ? '' : series[0].format(tick)))) },
    ],
    series: [
      {},
      ...series.map(({ label }, i) => ({ label, stroke: resolve(frame, COLORS[i]), width: 1.5, points: { show: false } })),
    ],
  };
}

// Times in the zone and the format of the reader.
function clock({ min, max }) {
  const format = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: max - min < 600 ? '2-digit' : undefined });
  return (seconds) => format.format(seconds * 1_000);
}

// Small values may have the same text.
const labels = (texts) => texts.map((text, i) => (text === texts[i + 1] ? '' : text));

// The color of a CSS variable, which may depend on the color scheme.
function resolve(frame, variable) {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  frame.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
