// The active alarms, which the shell keeps up to date for all views.
import { createStore } from './store.js';

// null until they are known, otherwise the list of the API: {data, meta}
export const activeAlarms = createStore(null);

// How many alarms there are: {kind, text, why}; see Badge for the kind. Without the alarms of all nodes, nobody knows that
// there are none.
export function alarmSummary({ data, meta }) {
  const active = meta.count ?? data.length;
  if (active > 0) {
    return { kind: 'error', text: active === 1 ? '1 alarm' : `${active} alarms` };
  }
  return meta.partial?.length > 0
    ? { kind: 'warning', text: 'Alarms unknown', why: `Incomplete: ${meta.partial.join('; ')}` }
    : { kind: 'ok', text: 'No alarms' };
}
