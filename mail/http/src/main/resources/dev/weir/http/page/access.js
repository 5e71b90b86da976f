// Access: keys, limits, refused networks, the skip list, the configuration and the doctor.
import { html, useState, useEffect } from './htm-preact.js';
import { DynamicKeys } from './keys.js';
import { api, post, number, useData, Problem, Empty, Digest, Time, session } from './base.js';

const left = (end, now) => { const s = Math.max(0, (end - now) / 1000); return s > 5400 ? Math.round(s / 3600) + ' h' : s > 90 ? Math.round(s / 60) + ' min' : Math.round(s) + ' s'; };

export function Access({ argument }) {
  const [{ data, error }, set] = useData(() => api('/api/access'), [], 10000);
  const [{ data: config }] = useData(() => api('/api/settings'), []);
  const [doctor, setDoctor] = useState();
  const [edited, edit] = useState({ digest: argument });
  const failing = doctor?.findings?.some(f => f.state === 'fails');
  // What fails is checked again and again, so that the page shows when it is mended.
  useEffect(() => { const timer = failing && setTimeout(check, 10000); return () => clearTimeout(timer); }, [doctor]);
  const may = session.access === 'change';
  const change = (path, query) => post(path, query).then(next => set({ data: next }), e => set({ data, error: e }));
  const add = e => {
    e.preventDefault();
    const query = Object.fromEntries(new FormData(e.target));
    // Days that were not edited leave the end as it is.
    if (edited.end && query.days === String(edited.days)) Object.assign(query, { days: '', until: new Date(edited.end).toISOString() });
    edit({});
    change('/api/skip', query);
  };
  const check = () => { setDoctor(old => ({ ...old, busy: true })); api('/api/doctor').then(setDoctor, e => setDoctor({ error: e })); };
  if (!data) return html`<h1>Access</h1><${Problem} error=${error}/>`;
  return html`<h1>Access</h1><${Problem} error=${error}/><div class="two">
    <section class="card"><h2>Rules</h2><table><tbody><tr><th>Updates from</th><td>${data.read_only ? 'no client' : data.updates_from || 'keys that may write'}</td></tr>
      <tr><th>Encryption</th><td>${data.encrypted_only ? 'required' : 'optional'}</td></tr><tr><th>Blocked</th><td>${data.blocked || 'no client'}</td></tr>
      <tr><th>Rate limit of a network</th><td>${data.network_limit ? `${data.network_limit.burst} at once, ${data.network_limit.rate} a second, /${data.network_limit.prefix}` : 'none'}</td></tr></tbody></table></section>
    <section class="card" data-part="refused"><h2>Refused now</h2>${data.refused.length ? html`<table><thead><tr><th>Network</th><th>Why</th><th>Left</th><th>Next</th></tr></thead><tbody>${data.refused.map(r => html`<tr key=${r.network}>
      <td>${r.network}</td><td>${r.reason}</td><td>${r.end ? left(r.end, data.time) : 'no end'}</td><td>${may && html`<button onClick=${() => change('/api/unblock', { network: r.network })}>Unblock</button>`}</td></tr>`)}</tbody></table>`
      : html`<${Empty}>No network is over its limit or blocked by a script.</${Empty}>`}</section></div>
    <section class="card scroll" tabindex="0" aria-label="Keys"><h2>Keys</h2>${data.keys.length ? html`<table><thead><tr><th>Public key</th><th>Name</th><th class="n">Checked</th><th class="n">Matched</th><th class="n">Learned</th><th>Limit</th></tr></thead><tbody>
      ${data.keys.map(k => html`<tr key=${k.key}><td><code>${k.key}</code></td><td><bdi>${k.name}</bdi>${k.dynamic ? ' (dynamic)' : ''}</td><td class="n">${number(k.counts.checked)}</td><td class="n">${number(k.counts.matched)}</td>
      <td class="n">${number(k.counts.added)}</td><td>${k.limit ? `${k.limit.level.toFixed(0)} of ${k.limit.burst}` : ''}</td></tr>`)}</tbody></table>`
      : html`<${Empty}>The storage has no key: clients cannot encrypt. Make one with weir keypair.</${Empty}>`}</section>
    <${DynamicKeys} onChange=${() => api('/api/access').then(next => set({ data: next }), () => {})}/>
    <section class="card" data-part="skips"><h2>Skip list</h2><p class="note">Checks do not find these digests, and no client can learn them.</p>
      ${!data.skips.length && html`<${Empty}>Nothing is skipped. Why? offers it for each hash that it shows${may ? ', and the form below takes a digest' : ''}.</${Empty}>`}
      ${data.skips.map(s => html`<div class="row" key=${s.digest}><${Digest} hex=${s.digest}/>
      <span class="grow">${s.reason}</span><span class="note">${s.end ? html`until <${Time} at=${s.end}/>` : 'no end'}</span>
      ${may && html`<button onClick=${() => edit({ ...s, days: s.end ? Math.max(1, Math.ceil((s.end - data.time) / 864e5)) : '' })}>Edit</button>
        <button onClick=${() => change('/api/skip', { digest: s.digest, remove: 1 })}>Remove</button>`}</div>`)}
      ${may && html`<form class="row" key=${edited.digest} onSubmit=${add}><label class="grow">Digest<input name="digest" required defaultValue=${edited.digest} pattern="[0-9a-fA-F]{128}"/></label>
      <label class="grow">Reason<input name="reason" required maxlength="200" defaultValue=${edited.reason}/></label>
      <label>Days, empty for no end<input name="days" type="number" min="1" defaultValue=${edited.days}/></label><button class="main">${edited.reason ? 'Save' : 'Add'}</button></form>`}</section>
    <section class=${'card ' + (doctor?.findings ? failing ? 'unready' : 'ready' : '')}><div class="row"><h2 class="grow">Is everything ready for learning?</h2><button onClick=${check}>Check now</button></div>
      ${doctor && html`<div role="status">${doctor.findings ? html`<p class=${failing ? 'bad' : 'good'}><b>${failing ? '✗ Not ready' : '✓ Everything is ready'}</b>${doctor.busy ? ', checking again…' : ''}</p>` : doctor.busy && 'Checking…'}<${Problem} error=${doctor.error}/>${(doctor.findings || []).map(f => html`<p class=${f.state === 'fails' ? 'bad' : f.state === 'holds' ? 'good' : ''}>
      ${f.state === 'fails' ? '✗' : f.state === 'holds' ? '✓' : '–'} ${f.what}${f.advice && ': ' + f.advice}</p>`)}</div>`}</section>
    <section class="card"><h2>Configuration</h2>${config && (config.sections.length ? config.sections.map(s => html`<h3>${s.name}</h3><pre>${s.text}</pre>`)
      : html`<${Empty}>The storage was started without a configuration file: weir serve -c PATH reads one.</${Empty}>`)}</section>`;
}
