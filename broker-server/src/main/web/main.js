// The web page: shows the login form or the view that the URL names.
import { html, render, useEffect, useRef } from './lib/html.js';
import { match, navigate, place } from './lib/router.js';
import { isBound, session, tenantName } from './lib/session.js';
import { DialogHost } from './ui/dialog.js';
import { Notices } from './ui/notice.js';
import { Shell } from './ui/shell.js';
import { applyTheme } from './ui/theme.js';
import { VIEWS } from './views/index.js';
import { LoginView } from './views/login.js';

function App() {
  const current = session.use();
  return html`${current ? html`<${Shell}><${Route} /><//>` : html`<${LoginView} />`}<${DialogHost} /><${Notices} />`;
}

function find(segments) {
  for (const view of VIEWS) {
    const params = match(view.path, segments);
    if (params) {
      return { view, params };
    }
  }
  return null;
}

function Route() {
  const { path, segments } = place.use();
  const found = find(segments);
  const view = found?.view ?? null;
  const refused = view?.allTenants && isBound();
  useEffect(() => {
    if (refused && path === '/') {
      navigate('#/clients'); // the page begins with a view that the user may see
    }
  }, [refused, path]);
  useFocusOnHeading(path, found);

  if (!found) {
    return html`<h1 tabindex="-1">Not found</h1><p>There is no view at <code>${path}</code>. <a href="#/">Overview</a></p>`;
  }
  if (refused) {
    return html`<h1 tabindex="-1">${view.title}</h1><p>This view covers all tenants, and you are bound to tenant
      ${' '}${tenantName(session.get().tenant)}. See the <a href="#/clients">clients</a> of your tenant.</p>`;
  }
  return html`<${view.component} key=${path} ...${found.params} />`;
}

// Screen readers announce the new view, and the keyboard continues from its beginning.
function useFocusOnHeading(path, found) {
  const first = useRef(true);
  useEffect(() => {
    const title = found?.view.title ?? 'Not found';
    const name = Object.values(found?.params ?? {})[0];
    document.title = `${name ? `${name} · ` : ''}${title} · FjordMQ`;
    if (!first.current) {
      document.querySelector('main h1')?.focus();
      window.scrollTo(0, 0);
    }
    first.current = false;
  }, [path]);
}

applyTheme();
render(html`<${App} />`, document.getElementById('app'));
