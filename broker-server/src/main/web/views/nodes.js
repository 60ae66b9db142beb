// Nodes and ranges: which node leads and holds what, how far replicas are behind, and what changes.
import { get } from '../lib/api.js';
import { Time, bytes, count, duration, isKnown, percent } from '../lib/format.js';
import { html, useRef } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { byName } from '../lib/node-names.js';
import { rangeChanges } from '../lib/range-changes.js';
import { withQuery } from '../lib/router.js';
import { Badge, Facts } from '../ui/form.js';
import { Banner } from '../ui/notice.js';
import { NodeActions } from './node-actions.js';
import { RangeMap } from './range-map.js';

const UPDATE_MS = 3_000;
const MAX_CHANGES = 100;
const MAX_RANGES = 10_000;
const IDENTITY = /^cluster [0-9a-f]+, env /; // the first note is no problem

export function NodesView() {
  const changes = useRef({ ranges: null, list: [] });
  const { data, error, refresh } = usePoll(async (signal) => {
    const loaded = await load(signal);
    const nameOf = namesOf(loaded.nodes);
    if (changes.current.ranges) {
      const found = rangeChanges(changes.current.ranges, loaded.ranges, nameOf).map((change) => ({ ...change, at: Date.now() }));
      changes.current.list = [...found.reverse(), ...changes.current.list].slice(0, MAX_CHANGES);
    }
    changes.current.ranges = loaded.ranges;
    return { ...loaded, nameOf, changes: changes.current.list };
  }, UPDATE_MS);

  return html`<h1 tabindex="-1">Nodes and ranges</h1>
    ${error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    ${data ? html`
      <p class="quiet">Cluster ${data.cluster.name}</p>
      ${data.cluster.notes.filter((note) => !IDENTITY.test(note)).map((note) => html`<${Banner} kind="warning" key=${note}>${named(note, data.nodes)}<//>`)}
      <div class="nodes">${data.nodes.map((node, i) => html`<${NodeCard} key=${node.node} node=${node} color=${i % 8 + 1}
        evacuation=${data.evacuations.find((one) => one.node === node.node)} refresh=${refresh} nodes=${data.nodes} />`)}</div>
      <${Changes} changes=${data.changes} />
      <${RangeMap} ranges=${data.ranges} nodes=${data.nodes} nameOf=${data.nameOf} changes=${data.changes} refresh=${refresh} />` : html`<p class="empty">Loading…</p>`}`;
}

async function load(signal) {
  const [cluster, nodes, ranges, evacuations] = await Promise.all([
    get('/cluster', {}, signal),
    get('/nodes', {}, signal),
    get('/ranges', { limit: MAX_RANGES }, signal),
    get('/load_rebalance/status', { limit: MAX_RANGES }, signal),
  ]);
  nodes.sort(byName);
  return { cluster, nodes, ranges: ranges.data, evacuations: evacuations.data };
}

// Names need not be unique; then, ids are shown.
function namesOf(nodes) {
  const names = nodes.map(({ name }) => name);
  const byId = new Map(nodes.map(({ node, name }) => [node, names.filter((other) => other === name).length > 1 ? `${name} (${node})` : name]));
  return (id) => byId.get(id) ?? id;
}

// A text of a node with ids, which also tells the names.
const named = (text, nodes) => nodes.reduce((all, { node, name }) => (node === name ? all : all.replaceAll(node, `${name} (${node})`)), text);

const EXPLANATIONS = {
  down: 'Other nodes lead its ranges, and its clients connect to them. Start it again; remove it only if it will not return.',
  full: 'Its disk has too little free space, so other nodes lead its ranges. It recovers automatically once there is space.',
  slow: 'Its disk is too slow, so other nodes lead its ranges. It recovers automatically.',
};

const STATES = { up: 'ok', down: 'error', removed: 'quiet' };
const EVACUATIONS = {
  transferring_leadership: 'other nodes take over its ranges',
  evicting_conns: 'it disconnects its clients',
  prohibiting: 'no clients are left, and it refuses new ones',
};

function NodeCard({ node, nodes, color, evacuation, refresh }) {
  const draining = evacuation && evacuation.state !== 'disabled';
  const used = (value, total, format) => (isKnown(value) && total ? `${format(value)} of ${format(total)} (${percent((value / total) * 100)})` : null);
  return html`<section class="panel node node-${color}" aria-label=${`Node ${node.name}`}>
    <div class="section-head"><h2>${node.name} <${Badge} kind=${STATES[node.state] ?? 'warning'}>${node.state}<//></h2>
      <${NodeActions} node=${node} nodes=${nodes} draining=${draining} refresh=${refresh} /></div>
    ${draining ? html`<${Banner} kind="warning">Evacuated: ${EVACUATIONS[evacuation.state] ?? evacuation.state}
      (${count(evacuation.current_connected)} clients, ${count(evacuation.led_ranges)} ranges left).<//>` : null}
    ${EXPLANATIONS[node.state] ? html`<p>${EXPLANATIONS[node.state]} The <a href="#/alarms">alarms</a> show since when.</p>` : null}
    ${isKnown(node.uptime) || node.node_status !== 'running' ? null : html`<${Banner} kind="warning">Did not respond within a second.<//>`}
    <${Facts} items=${[
      ['Id', node.node],
      ['Cluster address', node.address],
      ['Leads', `${count(node.leads)} ${node.leads === 1 ? 'range' : 'ranges'}${node.leads_metadata ? ' and the metadata group' : ''}`],
      ['Clients', isKnown(node.connections)
        ? html`<a href=${withQuery('#/clients', { node: node.node, conn_state: 'connected' })}>${count(node.connections)}</a>` : null],
      ['Up for', isKnown(node.uptime) ? duration(node.uptime) : null],
      ['Version', node.version],
      ['Memory', used(node.memory_used, node.memory_total, bytes)],
      ['Disk', used(node.disk_used, node.disk_total, bytes) && html`<span class=${node.disk_low ? 'bad' : ''}>${used(node.disk_used, node.disk_total, bytes)}</span>`],
      ['File descriptors', used(node.open_fds, node.max_fds, count)],
      ['Load of the host', isKnown(node.load1) ? [node.load1, node.load5, node.load15].map((load) => load.toFixed(2)).join(' · ') : null],
      ['Incarnation', html`<span title="Number of times that the node has joined the cluster with this data directory">${node.incarnation}</span>`],
      ['Settings', node.node_status === 'running' ? html`<a href=${withQuery('#/configuration', { node: node.node })}>configuration</a>` : null],
    ]} />
  </section>`;
}

function Changes({ changes }) {
  return html`<section class="panel" aria-label="Changes"><h2>Changes since this view was opened</h2>
    ${changes.length === 0
      ? html`<p class="quiet">None so far. Splits, merges, and moves of leaders and replicas appear here.</p>`
      : html`<ol class="changes" tabindex="0" aria-live="polite">${changes.map(({ range, text, at }) => html`<li key=${`${range}${text}${at}`}>
          <${Time} at=${at} precise /> <b>${range}</b> ${text}</li>`)}</ol>`}
  </section>`;
}
