import { html, useEffect, useState } from '../lib/html.js';
import { connection, login } from '../lib/api.js';
import { begin, endReason } from '../lib/session.js';
import { Field } from '../ui/form.js';
import { Banner } from '../ui/notice.js';

const NAME = { name: 'username', label: 'User name', autocomplete: 'username', required: true };
const PASSWORD = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true };

export function LoginView() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const reason = endReason.use();
  const { lost, reason: lostReason } = connection.use();

  useEffect(() => {
    document.title = 'Log in · FjordMQ';
    document.querySelector('input[name=username]').focus();
  }, []);

  async function submit(event) {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      begin(await login(username.trim(), password), username.trim());
    } catch (e) {
      setError(e.message);
      setPassword('');
      setBusy(false);
      document.querySelector('input[name=password]').focus();
    }
  }

  return html`<main class="login" id="main">
    <h1><img src=${document.querySelector('link[rel=icon]').href} alt="" width="32" height="32" /> FjordMQ</h1>
    ${reason ? html`<${Banner} kind="warning">${reason} Log in to continue where you were.<//>` : null}
    ${lost && !error ? html`<${Banner} kind="error">${lostReason}.<//>` : null}
    <form onSubmit=${submit} aria-label="Log in">
      <${Field} field=${NAME} value=${username} onInput=${setUsername} />
      <${Field} field=${PASSWORD} value=${password} onInput=${setPassword} />
      <div role="alert">${error ? html`<p class="form-error">${error}</p>` : null}</div>
      <button type="submit" class="primary" disabled=${busy}>${busy ? 'Checking…' : 'Log in'}</button>
    </form>
    <details>
      <summary>No account yet?</summary>
      <p>There is no default password. On a host with a running node, create the first administrator:</p>
      <pre tabindex="0"><code>bin/fjordmq users add NAME --role administrator</code></pre>
      <p>An administrator can create further accounts with the same command. Accounts of MQTT clients do not work here.</p>
    </details>
  </main>`;
}
