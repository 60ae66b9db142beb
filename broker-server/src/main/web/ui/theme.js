// Light or dark colors: those of the operating system, unless the user chooses.
import { createStore } from '../lib/store.js';

const KEY = 'fjordmq.theme';
const NEXT = { auto: 'light', light: 'dark', dark: 'auto' };

export const theme = createStore(localStorage.getItem(KEY) ?? 'auto');

// Changes whenever the colors on the screen may have changed, for drawings that cannot use CSS.
export const colorScheme = createStore(0);

export function applyTheme() {
  const chosen = theme.get();
  if (chosen === 'auto') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = chosen;
  }
  colorScheme.set(colorScheme.get() + 1);
}

export function nextTheme() {
  theme.set(NEXT[theme.get()]);
  localStorage.setItem(KEY, theme.get());
  applyTheme();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);
