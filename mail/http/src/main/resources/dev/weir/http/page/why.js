// Why: a mail or a digest explained; two mails side by side.
import { html, useState, useEffect } from './htm-preact.js';
import { api, post, number, count, useData, Problem, Empty, Drop, Digest, Changes, Sample, session } from './base.js';

const Hash = ({ of }) => html`<div class="row"><${Digest} hex=${of.digest}/>
    <span>${of.stored ? of.flags.map(f => `flag ${f.flag}: ${number(f.value)}`).join(', ') : 'no longer stored'}</span>
    <span class="note">${count(of.hits_hour, 'hit')} in the last hour, ${number(of.hits_day)} in the last day</span>
    ${of.skipped && html`<span class="bad">on the skip list</span>`}
    ${session.access === 'change' && of.stored && html`<a href=${'#undo?' + of.digest}>Forget it</a>
      <a href=${'#access?' + of.digest}>Put it on the skip list</a>`}</div><${Sample} of=${of.sample}/><${Changes} list=${of.changes}/>`;

const Slots = ({ equal }) => html`<div class="slots" role="img" aria-label=${equal.length + ' of 32 shingles are equal'}>
  ${Array.from({ length: 32 }, (_, i) => html`<i class=${equal.includes(i) ? 'on' : ''}></i>`)}</div>`;

const Match = ({ of }) => html`<section class="card"><h2>${of.symbol}: flag ${of.flag}, ${of.exact ? 'the same digest'
    : (of.probability * 100).toFixed(0) + ' % of the shingles'}</h2>
  <p>${of.curve} curve: base ${of.base?.toFixed(3)} (value ${number(of.value)}, limit ${of.limit}) × certainty ${of.certainty?.toFixed(3)} = ${of.score.toFixed(3)}, × weight ${of.weight} = <b>${(of.score * of.weight).toFixed(2)}</b>.
    With this hash on the skip list the mail would score ${of.without?.toFixed(2)}.</p>
  ${of.needed && html`<p data-part="needed">${of.equal_shingles ? of.equal_shingles.length : Math.round(of.probability * 32)} of 32 shingles are equal; a match by ${of.type} needs ${of.needed}.</p>`}
  ${of.equal_shingles && html`<${Slots} equal=${of.equal_shingles}/>`}<p class="note">rule ${of.rule}, asked ${of.server}, as ${of.type}</p>
  <${Hash} of=${of.hash}/></section>`;

const reason = r => r.kind + ': ' + r.reason.replaceAll('_', ' ') + (r.needed ? ` (${number(r.actual)}, needs ${number(r.needed)})` : '');

const Part = ({ of }) => html`<tr><td>${of.part}</td><td>${of.type}${of.name ? html`<br/>${of.name}` : ''}</td><td class="n">${number(of.bytes)}</td>
  <td>${of.hashes.map(h => html`<div>${h.kind} <${Digest} hex=${h.digest}/></div>`)}</td><td>${of.refused.map(r => html`<div>${reason(r)}</div>`)}</td>
  <td class="words">${(of.words || []).slice(0, 40).join(' ')}</td></tr>`;

const words = rule => rule.parts.flatMap(p => p.words || []).slice(0, 400);
const Side = ({ of, than, score }) => html`<div><h3><bdi>${of.subject || 'Without a subject'}</bdi>: score ${score.toFixed(2)}</h3>
  ${of.parts.map(p => p.hashes.map(h => html`<div>${p.part}: ${h.kind} <${Digest} hex=${h.digest}/></div>`))}
  <p>${words(of).map(w => than.has(w) ? w + ' ' : html`<mark>${w}</mark> `)}</p></div>`;
const Sides = ({ one, other, scores }) => other ? html`<h3>Side by side under rule ${one.rule}; words of one mail only are marked</h3><div class="two">
  <${Side} of=${one} than=${new Set(words(other))} score=${scores[0]}/><${Side} of=${other} than=${new Set(words(one))} score=${scores[1]}/></div>` : null;

