// The plugins of all nodes, in the order in which they are called.
import { path, post } from '../lib/api.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { confirm } from '../ui/dialog.js';
import { ActionButton, Badge } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { notify } from '../ui/notice.js';

const FILTERS = [{ name: 'node', label: 'Node (id or name)', type: 'search' }];

export function PluginsView() {
  const columns = [
    { key: 'name', title: 'Plugin', main: true },
    { key: 'node', title: 'Node', cell: ({ node }) => html`<${NodeName} id=${node} />` },
    { key: 'state', title: 'State', cell: ({ state }) => (state === 'reload_needed'
      ? html`<${Badge} kind="warning">its file has changed<//>` : html`<${Badge} kind="ok">${state}<//>`) },
    { key: 'version', title: 'Version' },
    { key: 'kinds', title: 'Implements', wrap: true, cell: ({ kinds }) => kinds.join(', ') },
    { key: 'classes', title: 'Classes', wrap: true, cell: ({ classes }) => classes.map((name) => html`<div><code>${name}</code></div>`) },
    { key: 'file', title: 'File', wrap: true },
    { key: 'action', title: 'Action', cell: ({ name }, { refresh }) => html`<${ActionButton} role="administrator" allTenants kind="link"
      aria-label=${`Reload ${name}`} onClick=${() => reload(name, refresh)}>Reload<//>` },
  ];
  return html`<h1 tabindex="-1">Plugins</h1>
    <${ListView} source="/plugins" filters=${FILTERS} columns=${columns} caption="Plugins" rowKey=${({ node, name, file }) => `${node}/${name}/${file}`}
      empty="No node has plugins. Nodes load them at startup from securityConfig.pluginDir." />`;
}

async function reload(name, refresh) {
  const done = await confirm({
    title: `Reload ${name}?`,
    body: 'All nodes reload the file. The new version starts before the old one stops; if it fails to start, the old one stays in use.',
    action: 'Reload',
    danger: false,
    run: () => post(path`/plugins/${name}/reload`),
  });
  if (done) {
    notify(`All nodes use the current file of ${name}.`);
    refresh();
  }
}
