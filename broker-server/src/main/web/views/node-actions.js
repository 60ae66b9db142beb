import { del, path, post } from '../lib/api.js';
import { html } from '../lib/html.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton } from '../ui/form.js';
import { notify } from '../ui/notice.js';

// The actions that are possible in the state of a node.
export function NodeActions({ node, nodes, draining, refresh }) {
  const done = (outcome) => {
    if (outcome) {
      refresh();
    }
  };
  if (node.node_status !== 'running') {
    return html`<div class="buttons"><${ActionButton} role="administrator" allTenants kind="quiet-danger"
      onClick=${() => remove(node).then(done)}>Remove<//></div>`;
  }
  const others = nodes.filter((other) => other.node !== node.node && other.state === 'up').length;
  return html`<div class="buttons">
    ${draining
      ? html`<${ActionButton} allTenants onClick=${() => stop(node).then(done)}>Stop evacuation<//>`
      : others > 0 ? html`<${ActionButton} allTenants onClick=${() => evacuate(node).then(done)}>Evacuate<//>` : null}
    ${others > 0 ? html`<${ActionButton} role="administrator" allTenants kind="quiet-danger"
      onClick=${() => decommission(node).then(done)}>Decommission<//>` : null}
  </div>`;
}

async function outcome(request) {
  const response = await request;
  notify(response?.message ?? 'Done.');
}

function evacuate(node) {
  return openForm({
    title: `Evacuate ${node.name}?`,
    body: 'Other nodes take over leadership of its ranges. Then the node refuses new clients and gradually disconnects its clients. It keeps running and keeps its replicas, until you stop the evacuation or the node restarts.',
    action: 'Evacuate',
    fields: [{ name: 'conn_evict_rate', label: 'Clients to disconnect per second', type: 'number', min: 1, hint: 'Default: drainConfig.clientsPerSecond' }],
    run: (values) => outcome(post(path`/load_rebalance/${node.node}/evacuation/start`, values)),
  });
}

function stop(node) {
  return confirm({
    title: `Stop the evacuation of ${node.name}?`,
    body: 'The node accepts clients again, and placement moves leadership back.',
    action: 'Stop evacuation',
    danger: false,
    run: () => outcome(post(path`/load_rebalance/${node.node}/evacuation/stop`)),
  });
}

function decommission(node) {
  return confirm({
    title: `Decommission ${node.name}?`,
    body: 'The cluster moves its replicas and clients to other nodes, stops its process and removes it permanently. A restart of the node before it stops cancels this.',
    action: 'Decommission',
    run: () => outcome(post(path`/nodes/${node.node}/decommission`)),
  });
}

function remove(node) {
  return confirm({
    title: `Remove ${node.name}?`,
    body: 'Only remove a node that will not return: its id cannot be used again. Its replicas move to other nodes.',
    action: 'Remove',
    run: () => outcome(del(path`/nodes/${node.node}`)),
  });
}
