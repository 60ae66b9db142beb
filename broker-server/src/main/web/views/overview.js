// The state of the cluster at a glance: what is wrong, how much passes through, and how the nodes are.
import { activeAlarms, alarmSummary } from '../lib/alarms.js';
import { get, path } from '../lib/api.js';
import { NONE, bytes, count, duration, isKnown, micros, percent, short } from '../lib/format.js';
import { html, useMemo, useRef, useState } from '../lib/html.js';
import { byName } from '../lib/node-names.js';
import { useOutdated, usePoll } from '../lib/poll.js';
import { place, setQuery, withQuery } from '../lib/router.js';
import { Chart } from '../ui/chart.js';
import { Badge } from '../ui/form.js';
import { Banner, Partial } from '../ui/notice.js';
import { Table } from '../ui/table.js';

const UPDATE_MS = 10_000; // nodes take a sample every 10 seconds
const MAX_ALARMS = 5;
const KEPT_SECONDS = 3_600;
const HEAP = 'Used by long-lived objects after the last garbage collection; unknown before the first one';
const SPANS = [['5', '5 minutes'], ['15', '15 minutes'], ['60', '1 hour']];

export function OverviewView() {
  const current = usePoll(loadCurrent, UPDATE_MS);
  const samples = useSamples();
  const { data, error } = current;
  return html`<h1 tabindex="-1">Overview</h1>
    ${error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    ${data ? html`
      <${Partial} parts=${data.totals.partial} />
      <${Health} nodes=${data.nodes} />
      <${Totals} totals=${data.totals} nodes=${data.nodes} />
      ${data.totals.dropped_msg_rate > 0 ? html`<${Drops} />` : null}
      <${Plots} samples=${samples} />
      <h2>Nodes</h2>
      <${Nodes} nodes=${data.nodes} totals=${data.totals} />` : html`<p class="empty">Loading…</p>`}`;
}

async function loadCurrent(signal) {
  const [totals, nodes] = await Promise.all([get('/monitor_current', {}, signal), get('/nodes', {}, signal)]);
  return { totals, nodes: nodes.sort(byName) };
}

// The values of each node that responds, by id. Those of the only node are the totals.
function useValues(nodes, totals) {
  const running = nodes.filter((node) => isKnown(node.uptime)).map(({ node }) => node);
  const { data } = usePoll(async (signal) => {
    const values = await Promise.all(nodes.length === 1 ? [] : running.map((node) =>
      get(path`/monitor_current/nodes/${node}`, {}, signal).catch(() => ({}))));
    return new Map(running.map((node, i) => [node, values[i]]));
  }, UPDATE_MS, [running.join()]);
  return (node) => (nodes.length === 1 ? totals : data?.get(node.node) ?? {});
}

// The first request gets all samples, later ones only the new ones.
function useSamples() {
  const known = useRef([]);
  const { data } = usePoll(async (signal) => {
    const latest = known.current.at(-1)?.time_stamp;
    const seconds = latest ? Math.ceil((Date.now() - latest) / 1_000) + 30 : KEPT_SECONDS;
    const received = await get('/monitor', { latest: Math.max(30, Math.min(seconds, KEPT_SECONDS)) }, signal);
    const begin = received[0]?.time_stamp ?? Infinity;
    known.current = [...known.current.filter((sample) => sample.time_stamp < begin), ...received].slice(-KEPT_SECONDS / 10);
    return known.current;
  }, UPDATE_MS);
  return data ?? [];
}

