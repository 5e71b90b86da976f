// Learn: mails or a mailbox, one by one, with the outcome of each rule and server.
import { html, useState } from './htm-preact.js';
import { api, post, count, useData, Problem, Empty, Drop, session } from './base.js';

async function mails(files) {
  const all = [];
  for (const file of files) {
    // One byte is one character, so that no byte of a mail changes.
    const text = new TextDecoder('latin1').decode(await file.arrayBuffer());
    if (!text.startsWith('From ')) { all.push({ name: file.name, body: file }); continue; }
    const starts = [...text.matchAll(/(^|\n\r?\n)From [^\n]*\n/g)];
    starts.forEach((m, i) => {
      const mail = text.slice(m.index + m[0].length, i + 1 < starts.length ? starts[i + 1].index + 1 : undefined);
      // A mailbox puts > before From at the start of a line.
      all.push({ name: `${file.name} ${i + 1}`, body: Uint8Array.from(mail.replace(/^>(>*From )/gm, '$1'), c => c.charCodeAt(0)) });
    });
  }
  return all;
}

export function Learn() {
  const [flag, setFlag] = useState('1');
  const [weight, setWeight] = useState('10');
  const [list, set] = useState([]);
  const [total, setTotal] = useState(0);
  const [chosen, choose] = useState([]);
  const [{ data: storages }] = useData(() => api('/plugins/fuzzy/storages'), []);
  if (session.access !== 'change') return html`<h1>Learn</h1><${Empty}>Your password may only read. Sign in with enable_password to learn.</${Empty}>`;
  const learn = async () => {
    const work = chosen;
    choose([]); setTotal(work.length); set([]);
    for (const { name, body } of work) {
      const out = await post('/fuzzyadd', {}, body, { Flag: flag, Weight: weight }).then(json => ({ name, json }), error => ({ name, error, json: error.json }));
      set(old => [...old, out]);
    }
  };
  const bad = list.filter(x => x.error).length;
  const digests = [...new Set(list.flatMap(x => x.error ? [] : x.json.hashes))];
  const symbols = Object.values(storages?.storages || {}).flatMap(s => Object.entries(s.flags)).sort((a, b) => a[1] - b[1]);
  return html`<h1>Learn</h1><section class="card"><div class="row"><label>Flag<input name="flag" type="number" min="1" list="flags" value=${flag} onInput=${e => setFlag(e.target.value)}/></label>
      <datalist id="flags">${symbols.map(([name, n]) => html`<option value=${n}>${name}</option>`)}</datalist>
      <label>Weight<input name="weight" type="number" value=${weight} onInput=${e => setWeight(e.target.value)}/></label></div>
    ${symbols.length > 0 && html`<p class="note" data-part="symbols">Flags of the rules: ${symbols.map(([name, n]) => `${n} ${name}`).join(', ')}</p>`}
    <${Drop} label="Drop mails or a mailbox file here, or choose files" multiple onFiles=${files => mails(files).then(choose)}/>
    <p><button class="main" disabled=${!chosen.length} onClick=${learn}>${chosen.length ? 'Learn ' + count(chosen.length, 'mail') : 'Learn'}</button></p></section>
    ${total > 0 && html`<section class="card"><p role="status">${list.length} of ${total} done, ${bad} failed</p><progress aria-label="Mails" max=${total} value=${list.length}></progress>
    ${list.length === total && digests.length > 0 && html`<p><a href=${'#undo?' + digests.slice(0, 400).join(',')}>Undo: remove ${digests.length === 1 ? 'this hash' : 'these ' + count(digests.length, 'hash')} from all lists</a></p>`}
    <div class="scroll" tabindex="0" role="region" aria-label="Outcomes"><table><thead><tr><th>Mail</th><th>Outcome</th><th>Rules and servers</th></tr></thead><tbody>${list.slice(-200).map(x => html`<tr><td>${x.name}</td>
      <td class=${x.error ? 'bad' : 'good'}>${x.error ? '✗ ' + x.error.message : '✓ ' + count(x.json.hashes.length, 'hash')}</td>
      <td>${(x.json?.rules || []).map(r => html`<div>${r.rule}: ${r.decision}${r.reason ? ', ' + r.reason : ''} ${r.servers.map(s => `${s.server} ${s.status} ${s.confirmed}/${s.total}`).join(', ')}</div>`)}</td></tr>`)}</tbody></table></div></section>`}`;
}
