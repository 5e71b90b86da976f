// Waves: groups of unknown near-duplicate mails that many servers ask about.
import { html, useState } from './htm-preact.js';
import { api, post, number, count, useData, Problem, Empty, Spark, Time, Digest, Sample, session } from './base.js';

const ORDERS = { growth: 'Growth', hour: 'Last hour', day: 'Last day' };
const SAID = { counted: 'counted only', answers: 'answers checks', learned: 'learned', known: 'a hash of it is known',
  wanted: 'near wanted mail: never answers', skipped: 'on the skip list: never answers', exempt: 'of an exempt sender: never answers',
  excluded: 'another node excludes it: never answers' };
const EXCLUDED = ['wanted', 'skipped', 'exempt', 'excluded'];

function Action({ wave, kind, flags, onDone, onCancel }) {
  const [state, tell] = useState({});
  const send = e => {
    e.preventDefault();
    const fields = Object.fromEntries(new FormData(e.target));
    tell({ busy: true });
    post('/api/wave', { wave: wave.name, ...(kind === 'learn' ? { learn: fields.flag, weight: fields.weight } : { never: 1, reason: fields.reason, days: fields.days }) })
      .then(json => onDone(kind === 'learn' ? html`Learned ${count(json.hashes, 'hash')} of ${wave.name}. <a href=${'#undo?' + wave.members.filter(m => m.learnable).map(m => m.digest).join(',')}>Undo</a>, or weir undo --mail ${json.id}`
        : `${wave.name} is on the skip list with ${count(json.hashes, 'digest')}.`), problem => tell({ problem }));
  };
  return html`<form class="card" aria-label=${kind === 'learn' ? 'Learn a wave' : 'Never answer a wave'} onSubmit=${send}>
    <h2>${kind === 'learn' ? 'Learn' : 'This is a newsletter: never answer'} <code>${wave.name}</code></h2>
    <div class="fields">${kind === 'learn' ? html`<label>Flag<input name="flag" type="number" min="0" max="4294967295" required/></label>
      <label>Weight<input name="weight" type="number" min="1" max="1000000" required defaultValue="1"/></label>`
    : html`<label>Reason<input name="reason" maxlength="200" required defaultValue="newsletter"/></label><label>Days until it ends<input name="days" type="number" min="1" max="3650" placeholder="no end" defaultValue="30"/></label>`}</div>
    ${kind === 'learn' && flags.length > 0 && html`<p class="note">Flag ${flags.join(', ')} is that of waves: choose the flag of learned spam.</p>`}
    <div class="row"><button class="main" disabled=${state.busy}>${kind === 'learn' ? 'Learn the wave' : 'Put it on the skip list'}</button><button type="button" onClick=${onCancel}>Cancel</button></div>
    <${Problem} error=${state.problem}/></form>`;
}

const Members = ({ of }) => html`<section class="card" aria-label="Hashes of a wave"><h2>Hashes of <code>${of.name}</code></h2><div class="scroll" tabindex="0" role="region" aria-label="Hashes"><table>
  <thead><tr><th>Digest</th><th>Shingles equal to the first</th><th>Can be learned</th><th>Next</th></tr></thead><tbody>${of.members.map(m => html`<tr key=${m.digest}><td><${Digest} hex=${m.digest}/></td>
    <td>${m.equal_shingles == null ? 'not kept' : html`<meter min="0" max="32" value=${m.equal_shingles} aria-label=${m.equal_shingles + ' of 32'}></meter> ${m.equal_shingles} of 32`}</td>
    <td>${m.learnable ? 'yes' : 'no: it came once'}</td><td><a href=${'#why?' + m.digest}>Search</a></td></tr>`)}</tbody></table></div>
  <p class="note">More than 16 of 32 equal shingles make two mails near duplicates. To compare two mails word by word, give both to <a href="#why">Why?</a></p></section>`;