function Health({ nodes }) {
  const alarms = activeAlarms.use();
  const isOutdated = useOutdated() !== null;
  const summary = alarms && alarmSummary(alarms);
  const down = nodes.filter((node) => node.node_status !== 'running');
  const running = `${nodes.length - down.length} of ${nodes.length} nodes running`;
  if (isOutdated) {
    return html`<section class="health" aria-label="Health"><${Badge} kind="warning">state unknown<//>
      <span class="quiet">Last known: ${[running, summary?.text.toLowerCase()].filter(Boolean).join(', ')}</span></section>`;
  }
  return html`<section class="health" aria-label="Health">
    <${Badge} kind=${down.length === 0 ? 'ok' : 'error'}>${running}<//>
    ${alarms === null ? null : alarms.data.length === 0
      ? html`<${Badge} kind=${summary.kind}>${summary.text}<//>`
      : html`<ul class="alarms">${alarms.data.slice(0, MAX_ALARMS).map((alarm) => html`<li><${Badge} kind="error">${alarm.name}<//> ${alarm.message}
          <span class="quiet"> for ${duration(alarm.duration)}</span></li>`)}
          ${alarms.data.length > MAX_ALARMS ? html`<li><a href="#/alarms">All alarms</a></li>` : null}</ul>`}
  </section>`;
}

function Totals({ totals, nodes }) {
  const disk = nodes.filter((node) => node.disk_total).map((node) => node.disk_used / node.disk_total);
  const tiles = [
    { name: 'Connections', value: count(totals.connections), href: '#/clients?conn_state=connected' },
    { name: 'Offline sessions', value: count(totals.disconnected_durable_sessions), href: '#/clients?conn_state=disconnected' },
    { name: 'Messages in', value: `${short(totals.received_msg_rate)} /s` },
    { name: 'Messages out', value: `${short(totals.sent_msg_rate)} /s` },
    { name: 'Dropped', value: `${short(totals.dropped_msg_rate)} /s`, kind: totals.dropped_msg_rate > 0 ? 'warning' : '' },
    { name: 'Subscriptions', value: count(totals.subscriptions), href: '#/subscriptions' },
    { name: 'Retained messages', value: count(totals.retained_msg_count), href: '#/retained' },
    { name: 'Publish ack, p50', value: micros(totals.publish_ack_p50_micros) },
    { name: 'Publish ack, p99', value: micros(totals.publish_ack_p99_micros) },
    { name: 'Fullest disk', value: disk.length > 0 ? percent(Math.max(...disk) * 100) : percent(totals.disk_percent), href: '#/nodes' },
  ];
  return html`<dl class="tiles">${tiles.map(({ name, value, href, kind = '' }) => html`<div class="tile ${kind}">
    <dt>${href ? html`<a href=${href}>${name}</a>` : name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

// Why messages are dropped now, as far as the nodes count it.
function Drops() {
  const { data } = usePoll((signal) => get('/metrics', { aggregate: true }, signal), UPDATE_MS);
  const all = data?.['messages.dropped'];
  if (!all) {
    return null;
  }
  const reasons = [['because the queue of a client was full', data['delivery.dropped.queue_full']], ['because they had expired', data['delivery.dropped.expired']]]
    .filter(([, dropped]) => dropped > 0).map(([reason, dropped]) => `${count(dropped)} ${reason}`);
  return html`<${Banner} kind="warning">Messages are being dropped: ${count(all)} since the nodes started${reasons.length > 0 ? `, of which ${reasons.join(' and ')}` : ''}.
    ${' '}<a href="#/slow-subscriptions">Slow subscriptions</a> name clients that are too slow; the page of a client counts its drops with the reason.<//>`;
}

const perSecond = (sample, name) => (isKnown(sample[name]) ? sample[name] / 10 : null);
const rate = (value) => `${short(value)}/s`;

function Plots({ samples }) {
  const { query } = place.use();
  const minutes = query.minutes ?? '15';
  const shown = useMemo(() => {
    const recent = samples.slice(-Number(minutes) * 6);
    const line = (label, format, value) => ({ label, format, values: recent.map((sample) => value(sample) ?? null) });
    return {
      times: recent.map((sample) => sample.time_stamp / 1_000),
      charts: [
        ['Messages', [line('in', rate, (s) => perSecond(s, 'received')), line('out', rate, (s) => perSecond(s, 'sent')),
          line('dropped', rate, (s) => perSecond(s, 'dropped'))]],
        ['Time to acknowledge a publish', [line('p50', micros, (s) => s.publish_ack_p50_micros), line('p99', micros, (s) => s.publish_ack_p99_micros)]],
        ['Connections', [line('connected', count, (s) => s.connections), line('offline sessions', count, (s) => s.disconnected_durable_sessions)]],
        ['Busiest node', [line('CPU', percent, (s) => s.cpu_percent), line('heap', percent, (s) => s.heap_percent), line('disk', percent, (s) => s.disk_percent)]],
      ],
    };
  }, [samples, minutes]);
  return html`<div class="section-head"><h2>Traffic</h2>
      <div class="choice" role="group" aria-label="Time span">${SPANS.map(([value, name]) => html`<button type="button"
        aria-pressed=${value === minutes} onClick=${() => setQuery({ minutes: value })}>${name}</button>`)}</div></div>
    <div class="charts">${shown.charts.map(([title, series]) => html`<${Chart} key=${title} title=${title} times=${shown.times} series=${series} />`)}</div>`;
}

function Nodes({ nodes, totals }) {
  const of = useValues(nodes, totals);
  const columns = [
    { key: 'name', title: 'Node', main: true, cell: (node) => html`<a href=${withQuery('#/nodes', { node: node.node })}>${node.name}</a><span class="quiet"> ${node.node === node.name ? '' : node.node}</span>` },
    { key: 'state', title: 'State', cell: (node) => html`<${Badge} kind=${node.state === 'up' ? 'ok' : node.node_status === 'running' ? 'warning' : 'error'}>${node.state}<//>` },
    { key: 'uptime', title: 'Uptime', cell: (node) => duration(node.uptime) },
    { key: 'leads', title: 'Ranges led', numeric: true, cell: (node) => html`${node.leads_metadata ? html`<abbr title="also leads the metadata group">★</abbr> ` : ''}${count(node.leads)}` },
    { key: 'connections', title: 'Connections', numeric: true, cell: (node) => (isKnown(node.connections)
      ? html`<a href=${withQuery('#/clients', { node: node.node, conn_state: 'connected' })}>${count(node.connections)}</a>` : count()) },
    { key: 'in', title: 'In', numeric: true, cell: (node) => rate(of(node).received_msg_rate) },
    { key: 'out', title: 'Out', numeric: true, cell: (node) => rate(of(node).sent_msg_rate) },
    { key: 'dropped', title: 'Dropped', numeric: true, cell: (node) => rate(of(node).dropped_msg_rate) },
    { key: 'p99', title: 'Ack p99', numeric: true, cell: (node) => micros(of(node).publish_ack_p99_micros) },
    { key: 'cpu', title: 'CPU', numeric: true, cell: (node) => percent(of(node).cpu_percent) },
    { key: 'heap', title: 'Heap', numeric: true, cell: (node) => html`<span title=${HEAP}>${percent(of(node).heap_percent)}</span>` },
    { key: 'disk', title: 'Disk', numeric: true, cell: ({ disk_low: low, disk_used: used, disk_total: total }) => (total
      ? html`<span class=${low ? 'bad' : ''} title=${`${bytes(used)} used`}>${percent((used / total) * 100)} of ${bytes(total)}</span>` : NONE) },
    { key: 'version', title: 'Version' },
  ];
  return html`<${Table} caption="Nodes" columns=${columns} rows=${nodes} rowKey=${(node) => node.node} />`;
}
