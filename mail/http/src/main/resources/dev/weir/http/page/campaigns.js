// Campaigns: the hashes that match most, by family of near duplicates.
import { html, useState } from './htm-preact.js';
import { api, number, useData, Problem, Empty, Spark, Time, Digest, Sample } from './base.js';

const LEARNERS = 3;

export function Campaigns() {
  const [by, set] = useState('hour');
  const [{ data, error }] = useData(() => api('/api/campaigns', { by }), [by], 10000);
  return html`<div class="row"><h1 class="grow">Campaigns</h1><div class="row" role="group" aria-label="Order">
      ${['hour', 'day'].map(id => html`<button key=${id} aria-pressed=${by === id} onClick=${() => set(id)}>Last ${id}</button>`)}</div></div>
    <${Problem} error=${error}/>
    ${data && data.families.length > 0 && data.families.every(f => !f.sample) && html`<${Empty}>Only digests are stored. To see subjects and words of a campaign here,
      set <code>word_samples = 7d</code> in the storage: it keeps the first words of mails for that time.</${Empty}>`}
    <section class="card scroll" tabindex="0" aria-label="Families">${data && (data.families.length ? html`<table class="narrow"><thead><tr><th class="n">Hits, hour</th>
      <th class="n">Hits, day</th><th>Curve</th><th class="n">Hashes</th><th>Most frequent</th><th>Flags</th><th>Learned by</th><th>Seen</th><th>Next</th></tr></thead>
      <tbody>${data.families.map(f => html`<tr key=${f.digest}><td class="n" data-label="Hits, hour">${number(f.hour)}</td><td class="n" data-label="Hits, day">${number(f.day)}</td>
        <td class="across"><${Spark} values=${f.curve}/></td><td class="n" data-label="Hashes">${f.members}</td><td class="across first"><${Digest} hex=${f.digest}/><${Sample} of=${f.sample}/></td>
        <td class="across" data-label="Flags">${f.flags.map(x => html`<div class="whole" key=${x.flag}>${x.flag}: ${number(x.value)}</div>`)}</td><td class="names across" data-label="Learned by">${f.learners.slice(0, LEARNERS).map(who => html`<div><bdi>${who}</bdi></div>`)}
          ${f.learners.length > LEARNERS && html`<div class="note">and ${number(f.learners.length - LEARNERS)} more</div>`}</td><td class="whole across" data-label="Seen"><${Time} at=${f.first}/> to <br/><${Time} at=${f.last}/></td>
        <td class="across"><a href=${'#why?' + f.digest}>Explain</a> <a href=${'#undo?' + f.digests.join(',')}>Forget</a></td></tr>`)}</tbody></table>`
    : html`<${Empty}>No hash matched in the last ${by}. Campaigns appear as soon as a check finds something that was learned.</${Empty}>`)}</section>`;
}
