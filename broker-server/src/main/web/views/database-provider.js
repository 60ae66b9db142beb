// Warns on the views of MQTT users and rules if no provider uses the database: changes there then have no effect.
import { get } from '../lib/api.js';
import { html } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { isBound } from '../lib/session.js';
import { Banner } from '../ui/notice.js';

const UPDATE_MS = 30_000;
const BACKEND = 'built_in_database';

// Users that are bound to a tenant may not list the providers, so they see no warning. source: the providers in the API.
// list: the configuration key of the same list. types: the provider types to add.
export function UnusedDatabase(properties) {
  return isBound() ? null : html`<${Warning} ...${properties} />`;
}

function Warning({ source, list, types, children }) {
  const { data } = usePoll((signal) => get(source, { limit: 1000 }, signal), UPDATE_MS, [source]);
  const isUsed = data?.data.some(({ backend, type, enable }) => enable && [backend, type].includes(BACKEND));
  return data === undefined || isUsed ? null : html`<${Banner} kind="warning">${children}
    To use the database, add a provider of type ${types} to <code>${list}</code> and restart the node.<//>`;
}
