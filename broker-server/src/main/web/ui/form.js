// Buttons and fields. A field has a label, may have a hint, and is described by {name, label, type, ...}.
import { html, useId } from '../lib/html.js';
import { refusal } from '../lib/session.js';
import { notify } from './notice.js';

// A button that changes something. Without the role it stays focusable, says why it does nothing, and does nothing.
export function ActionButton({ role = 'operator', allTenants = false, kind = '', onClick, children, ...rest }) {
  const refused = refusal(role, allTenants);
  return html`<button type="button" class=${kind} aria-disabled=${refused ? 'true' : undefined} title=${refused || undefined}
    onClick=${(event) => (refused ? notify(refused, 'warning') : onClick(event))} ...${rest}>${children}</button>`;
}

// field: {name, label, type, hint, required, options, placeholder, min, max, rows, autocomplete}
// type: text (default), search, password, number, select, checkbox, textarea or datetime-local
// options of a select: texts, or [value, label]
export function Field({ field, value, onInput, error }) {
  const id = useId();
  const hintId = `${id}-hint`;
  const { label, type = 'text', hint } = field;
  const input = control(field, {
    id,
    name: field.name,
    value,
    onInput: (event) => onInput(type === 'checkbox' ? event.currentTarget.checked : event.currentTarget.value),
    'aria-describedby': hint || error ? hintId : undefined,
    'aria-invalid': error ? 'true' : undefined,
  });
  const text = hint || error
    ? html`<span class="hint ${error ? 'error' : ''}" id=${hintId}>${error || hint}</span>`
    : null;
  return type === 'checkbox'
    ? html`<div class="field check">${input}<label for=${id}>${label}</label>${text}</div>`
    : html`<div class="field"><label for=${id}>${label}${field.required ? html` <span class="required">required</span>` : ''}</label>
        ${input}${text}</div>`;
}

function control(field, attributes) {
  const { type = 'text', options = [], required, placeholder, autocomplete, min, max, rows = 4, disabled } = field;
  const { value, onInput, ...rest } = attributes;
  const common = { ...rest, required, disabled };
  if (type === 'select') {
    return html`<select ...${common} value=${value} onChange=${onInput}>
      ${options.map((option) => {
        const [key, label] = Array.isArray(option) ? option : [option, option];
        return html`<option value=${key} selected=${String(key) === String(value ?? '')}>${label}</option>`;
      })}
    </select>`;
  }
  if (type === 'checkbox') {
    return html`<input type="checkbox" ...${common} required=${false} checked=${Boolean(value)} onChange=${onInput} />`;
  }
  if (type === 'textarea') {
    return html`<textarea ...${common} rows=${rows} placeholder=${placeholder} spellcheck=${false}
      value=${value ?? ''} onInput=${onInput}></textarea>`;
  }
  return html`<input type=${type} ...${common} value=${value ?? ''} onInput=${onInput} placeholder=${placeholder}
    min=${min} max=${max} step=${type === 'number' ? 'any' : undefined} autocomplete=${autocomplete ?? 'off'}
    autocapitalize="off" spellcheck=${false} />`;
}

// Names and values, such as the state of a client. items: [label, value]; those without a value are left out.
export function Facts({ items }) {
  return html`<dl class="facts">${items
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

// kind: ok, warning, error or quiet. The text always says what the color means.
export function Badge({ kind = 'quiet', children }) {
  return html`<span class="badge ${kind}">${children}</span>`;
}
