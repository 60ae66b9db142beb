// A value that components share. `use` re-renders the calling component when the value changes.
import { useEffect, useState } from './html.js';

export function createStore(initial) {
  let value = initial;
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      if (next !== value) {
        value = next;
        listeners.forEach((listener) => listener(value));
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    use() {
      const [seen, setSeen] = useState(value);
      useEffect(() => {
        setSeen(value); // it may have changed between rendering and this effect
        listeners.add(setSeen);
        return () => listeners.delete(setSeen);
      }, []);
      return seen;
    },
  };
}
