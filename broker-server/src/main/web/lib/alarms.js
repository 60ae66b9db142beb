// The active alarms, which the shell keeps up to date for all views.
import { createStore } from './store.js';

// null until they are known, otherwise the list of the API: {data, meta}
export const activeAlarms = createStore(null);
