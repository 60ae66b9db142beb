import { path, post } from '../lib/api.js';
import { html } from '../lib/html.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton } from '../ui/form.js';
import { notify } from '../ui/notice.js';

export function RangeActions({ range, right, nameOf, refresh }) {
  const then = (done) => {
    if (done) {
      refresh();
    }
  };
  return html`<div class="buttons">
    <${ActionButton} allTenants onClick=${() => run(range, SPLIT).then(then)}>Split<//>
    ${right ? html`<${ActionButton} allTenants onClick=${() => run(range, merge(right)).then(then)}>Merge with ${right.range}<//>` : null}
    <${ActionButton} allTenants onClick=${() => moveLeader(range, nameOf).then(then)}>Move leader<//>
    ${range.pin ? html`<${ActionButton} allTenants onClick=${() => run(range, UNPIN).then(then)}>Unpin<//>` : null}
    <${ActionButton} allTenants onClick=${() => run(range, CANCEL).then(then)}>Cancel change<//>
    <${ActionButton} allTenants kind="quiet-danger" onClick=${() => rebuild(range, nameOf).then(then)}>Rebuild replica<//>
  </div>`;
}

const SPLIT = {
  command: 'split',
  title: 'Split',
  body: 'The range is split at the key that halves its load or, if it is idle, its size. It continues to serve requests.',
};
const UNPIN = {
  command: 'unpin',
  title: 'Unpin',
  body: 'Placement may move the leader and the replicas of this range again.',
};
const CANCEL = {
  command: 'cancel',
  title: 'Cancel the pending change of',
  body: 'Cancels a pending merge, or a pending change of the replicas. Placement retries the change later if its cause remains.',
};
const merge = (right) => ({
  command: 'merge',
  title: 'Merge',
  body: `The range absorbs ${right.range}. If they are on different nodes, replicas move first, which can take a long time.`,
});

function run(range, { command, title, body }) {
  return confirm({
    title: `${title} ${range.range}?`,
    body,
    action: command === 'cancel' ? 'Cancel change' : title,
    danger: false,
    run: async () => notify((await post(path`/ranges/${range.range}/${command}`))?.message ?? 'Done.'),
  });
}

function moveLeader(range, nameOf) {
  const others = range.voters.filter(({ node }) => node !== range.leader).map(({ node }) => [node, nameOf(node)]);
  return openForm({
    title: `Move the leader of ${range.range}`,
    body: 'The range is then pinned: placement leaves its leader and its replicas where they are, until you unpin it.',
    action: 'Move leader',
    fields: [{ name: 'to', label: 'Node that leads from now on', type: 'select', required: true, options: others, value: others[0]?.[0] }],
    run: async ({ to }) => notify((await post(path`/ranges/${range.range}/move_leader`, { to }))?.message ?? 'Done.'),
  });
}

function rebuild(range, nameOf) {
  const holders = [...range.voters, ...range.learners].map(({ node }) => [node, nameOf(node)]);
  return openForm({
    title: `Rebuild a replica of ${range.range}`,
    body: 'The node discards its replica and fetches a snapshot from the other replicas.',
    action: 'Rebuild',
    danger: true,
    fields: [{ name: 'node', label: 'Node whose replica is broken', type: 'select', options: holders, value: holders[0]?.[0] }],
    run: async ({ node }) => notify((await post(path`/ranges/${range.range}/rebuild`, undefined, { node }))?.message ?? 'Done.'),
  });
}
