// What surrounds every view: menu, state of the connection, active alarms, and the user.
import { activeAlarms, alarmSummary } from '../lib/alarms.js';
import { connection, get, post } from '../lib/api.js';
import { duration } from '../lib/format.js';
import { html, useEffect, useState } from '../lib/html.js';
import { NodeName, server, setNodeNames } from '../lib/node-names.js';
import { useOutdated, usePoll } from '../lib/poll.js';
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
  const outdated = useOutdated();
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
      ${isBound() ? null : html`<${Alarms} isOutdated=${outdated !== null} />`}
      <${ThemeButton} />
      <${User} />
    </header>
    <nav id="menu" class="side ${open ? 'open' : ''}" aria-label="Views"><${Menu} segments=${segments} /></nav>
    <main id="main" tabindex="-1" class=${outdated ? 'outdated' : ''}>
      <${OutdatedBanner} outdated=${outdated} /><${ExpiryBanner} />
      <${RoleNote} />
      ${children}
    </main>
  </div>`;
}

// What the user cannot see or change here.
function RoleNote() {
  const where = isBound() ? `tenant ${tenantName(session.get().tenant)}` : '';
  if (!hasRole('operator')) {
    return html`<p class="role-note">You are a viewer${where ? ` of ${where}` : ''}: you can see everything here but change nothing.</p>`;
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
function Alarms({ isOutdated }) {
  const { path } = place.use();
  const { error } = usePoll(
    async (signal) => activeAlarms.set(await get('/alarms', { limit: 100 }, signal)), ALARMS_MS, [path]); // as new as the view
  const alarms = activeAlarms.use();
  const isRefused = Boolean(error && !error.temporary);
  useEffect(() => {
    if (isRefused) {
      activeAlarms.set(null);
    }
  }, [isRefused]);
  if (alarms === null && !isOutdated && !isRefused) {
    return null;
  }
  const { kind, text, why } = isOutdated || alarms === null ? { kind: 'warning', text: 'Alarms unknown', why: error?.message } : alarmSummary(alarms);
  return html`<a class="badge ${kind}" href="#/alarms" title=${why}>${text}</a>`;
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

// Says that what is on the screen is old, how old at least, and why. Looks for the node, even if no view does.
function OutdatedBanner({ outdated }) {
  const { lost } = connection.use();
  const [, setTick] = useState(0);
  const isOutdated = outdated !== null;
  useEffect(() => {
    if (!isOutdated) {
      return undefined;
    }
    const timer = setInterval(() => {
      setTick((tick) => tick + 1);
      if (lost && !document.hidden) {
        get('/cluster').catch(() => {}); // changes the state of the connection
      }
    }, PROBE_MS);
    return () => clearInterval(timer);
  }, [isOutdated, lost]);
  if (!isOutdated) {
    return null;
  }
  const { since, reason } = outdated;
  const age = since && duration(Date.now() - since);
  return lost
    ? html`<${Banner} kind="error" detail=${`What you see is at least ${age} old.`}>${reason}; the page resumes automatically once the node is back.<//>`
    : html`<${Banner} kind="warning" detail=${age && `Some of what you see is ${age} old.`}>${since ? 'Some values are outdated' : 'Some values are missing'}: ${
      reason.replace(/\.$/, '')}. The page tries again.<//>`;
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
    ? html`<${Banner} kind="warning" detail=${`Time left: ${duration(left)}.`}>Your login ends soon. The page then asks for your password and continues here.<//>`
    : null;
}
