// What surrounds every view: menu, state of the connection, active alarms, and the user.
import { activeAlarms } from '../lib/alarms.js';
import { connection, get, post } from '../lib/api.js';
import { duration } from '../lib/format.js';
import { html, useEffect, useState } from '../lib/html.js';
import { NodeName, server, setNodeNames } from '../lib/node-names.js';
import { usePoll } from '../lib/poll.js';
import { place } from '../lib/router.js';
import { end, hasRole, isBound, session, tenantName } from '../lib/session.js';
import { NAV_GROUPS, VIEWS } from '../views/index.js';
import { Banner } from './notice.js';
import { nextTheme, theme } from './theme.js';

const ALARMS_MS = 5_000;
const NAMES_MS = 60_000;
const PROBE_MS = 2_000;
const EXPIRY_WARNING_MS = 5 * 60_000;
const THEME_NAMES = { auto: 'Colors: automatic', light: 'Colors: light', dark: 'Colors: dark' };

export function Shell({ children }) {
  const [open, setOpen] = useState(false);
  const { path, segments } = place.use();
  useEffect(() => setOpen(false), [path]);
  const toMain = (event) => {
    event.preventDefault();
    document.getElementById('main').focus();
  };
  return html`<div class="app">
    <a class="skip" href="#main" onClick=${toMain}>Skip to content</a>
    <header class="top">
      <button type="button" class="icon menu-button" aria-label="Menu" aria-expanded=${open} aria-controls="menu"
        onClick=${() => setOpen(!open)}>☰</button>
      <a class="brand" href=${isBound() ? '#/clients' : '#/'}><img src=${document.querySelector('link[rel=icon]').href} alt="" width="24" height="24" />FjordMQ</a>
      ${isBound() ? null : html`<${ServingNode} />`}
      <span class="grow"></span>
      ${isBound() ? null : html`<${Alarms} />`}
      <${ThemeButton} />
      <${User} />
    </header>
    <nav id="menu" class="side ${open ? 'open' : ''}" aria-label="Views"><${Menu} segments=${segments} /></nav>
    <main id="main" tabindex="-1">
      <${ConnectionBanner} /><${ExpiryBanner} />
      <${RoleNote} />
      ${children}
    </main>
  </div>`;
}

// What the user cannot see or change here.
function RoleNote() {
  const where = isBound() ? `tenant ${tenantName(session.get().tenant)}` : '';
  if (!hasRole('operator')) {
    return html`<p class="role-note">You are a viewer${where ? ` of ${where}` : ''}: you can see everything here, and change nothing.</p>`;
  }
  return where ? html`<p class="role-note">You see and change only ${where}.</p>` : null;
}

function Menu({ segments }) {
  const here = `/${segments[0] ?? ''}`;
  const bound = isBound();
  return NAV_GROUPS.map((group) => {
    const views = VIEWS.filter((view) => view.nav === group && !(bound && view.allTenants));
    return views.length === 0 ? null : html`<div class="nav-group" role="group" aria-label=${group}>
      <div class="nav-title" aria-hidden="true">${group}</div>
      <ul>${views.map((view) => html`<li>
        <a href=${`#${view.path}`} aria-current=${view.path === here ? 'page' : undefined}>${view.title}</a>
      </li>`)}</ul>
    </div>`;
  });
}

// Where the page comes from. Keeps the names of nodes up to date.
function ServingNode() {
  usePoll(async (signal) => {
    const { node_names: names, env, self } = await get('/cluster', {}, signal);
    setNodeNames(names);
    server.set({ env, self });
  }, NAMES_MS);
  const current = server.use();
  return current === null ? null : html`<span class="quiet wide-only" title="The cluster, and the node that serves this page">${
    current.env ? `${current.env} · ` : ''}<${NodeName} id=${current.self} /></span>`;
}

// The number of active alarms.
function Alarms() {
  const { path } = place.use();
  usePoll(async (signal) => activeAlarms.set(await get('/alarms', { limit: 100 }, signal)), ALARMS_MS, [path]); // as new as the view
  const alarms = activeAlarms.use();
  if (alarms === null) {
    return null;
  }
  const active = alarms.meta.count ?? alarms.data.length;
  return html`<a class="badge ${active > 0 ? 'error' : 'ok'}" href="#/alarms">${active === 0 ? 'No alarms' : active === 1 ? '1 alarm' : `${active} alarms`}</a>`;
}

function ThemeButton() {
  const chosen = theme.use();
  return html`<button type="button" class="icon" onClick=${nextTheme} title=${THEME_NAMES[chosen]} aria-label=${THEME_NAMES[chosen]}>
    ${{ auto: '◐', light: '☀', dark: '☾' }[chosen]}</button>`;
}

function User() {
  const user = session.use();
  const [busy, setBusy] = useState(false);
  async function logOut() {
    setBusy(true);
    try {
      await post('/logout', { username: user.username });
      end('');
    } catch (e) {
      if (session.get() === user) { // the token is still in use: forget it here at least
        end(`Logged out here only, because the node did not end your other logins: ${e.message}`);
      }
    }
  }
  const scope = user.tenant === null ? user.role : `${user.role} of tenant ${tenantName(user.tenant)}`;
  return html`<span class="user" title=${scope}>${user.username}<span class="quiet wide-only"> · ${scope}</span></span>
    <button type="button" disabled=${busy} onClick=${logOut} title="Ends all your logins, in every browser">Log out</button>`;
}

// Says that what is on the screen may be old, and looks for the node, even if no view does.
function ConnectionBanner() {
  const { lost, since, reason } = connection.use();
  useProbe(lost);
  return lost
    ? html`<${Banner} kind="error">${reason}. What you see is ${duration(Date.now() - since)} old; the page resumes automatically once the node is back.<//>`
    : null;
}

function useProbe(lost) {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!lost) {
      return undefined;
    }
    const timer = setInterval(() => {
      setTick((tick) => tick + 1);
      if (!document.hidden) {
        get('/cluster').catch(() => {}); // changes the state of the connection
      }
    }, PROBE_MS);
    return () => clearInterval(timer);
  }, [lost]);
}

function ExpiryBanner() {
  const { expiresAt } = session.use();
  const [left, setLeft] = useState(Infinity);
  useEffect(() => {
    const check = () => {
      const now = Date.parse(expiresAt) - Date.now();
      if (now <= 0) {
        end('Your login has expired.');
      }
      setLeft(now);
    };
    check();
    const timer = setInterval(check, 10_000);
    return () => clearInterval(timer);
  }, [expiresAt]);
  return left < EXPIRY_WARNING_MS
    ? html`<${Banner} kind="warning">Your login ends in ${duration(left)}. The page then asks for your password and continues here.<//>`
    : null;
}