// The action of a score, and the score from which each action follows.
const Action = ({ of, score }) => {
  const set = of.filter(a => a.value != null).sort((a, b) => b.value - a.value);
  const taken = set.find(a => score >= a.value);
  return set.length ? html`<p data-part="action">Action: <b>${taken ? taken.action : 'no action'}</b> <span class="note">(${set.map(a => `${a.action} from ${a.value.toFixed(2)}`).join(', ')})</span></p>` : null;
};

export function Why({ argument }) {
  const [query, setQuery] = useState(argument);
  const [state, set] = useState({});
  const [other, setOther] = useState();
  const [mail, setMail] = useState();
  const run = work => { set({ busy: true }); work.then(r => set(r), error => set({ error })); };
  const find = q => q && run(api('/api/find', { q }).then(found => ({ found })));
  useEffect(() => { setQuery(argument); find(argument); }, [argument]);
  const explain = ([file]) => { if (file) { setMail(file); setOther(); run(post('/api/why', {}, file).then(why => ({ why }))); } };
  const compare = ([file]) => file && Promise.all([post('/api/compare', { first: mail.size }, new Blob([mail, file])), post('/api/why', {}, file)])
    .then(([same, its]) => setOther({ ...same, its }), problem => setOther({ problem }));
  const [{ data: actions = [] }] = useData(() => api('/actions'), []);
  const { why, found, error, busy } = state;
  return html`<h1>Why?</h1><div class="two"><section class="card"><h2>A mail</h2><${Drop} label="Drop a mail here, or choose a file" onFiles=${explain}/></section>
    <form class="card" onSubmit=${e => { e.preventDefault(); find(query); }}><h2>A digest, a symbol’s option or a Message-ID</h2>
      <div class="row"><label class="grow">Such as 1:4a3146bfc8:0.94:txt<input value=${query} onInput=${e => setQuery(e.target.value)}/></label>
      <button class="main">Search</button></div></form></div>
    <${Problem} error=${error}/>${busy && html`<p role="status">Working…</p>`}
    ${found && (found.hashes.length ? found.hashes.map(h => html`<section class="card" key=${h.digest}><${Hash} of=${h}/></section>`)
      : html`<${Empty}>Nothing is stored under this, and the audit trail has nothing. Check the digits, or drop the mail itself.</${Empty}>`)}
    ${why && html`<section class="card" data-result="why"><h2><bdi>${why.rules[0]?.subject || 'The mail'}</bdi>: score ${why.score.toFixed(2)}</h2>
      ${why.not_hashed && html`<p class="bad">Not hashed: ${why.not_hashed}</p>`}${why.failures.map(f => html`<p class="bad">${f}</p>`)}
      <${Action} of=${actions} score=${why.score}/>
      ${why.symbols.map(s => html`<p><b>${s.name}</b> ${s.score.toFixed(2)} <code>${s.options.join(', ')}</code></p>`)}
      ${!why.matches.length && html`<${Empty}>No match. If it should match, compare it with the learned mail below.</${Empty}>`}</section>
      ${why.matches.map(m => html`<${Match} of=${m}/>`)}
      ${why.rules.map(r => html`<section class="card scroll" tabindex="0" aria-label=${'Parts under rule ' + r.rule}><h2>Parts under rule ${r.rule}</h2><table><thead><tr><th>Part</th><th>Type</th>
        <th class="n">Bytes</th><th>Hashed as</th><th>Not as</th><th>Words</th></tr></thead><tbody>${r.parts.map(p => html`<${Part} of=${p}/>`)}</tbody></table></section>`)}
      <section class="card" data-part="compare"><h2>Compare with another mail</h2><${Drop} label="Drop the other mail" onFiles=${compare}/>
        <${Problem} error=${other?.problem}/>${other?.its && why.rules.map((r, i) => html`<${Sides} key=${r.rule} one=${r} other=${other.its.rules[i]} scores=${[why.score, other.its.score]}/>`)}
        ${other?.rules && other.rules.map(r => html`<div><b>${r.rule}</b> ${r.matches.map(m => html`<p>part ${m.part} as ${m.kind}: ${m.found ? 'would be found' : 'would not be found'}, ${''}
          ${m.same_digest ? 'same digest' : m.equal_shingles.length + ` of 32 shingles are equal; a match needs ${m.needed}`}</p><${Slots} equal=${m.equal_shingles}/>`)}</div>`)}</section>`}`;
}
