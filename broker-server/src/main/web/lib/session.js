// The login of this tab. It ends with the tab, because it is in the session storage only.
import { createStore } from './store.js';

const KEY = 'fjordmq.session';
const ROLES = ['viewer', 'operator', 'administrator'];

// null without a login, otherwise {token, username, role, tenant, version, expiresAt}
export const session = createStore(read());

// Why the login form is shown; empty if the user has not been logged in.
export const endReason = createStore('');

function read() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY));
    return stored && Date.parse(stored.expiresAt) > Date.now() ? stored : null;
  } catch {
    return null;
  }
}

export function begin(login, username) {
  const begun = {
    token: login.token,
    username,
    role: login.role,
    tenant: login.tenant ?? null,
    version: login.version,
    expiresAt: login.expires_at,
  };
  sessionStorage.setItem(KEY, JSON.stringify(begun));
  endReason.set('');
  session.set(begun);
}

export function end(reason) {
  sessionStorage.removeItem(KEY);
  endReason.set(reason);
  session.set(null);
}

// Whether the user has a role or a higher one.
export function hasRole(role) {
  const current = session.get();
  return current !== null && ROLES.indexOf(current.role) >= ROLES.indexOf(role);
}

// Whether the user is bound to a tenant, and so sees nothing of others.
export const isBound = () => session.get() !== null && session.get().tenant !== null;

// A tenant as text: the default tenant has an empty name.
export const tenantName = (tenant) => tenant || '(default)';

// Why the user may not do something that needs a role; empty if it may. `allTenants` is true for operations that the
// API refuses to users that are bound to a tenant.
export function refusal(role, allTenants = false) {
  if (!hasRole(role)) {
    return `Requires the role ${role}; you are ${session.get()?.role ?? 'not logged in'}.`;
  }
  if (allTenants && session.get().tenant !== null) {
    return `Affects all tenants; you are bound to tenant ${session.get().tenant}.`;
  }
  return '';
}
