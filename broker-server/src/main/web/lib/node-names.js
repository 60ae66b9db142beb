// The names of nodes, which people know better than their ids.
import { createStore } from './store.js';

const names = createStore({});

// The node that serves this page: {env, self}; null until it is known.
export const server = createStore(null);

// byId: the names by id, from GET /cluster
export const setNodeNames = (byId) => names.set(byId);

// The name of a node. A component that uses it is rendered again when names change.
export function NodeName({ id }) {
  return names.use()[id] ?? id ?? null;
}

export const byName = (one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }) || one.node.localeCompare(other.node);
