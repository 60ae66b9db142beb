// Confirmations and forms in dialogs. The browser keeps the focus inside, closes them with Escape, and returns the focus.
import { html, useEffect, useId, useRef, useState } from '../lib/html.js';
import { createStore } from '../lib/store.js';
import { Field } from './form.js';

const shown = createStore(null);
let lastId = 0;

// Asks before something is destroyed. run: async () => {}; its error is shown in the dialog.
// Returns whether it was done.
export function confirm({ title, body, action, danger = true, run }) {
  return openForm({ title, body, action, danger, fields: [], run });
}

// Asks for values. fields: see Field; each may have `value`, its initial value, and `when: (values) => boolean`.
// run: async (values) => {}; numbers are numbers, empty values are omitted. Returns whether it was done.
export function openForm({ title, body, action, danger = false, fields, run }) {
  return new Promise((resolve) => {
    shown.get()?.resolve(false);
    lastId += 1;
    shown.set({ id: lastId, title, body, action, danger, fields, run, resolve });
  });
}

export function DialogHost() {
  const dialog = shown.use();
  return dialog ? html`<${FormDialog} key=${dialog.id} ...${dialog} />` : null;
}

function FormDialog({ title, body, action, danger, fields, run, resolve }) {
  const ref = useRef(null);
  const titleId = useId();
  const [values, setValues] = useState(() => Object.fromEntries(fields.map((field) => [field.name, field.value ?? ''])));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const visible = fields.filter((field) => !field.when || field.when(values));

  useEffect(() => {
    const dialog = ref.current;
    dialog.showModal();
    return () => dialog.close(); // which returns the focus
  }, []);

  function close(done) {
    shown.set(null);
    resolve(done);
  }

  async function submit(event) {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await run(result(visible, values));
      close(true);
    } catch (e) {
      setError(e.message);
      setBusy(false);
    }
  }

  return html`<dialog ref=${ref} aria-labelledby=${titleId} onCancel=${(event) => {
    event.preventDefault();
    if (!busy) close(false);
  }}>
    <form onSubmit=${submit}>
      <h2 id=${titleId}>${title}</h2>
      ${body ? html`<div class="dialog-body">${typeof body === 'string' ? html`<p>${body}</p>` : body}</div>` : null}
      ${visible.map((field) => html`<${Field} key=${field.name} field=${field} value=${values[field.name]}
        onInput=${(value) => setValues((old) => ({ ...old, [field.name]: value }))} />`)}
      <div role="alert">${error ? html`<p class="form-error">${error}</p>` : null}</div>
      <div class="buttons">
        <button type="button" disabled=${busy} onClick=${() => close(false)}>Cancel</button>
        <button type="submit" class=${danger ? 'danger' : 'primary'} disabled=${busy}>${busy ? 'Working…' : action}</button>
      </div>
    </form>
  </dialog>`;
}

function result(fields, values) {
  const found = {};
  for (const { name, type } of fields) {
    const value = values[name];
    if (type === 'checkbox') {
      found[name] = Boolean(value);
    } else if (value !== '') {
      found[name] = type === 'number' ? Number(value) : value;
    }
  }
  return found;
}
