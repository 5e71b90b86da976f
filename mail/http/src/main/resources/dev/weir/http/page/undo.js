// Undo: a rehearsal with its consequences, then the undo itself.
import { html, useState, useEffect } from './htm-preact.js';
import { api, post, number, count, Problem, Empty, Digest, session } from './base.js';

const FIELDS = [['digests', 'Whole hashes to remove: digests, with commas'], ['mail', 'Message-ID, or the ID of an undo'], ['user', 'User'],
  ['from', 'Address or network'], ['key', 'Key'], ['flag', 'Flag'], ['since', 'Since', 'datetime-local'], ['until', 'Until', 'datetime-local']];

export function Undo({ argument }) {
  const [what, setWhat] = useState({});
  const [state, set] = useState({});
  useEffect(() => { setWhat(argument ? { digests: argument } : {}); set({}); }, [argument]);
  const query = () => ({ ...what, since: what.since && new Date(what.since).toISOString(), until: what.until && new Date(what.until).toISOString() });
  const rehearse = e => { e.preventDefault(); set({ busy: true }); api('/api/rehearse', query()).then(plan => set({ plan }), error => set({ error })); };
  const apply = () => { set({ ...state, busy: true }); post('/api/undo', { ...query(), revision: state.plan.revision })
    .then(done => set({ done }), error => set({ ...state, busy: false, error })); };
  const { plan, done, error, busy } = state;
  const shown = plan || done;
  return html`<h1>Undo</h1><form class="card" onSubmit=${rehearse}><h2>What to reverse</h2><p class="note">Reverses the selected changes and leaves all others;
      or removes whole hashes. Nothing happens before you have seen the consequences.</p>
    <div class="fields">${FIELDS.map(([id, name, type]) => html`<label key=${id}>${name}<input name=${id} type=${type || 'text'} step=${type && 1} value=${what[id] || ''}
      onInput=${e => { setWhat({ ...what, [id]: e.target.value.trim() }); set({}); }}/></label>`)}</div>
    <p><button class="main" disabled=${busy}>Rehearse</button></p></form><${Problem} error=${error}/>
    ${busy && html`<p role="status">${plan ? 'Reversing the changes…' : 'Reading the audit trail…'}</p>`}
    ${shown && html`<section class="card" data-result=${done ? 'done' : 'plan'} role="status"><h2>${done ? 'Done' : 'This would happen'}</h2>
      ${shown.hashes ? html`<p>Changed: ${count(shown.hashes, 'hash')}. ${count(shown.removed, 'flag')} removed, ${number(shown.lowered)} lowered, ${number(shown.raised)} raised or
        restored.${shown.gone > 0 && ` Nothing is left to reverse for ${count(shown.gone, 'flag')}.`}</p>
        <div class="scroll" tabindex="0" role="region" aria-label="Largest consequences"><table><thead><tr><th>Digest</th><th class="n">Flag</th><th class="n">Value now</th><th class="n">Then</th><th class="n">Hits, day</th></tr></thead>
        <tbody>${shown.largest.map(s => html`<tr><td><${Digest} hex=${s.digest}/></td><td class="n">${s.flag}</td><td class="n">${number(s.before)}</td>
          <td class="n">${s.removed ? 'removed' : number(s.after)}</td><td class="n">${number(s.hits_day)}</td></tr>`)}</tbody></table></div>`
        : html`<${Empty}>Nothing is left to reverse. Someone may have undone this already; Why? shows the changes of a hash.</${Empty}>`}
      ${plan && plan.hashes > 0 && (session.access === 'change' ? html`<p><button class="main" disabled=${busy} onClick=${apply}>Undo it</button></p>`
        : html`<${Empty}>Your password may only read. Sign in with enable_password to undo.</${Empty}>`)}
      ${done && done.id && html`<p>It is in the audit trail as <code>${done.id}</code>.
        <button onClick=${() => { setWhat({ mail: done.id }); set({}); }}>Undo this undo</button></p>`}</section>`}`;
}
