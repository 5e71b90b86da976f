// The dynamic keys: shown, added, changed, removed. The storage makes the pairs; secrets never come here.
import { html, useState } from './htm-preact.js';
import { api, post, useData, Problem, Empty, session } from './base.js';

const OPERATIONS = ['read', 'write', 'delete'];
const limit = k => k.burst ? `${k.burst} at once, ${k.rate} a second` : 'none';

function Rules({ of, onSave, onCancel, busy }) {
  const save = e => {
    e.preventDefault();
    const fields = new FormData(e.target);
    const operations = fields.getAll('operation');
    onSave({ ...Object.fromEntries(['name', 'email', 'burst', 'rate', 'expire', 'hidden_flags'].map(id => [id, fields.get(id).trim()])),
      operations: operations.join(',') });
  };
  return html`<form aria-label=${of.key ? 'Change a key' : 'Add a key'} onSubmit=${save}><h3>${of.key ? html`Change <code>${of.key}</code>` : 'Add a key'}</h3>
    <div class="fields"><label>Name<input name="name" maxlength="200" required defaultValue=${of.name}/></label>
      <label>Email<input name="email" type="email" maxlength="200" defaultValue=${of.email}/></label>
      <label>Checks at once<input name="burst" type="number" min="0" step="any" placeholder="no limit" defaultValue=${of.burst}/></label>
      <label>Checks a second<input name="rate" type="number" min="0" step="any" placeholder="no limit" defaultValue=${of.rate}/></label>
      <label>No checks from this day on<input name="expire" type="date" defaultValue=${of.expire}/></label>
      <label>Hidden flags<input name="hidden_flags" pattern="[0-9, ]*" placeholder="as forbidden_ids" defaultValue=${(of.hidden_flags || []).join(', ')}/></label></div>
    <div class="row"><fieldset><legend>Its users may</legend>${OPERATIONS.map(id => html`<label class="check" key=${id}><input type="checkbox" name="operation" value=${id}
      defaultChecked=${(of.operations || ['read']).includes(id)}/>${id}</label>`)}</fieldset>
      <button class="main" disabled=${busy}>${of.key ? 'Save key' : 'Add key'}</button>${of.key && html`<button type="button" onClick=${onCancel}>Cancel</button>`}</div></form>`;
}

export function DynamicKeys({ onChange }) {
  const [{ data, error }, set] = useData(() => api('/api/keys'), [], 10000);
  const [edited, edit] = useState({});
  const [leaving, leave] = useState('');
  const [state, tell] = useState({});
  if (!data) return html`<section class="card"><h2>Dynamic keys</h2><${Problem} error=${error}/></section>`;
  const may = session.access === 'change';
  const editable = may && !data.obstacle;
  const change = (query, said) => {
    tell({ busy: true });
    return post('/api/key', query).then(next => { set({ data: next }); edit({}); leave(''); tell({ said: said(next) }); onChange(); }, problem => tell({ problem }));
  };
  return html`<section class="card" data-part="keys"><h2>Dynamic keys</h2>
    <p class="note">Keys that come and go without a restart. Clients get the public key as encryption_key; the secret stays in ${data.files[0] ? html`<code>${data.files[0]}</code>` : 'the file'}.</p>
    ${data.keys.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Dynamic keys"><table><thead><tr><th>Public key</th><th>Name</th><th>Its users may</th><th>Limit</th><th>No checks from</th><th>In force</th>${editable && html`<th>Next</th>`}</tr></thead>
      <tbody>${data.keys.map(k => html`<tr key=${k.key}><td><code>${k.key}</code></td><td>${k.name}${k.email && html`<div class="note">${k.email}</div>`}</td><td>${k.operations.join(', ') || 'nothing'}${k.hidden_flags
        && html`<div class="note">hidden flags ${k.hidden_flags.join(', ') || 'none'}</div>`}</td>
        <td>${limit(k)}</td><td>${k.expire || 'no end'}</td><td class=${k.in_force ? 'good' : 'bad'}>${k.in_force ? '● yes' : '▲ no'}</td>
        ${editable && html`<td><div class="row tight">${leaving === k.key ? html`<button class="danger" disabled=${state.busy} onClick=${() => change({ key: k.key, remove: 1 }, () => `Removed ${k.key}.`)}>Remove for good</button>
          <button onClick=${() => leave('')}>Keep</button>` : html`<button onClick=${() => { edit(k); tell({}); }}>Edit key</button><button onClick=${() => leave(k.key)}>Remove key</button>`}</div></td>`}</tr>`)}</tbody></table></div>`}
    ${data.keys.some(k => k.key === leaving) && html`<p role="status" class="bad">Its clients no longer get answers, and the secret cannot be restored.</p>`}
    ${!data.keys.length && !data.obstacle && html`<${Empty}>No dynamic key yet.${editable ? ' Add the first one below.' : ''}</${Empty}>`}
    ${data.obstacle && html`<${Empty}>${data.files.length ? 'The keys cannot be edited here: ' : ''}${data.obstacle}.</${Empty}>`}
    <${Problem} error=${state.problem || error}/>${state.said && html`<p role="status" class="good">✓ ${state.said}</p>`}
    ${editable && html`<${Rules} key=${edited.key + (state.said || '')} of=${edited} busy=${state.busy} onCancel=${() => edit({})} onSave=${query => change({ ...query, key: edited.key },
      next => edited.key ? `Changed ${next.key}.` : `Added ${next.key}: this is the encryption_key of its clients.`)}/>`}</section>`;
}