export function Waves() {
  const [by, set] = useState('growth');
  const [open, show] = useState('');
  const [doing, act] = useState({});
  const [said, say] = useState('');
  const [{ data, error }] = useData(() => api('/api/waves', { by }), [by, said], 10000);
  const may = session.access === 'change';
  const wave = name => data && data.waves.find(w => w.name === name);
  const f = data && data.figures;
  return html`<div class="row"><h1 class="grow">Waves</h1><div class="row" role="group" aria-label="Order">
      ${Object.entries(ORDERS).map(([id, name]) => html`<button key=${id} aria-pressed=${by === id} onClick=${() => set(id)}>${name}</button>`)}</div></div>
    <p class="note">Unknown mails that many servers ask about. <b>Bulk is not spam:</b> newsletters are waves, too.</p>
    <${Problem} error=${error}/>${said && html`<p role="status" class="good">✓ ${said}</p>`}
    ${f && html`<p class="note">${count(f.groups, 'group')}; ${number(f.answering)} answer, ${number(f.excluded)} never do. ${number(f.signatures)} of ${number(f.capacity)} signatures, ${number(f.bytes / 1e6)} MB.
      ${f.dropped > 0 && ` ${count(f.dropped, 'check')} not counted: too many at once.`}${f.sampling > 1 && ` Of busy networks, one of ${number(f.sampling)} checks is counted now.`}</p>`}
    ${doing.kind && wave(doing.name) && html`<${Action} key=${doing.kind + doing.name} wave=${wave(doing.name)} kind=${doing.kind} flags=${data.flags} onCancel=${() => act({})} onDone=${text => { act({}); say(text); }}/>`}
    <section class="card scroll" tabindex="0" aria-label="Waves">${data && (data.waves.length ? html`<table class="narrow"><thead><tr><th class="n">10 min</th><th class="n">Hour</th><th class="n">Day</th><th class="n">Growth</th><th>Curve</th>
      <th class="n">Clients</th><th class="n">Networks</th><th class="n">Sending<br/>hosts</th><th>Wave</th><th>State</th><th>Seen</th><th>Next</th></tr></thead>
      <tbody>${data.waves.map(w => html`<tr key=${w.name}><td class="n" data-label="10 min">${number(w.ten_minutes)}</td><td class="n" data-label="Hour">${number(w.hour)}</td><td class="n" data-label="Day">${number(w.day)}</td><td class="n" data-label="Growth">${w.growth}×</td>
        <td class="across"><${Spark} values=${w.curve}/></td><td class="n" data-label="Clients">${number(w.clients)}</td><td class="n" data-label="Networks">${number(w.networks)}</td><td class="n" data-label="Sending hosts">${w.senders ? number(w.senders) : '–'}</td>
        <td class="across first"><${Digest} hex=${w.digest}/><${Sample} of=${w.sample}/></td><td class="across" data-label="State">${SAID[w.state] || w.state}${w.answers && w.state !== 'answers' ? ', answers checks' : ''}${w.nodes > 1 && `; ${w.nodes} nodes counted it`}</td><td class="whole across" data-label="Seen"><${Time} at=${w.first}/> to <br/><${Time} at=${w.last}/></td>
        <td class="across"><div class="row tight">${may && !EXCLUDED.includes(w.state) && html`<button onClick=${() => act({ kind: 'learn', name: w.name })}>Learn</button>`}
          ${may && w.state !== 'skipped' && html`<button onClick=${() => act({ kind: 'never', name: w.name })}>Never</button>`}
          <button aria-pressed=${open === w.name} onClick=${() => show(open === w.name ? '' : w.name)}>Explain</button></div></td></tr>`)}</tbody></table>`
    : html`<${Empty}>${data.counted ? `No text was asked about twice in the last ${by === 'day' ? 'day' : 'hour'} without being known. A wave appears as soon as a second mail resembles one that no check found.`
      : html`Waves are not counted here. Write <code>waves { }</code> into <code>worker "fuzzy"</code> and restart; with <code>flag = 60</code> in it, checks of mails that many ask about get an answer.`}</${Empty}>`)}</section>
    ${open && wave(open) && html`<${Members} of=${wave(open)}/>`}`;
}
