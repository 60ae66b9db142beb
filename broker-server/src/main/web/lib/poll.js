// Data that updates itself. Requests of a component never overlap, pause while the tab is hidden, and back off while the
// node does not respond.
import { connection } from './api.js';
import { useCallback, useEffect, useRef, useState } from './html.js';
import { createStore } from './store.js';

const MIN_INTERVAL_MS = 2_000;
const BACK_OFF_MS = [500, 1_000, 2_000, 4_000, 8_000];
const MIN_FAILURES = 2; // in a row; after a single one, the next request usually succeeds
const RETURN_MS = 500; // within which requests are repeated once the node responds again

// The components whose data cannot be updated now: {at, reason} by component. `at` is undefined if there are no data.
const failing = createStore(new Map());

function setFailing(component, failure) {
  if (failure || failing.get().has(component)) {
    const next = new Map(failing.get());
    next.delete(component);
    if (failure) {
      next.set(component, failure);
    }
    failing.set(next);
  }
}

// Why what the page shows may be outdated: {since, reason}, or null if all of it is current. `since` is undefined if
// nothing old is shown. What looks current or healthy must not look so while this is not null.
export function useOutdated() {
  const { lost, since, reason } = connection.use();
  const failures = [...failing.use().values()];
  if (lost) {
    return { since, reason };
  }
  const times = failures.map(({ at }) => at).filter((at) => at !== undefined);
  return failures.length > 0 ? { since: times.length > 0 ? Math.min(...times) : undefined, reason: failures[0].reason } : null;
}

// How long to wait after `failures` failures in a row, with jitter so that tabs do not return at the same time.
export function backOff(failures) {
  const base = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length) - 1];
  return base * (0.8 + 0.4 * Math.random());
}

// load: async (signal) => data. It runs at once, when a value in `dependencies` changes, and then every intervalMs.
// Returns {data, error, loading, at, refresh}. `data` stays while requests fail with errors that may be temporary, but not
// data for other dependencies; `loading` is true until the first result for these dependencies.
export function usePoll(load, intervalMs, dependencies = []) {
  const [state, setState] = useState({ data: undefined, error: null, loading: true, at: null });
  const trigger = useRef(() => {});
  const newest = useRef(load);
  newest.current = load;

  useEffect(() => {
    const interval = Math.max(MIN_INTERVAL_MS, intervalMs);
    let timer = 0;
    let aborter = null;
    let failures = 0;
    let due = 0;
    let at; // when the data for these dependencies arrived
    let ended = false;
    const component = {};

    async function run() {
      clearTimeout(timer);
      aborter?.abort();
      const mine = new AbortController();
      aborter = mine;
      try {
        const data = await newest.current(mine.signal);
        if (mine === aborter && !ended) {
          failures = 0;
          at = Date.now();
          setFailing(component, null);
          setState({ data, error: null, loading: false, at });
        }
      } catch (error) {
        if (mine !== aborter || ended) {
          return;
        }
        failures += 1;
        const isOld = error.temporary && at !== undefined;
        setFailing(component, error.temporary && failures >= MIN_FAILURES ? { at, reason: error.message } : null);
        setState((old) => ({ ...old, data: isOld ? old.data : undefined, error, loading: false }));
      }
      if (mine === aborter && !ended) {
        aborter = null;
        schedule(failures === 0 ? interval : Math.max(backOff(failures), 0));
      }
    }

    function schedule(delay) {
      clearTimeout(timer);
      due = Date.now() + delay;
      if (!document.hidden) {
        timer = setTimeout(run, delay);
      }
    }

    function onVisibility() {
      clearTimeout(timer);
      if (!document.hidden && aborter === null) {
        timer = setTimeout(run, Math.max(0, due - Date.now()));
      }
    }

    function onConnection({ lost }) {
      if (!lost && (failures > 0 || aborter !== null)) { // a request that the node has not answered yet may never be answered
        schedule(RETURN_MS * Math.random());
      }
    }

    setState((old) => ({ ...old, loading: true }));
    trigger.current = run;
    document.addEventListener('visibilitychange', onVisibility);
    const stopListening = connection.listen(onConnection);
    run();
    return () => {
      ended = true;
      clearTimeout(timer);
      aborter?.abort();
      setFailing(component, null);
      document.removeEventListener('visibilitychange', onVisibility);
      stopListening();
    };
  }, [intervalMs, ...dependencies]);

  const refresh = useCallback(() => trigger.current(), []);
  return { ...state, refresh };
}
