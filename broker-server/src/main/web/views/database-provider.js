// Warns on the views of MQTT users and rules if no provider uses the database: changes there then have no effect.
import { get } from '../lib/api.js';
import { html } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { Banner } from '../ui/notice.js';

const UPDATE_MS = 30_000;
const BACKEND = 'built_in_database';

// source: the providers in the API. list: the configuration key of the same list. types: the provider types to add.
export function UnusedDatabase({ source, list, types, children }) {
  const { data } = usePoll((signal) => get(source, { limit: 1000 }, signal), UPDATE_MS, [source]);
  const isUsed = data?.data.some(({ backend, type, enable }) => enable && [backend, type].includes(BACKEND));
  return data === undefined || isUsed ? null : html`<${Banner} kind="warning">${children}
    To use the database, add a provider of type ${types} to <code>${list}</code> and restart the node.<//>`;
}
