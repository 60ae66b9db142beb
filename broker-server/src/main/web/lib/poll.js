// Data that updates itself. Requests of a component never overlap, pause while the tab is hidden, and back off while the
// node does not respond.
import { useCallback, useEffect, useRef, useState } from './html.js';

const MIN_INTERVAL_MS = 2_000;
const BACK_OFF_MS = [500, 1_000, 2_000, 4_000, 8_000];

// How long to wait after `failures` failures in a row, with jitter so that tabs do not return at the same time.
export function backOff(failures) {
  const base = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length) - 1];
  return base * (0.8 + 0.4 * Math.random());
}

// load: async (signal) => data. It runs at once, when a value in `dependencies` changes, and then every intervalMs.
// Returns {data, error, loading, at, refresh}. `data` stays while requests fail with errors that may be temporary;
// `loading` is true until the first result for these dependencies.
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
    let ended = false;

    async function run() {
      clearTimeout(timer);
      aborter?.abort();
      const mine = new AbortController();
      aborter = mine;
      try {
        const data = await newest.current(mine.signal);
        if (mine === aborter && !ended) {
          failures = 0;
          setState({ data, error: null, loading: false, at: Date.now() });
        }
      } catch (error) {
        if (mine !== aborter || ended) {
          return;
        }
        failures += 1;
        setState((old) => ({ ...old, data: error.temporary ? old.data : undefined, error, loading: false }));
      }
      if (mine === aborter && !ended) {
        aborter = null;
        schedule(failures === 0 ? interval : Math.max(backOff(failures), 0));
      }
    }

    function schedule(delay) {
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

    setState((old) => ({ ...old, loading: true }));
    trigger.current = run;
    document.addEventListener('visibilitychange', onVisibility);
    run();
    return () => {
      ended = true;
      clearTimeout(timer);
      aborter?.abort();
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [intervalMs, ...dependencies]);

  const refresh = useCallback(() => trigger.current(), []);
  return { ...state, refresh };
}
