// Now: the figures, live by server-sent events, and their history.
import uPlot from './uplot.js';
import { html, useState, useEffect, useRef } from './htm-preact.js';
import { api, number, count, short, micros, mark, dated, useData, Problem, Empty } from './base.js';

const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00'];

function Chart({ data, names, title, show }) {
  const box = useRef();
  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const text = getComputedStyle(box.current).color;
    const line = style.getPropertyValue('--line');
    const size = () => ({ width: Math.max(200, box.current.clientWidth), height: 200 });
    const axis = { stroke: text, grid: { stroke: 'rgba(128,128,128,.25)', width: 1 }, ticks: { stroke: 'rgba(128,128,128,.25)' } };
    const plot = new uPlot({
      ...size(), series: [{ value: (_, v) => v == null ? '–' : dated(v) }, ...names.map((label, i) => ({ label, stroke: COLORS[i], width: 2, dash: i ? [6, 2 * i] : [],
        value: (_, v) => v == null ? '–' : show(v), points: { show: data[0].length < 3 } }))],
      axes: [{ ...axis, space: 80, values: (_, times, __, ___, apart) => times.map(t => mark(t, apart)) }, { ...axis, size: 72, values: (_, all) => all.map(show) }], scales: { y: { range: (_, a, b) => [0, b || 1] } },
    }, data, box.current);
    const resize = new ResizeObserver(() => plot.setSize(size()));
    resize.observe(box.current);
    return () => { resize.disconnect(); plot.destroy(); };
  }, [data]);
  return html`<section class="card"><h2>${title}</h2><div class="chart" ref=${box} role="img" aria-label=${title}></div></section>`;
}

const Tile = ({ name, value, title }) => html`<div class="card tile" title=${title}><span>${name}</span><b>${value}</b></div>`;

const COUNTS = [['checked', 'Checked'], ['matched', 'Matched'], ['added', 'Learned'], ['deleted', 'Deleted']];
// Each column has the sum since the start and, below, what the last seconds brought a second.
const Counts = ({ of, before, seconds, first }) => html`<table><thead><tr><th>${first}</th>${COUNTS.map(([id, title]) => html`<th class="n" key=${id}>${title}</th>`)}</tr></thead>
  <tbody>${Object.entries(of).map(([name, c]) => html`<tr key=${name}><td>${name}</td>${COUNTS.map(([id]) => html`<td class="n" key=${id}>${number(c[id])}
  <div class="note">${rate(c[id] - (before[name]?.[id] ?? 0), seconds)}</div></td>`)}</tr>`)}</tbody></table>`;

const bytes = n => n < 1e9 ? (n / 1e6).toFixed(1) + ' MB' : (n / 1e9).toFixed(1) + ' GB';
const updates = n => html`${number(n)} <small>${n === 1 ? 'update' : 'updates'}</small>`;
const rate = (n, seconds) => number(Math.max(0, n) / seconds) + ' /s';

const PARTS = { leader: 'This node leads', follower: 'This node follows', fenced: 'Another node leads under a higher epoch' };
const ago = s => s < 90 ? number(s) + ' s ago' : number(s / 60) + ' min ago';
const Nodes = ({ of }) => html`<section class="card scroll" tabindex="0" aria-label="Nodes"><h2>Nodes</h2><p>${PARTS[of.part] || of.part}, epoch <code>${of.epoch}</code></p>
  ${of.leader && html`<p class=${of.leader.failure ? 'bad' : ''}>Leader ${of.leader.address}: ${of.leader.behind != null && !of.leader.held ? `${number(of.leader.behind)} updates behind, ${number(of.leader.lag)} s` : 'distance not known'}${
    of.leader.copied != null ? `, copied ${number(of.leader.copied)} of ${number(of.leader.of)}` : ''}${of.leader.failure ? '. ' + of.leader.failure : ''}</p>`}
  ${of.followers.length > 0 && html`<table><thead><tr><th>Follower</th><th>State</th><th class="n">Updates behind</th><th>Asked</th></tr></thead><tbody>${of.followers.map(f => html`<tr key=${f.name}><td>${f.name}</td>
    <td class=${f.present ? 'good' : 'bad'}>${f.copying ? '● copies' : f.present ? '● follows' : '▲ silent'}</td><td class="n">${f.behind != null ? number(f.behind) : '–'}</td><td>${f.silent != null ? ago(f.silent) : 'not since the start'}</td></tr>`)}</tbody></table>`}</section>`;

const Consumers = ({ of }) => html`<section class="card scroll" tabindex="0" aria-label="Consumers"><h2>What follows the update log</h2><table><thead><tr><th>Consumer</th><th>State</th><th class="n">Updates behind</th><th class="n">Lag</th></tr></thead><tbody>${of.map(c => html`<tr key=${c.name}><td>${c.name}</td>
  <td class=${c.state === 'running' ? 'good' : 'bad'}>${c.state === 'running' ? '● running' : '▲ ' + c.state}${c.failure ? `, failed ${ago(c.failed)}: ${c.failure}` : ''}</td><td class="n">${number(c.behind)}</td><td class="n">${number(c.lag)} s</td></tr>`)}</tbody></table></section>`;

const Mirrors = ({ of }) => html`<section class="card scroll" tabindex="0" aria-label="Mirrors"><h2>Mirrors</h2>
  ${of.slaves.length > 0 && html`<table><thead><tr><th>Slave</th><th>State</th><th class="n">Updates behind</th></tr></thead><tbody>${of.slaves.map(s => html`<tr key=${s.name}><td>${s.name}</td>
    <td class=${s.failure ? 'bad' : s.heard ? 'good' : ''}>${s.failure ? '▲ ' + s.failure : s.heard ? '● follows' : 'not heard from since the start'}</td><td class="n">${number(s.behind)}</td></tr>`)}</tbody></table>`}
  ${of.sources && html`<table><thead><tr><th>Master</th><th class="n">Last batch</th></tr></thead><tbody>${Object.entries(of.sources).map(([name, n]) => html`<tr key=${name}><td>${name}</td><td class="n">${number(n)}</td></tr>`)}</tbody></table>`}</section>`;

// What the milter and the traps did, from the metrics of this server: they are workers of their own.
async function fronts() {
  const reply = await fetch('/metrics');
  const found = {};
  const wanted = /^weir_(milter_mails|milter_mails_unscanned|trap_mails|trap_campaigns|trap_campaigns_held)(?:_total)?(?:\{\w+="([^"]*)"\})? (\S+)/gm;
  for (const [, name, label, value] of reply.ok ? (await reply.text()).matchAll(wanted) : []) (found[name] ||= []).push([label, Number(value)]);
  return found;
}
const mails = list => list.reduce((all, [, n]) => all + n, 0);
const Outcomes = ({ of }) => html`<table><tbody>${of.filter(([, n]) => n > 0).map(([name, n]) => html`<tr key=${name}><td>${name.replaceAll('_', ' ')}</td><td class="n">${count(n, 'mail')}</td></tr>`)}</tbody></table>`;
const Milter = ({ of, unscanned }) => html`<section class="card" data-part="milter"><h2>Milter since the start</h2>${mails(of) + mails(unscanned)
  ? html`<p>${count(mails(of), 'mail')} scanned${mails(unscanned) ? `, ${number(mails(unscanned))} not or not completely` : ''}</p><${Outcomes} of=${of}/>`
  : html`<${Empty}>No mail yet. Point smtpd_milters of Postfix at the milter.</${Empty}>`}</section>`;
const Traps = ({ of, campaigns, held }) => html`<section class="card" data-part="traps"><h2>Traps since the start</h2>
  <p>${count(mails(of), 'mail')}, ${count(campaigns, 'campaign')} remembered, ${number(held)} of them held back until more sources send them</p>
  ${mails(of) ? html`<${Outcomes} of=${of}/>` : html`<${Empty}>No mail yet. Send one to a trap.</${Empty}>`}</section>`;

export function Now() {
  const [pair, setPair] = useState([]);
  const [lost, setLost] = useState(false);
  const [span, setSpan] = useState('hour');
  const [{ data: past, error }] = useData(() => api('/api/history', { span }), [span], 10000);
  const [{ data: front = {} }] = useData(fronts, [], 10000);
  useEffect(() => {
    const events = new EventSource('/api/events');
    const take = json => { setLost(false); setPair(old => [old[1] || json, json]); };
    let timer;
    events.onmessage = e => take(JSON.parse(e.data));
    events.onerror = () => { setLost(true); timer ||= setInterval(() => events.readyState !== EventSource.OPEN
      && api('/api/now').then(take, () => setLost(true)), 3000); };
    return () => { events.close(); clearInterval(timer); };
  }, []);
  const [before, now] = pair;
  if (!now) return html`<h1>Now</h1><${Empty}>Waiting for the first figures.</${Empty}>`;
  const seconds = Math.max(1, (now.time - before.time) / 1000);
  const speed = f => number(Math.max(0, f(now) - f(before)) / seconds);
  const figures = past && past.figures;
  const times = past && past.times.map(t => t / 1000);
  const per = name => figures[name].map(v => v / past.step);
  // Without checks there are no answer times.
  const answered = name => figures[name].map((v, i) => figures.checks[i] > 0 ? v : null);
  const idle = now.checks === before.checks;
  const time = v => idle ? '–' : micros(v);
  return html`<div class="row"><h1 class="grow">Now</h1><span role="status" class=${lost ? 'bad' : now.healthy ? 'good' : 'bad'}>
      ${lost ? '▲ The storage does not answer; trying again' : now.healthy ? '● Healthy' : '▲ Needs attention'}</span></div>
    ${now.reasons.map(r => html`<p role="alert" class="card bad">${r}</p>`)}
    <div class="tiles"><${Tile} name="Checks a second" value=${speed(n => n.checks)}/>
      <${Tile} name="Hits a second" value=${speed(n => n.exact_hits + n.similar_hits)}/>
      <${Tile} name="Learned a second" value=${speed(n => n.learns)}/><${Tile} name="Hashes" value=${short(now.hashes)} title=${number(now.hashes)}/>
      <${Tile} name="Median answer" title=${idle ? "No check in the last seconds" : ""} value=${time(now.p50)}/><${Tile} name="99 % within" value=${time(now.p99)}/>
      <${Tile} name="99.9 % within" value=${time(now.p999)}/><${Tile} name="Waiting for disk" value=${updates(now.queued)}/>
      <${Tile} name="Store behind by" value=${updates(now.pending)}/><${Tile} name="Update log" value=${bytes(now.log_bytes)}/>
      ${now.unsent != null && html`<${Tile} name="Not yet shared" value=${updates(now.unsent)}/>`}
      ${now.mirror_lag != null && html`<${Tile} name="Mirror behind by" value=${updates(now.mirror_lag)}/>`}</div>
    <div class="row" role="group" aria-label="Span of the curves">${[['hour', 'Hour'], ['day', 'Day'], ['quarter', '90 days']].map(([id, name]) =>
      html`<button key=${id} aria-pressed=${span === id} onClick=${() => setSpan(id)}>${name}</button>`)}</div>
    <${Problem} error=${error}/>
    ${figures && times.length > 0 && html`<div class="two">
      <${Chart} title="Checks, hits and learns a second" names=${['checks', 'hits', 'learns']} show=${short} data=${[times, per('checks'), per('hits'), per('learns')]}/>
      <${Chart} title="Answer times" names=${['median', '99 %', '99.9 %']} show=${micros} data=${[times, answered("p50"), answered("p99"), answered("p999")]}/>
      <${Chart} title="Refused and dropped a second" names=${['refused', 'dropped']} show=${short} data=${[times, per('refused'), per('dropped')]}/>
      <${Chart} title="Hashes" names=${['hashes']} show=${short} data=${[times, figures.hashes]}/></div>`}
    <div class="two"><section class="card scroll" tabindex="0" aria-label="Lists"><h2>Lists since the start</h2>${Object.keys(now.flags).length
      ? html`<${Counts} of=${now.flags} before=${before.flags} seconds=${seconds} first="Flag"/>` : html`<${Empty}>No checks or learns yet. Learn a mail under Learn.</${Empty}>`}</section>
    <section class="card scroll" tabindex="0" aria-label="Clients"><h2>Busiest clients</h2>${Object.keys(now.clients).length ? html`<${Counts} of=${now.clients} before=${before.clients} seconds=${seconds} first="Address"/>`
      : html`<${Empty}>No client yet. Point a fuzzy_check rule of Rspamd at this storage.</${Empty}>`}</section>
    ${front.milter_mails_unscanned && html`<${Milter} of=${front.milter_mails || []} unscanned=${front.milter_mails_unscanned}/>`}
    ${front.trap_mails && html`<${Traps} of=${front.trap_mails} campaigns=${mails(front.trap_campaigns || [])} held=${mails(front.trap_campaigns_held || [])}/>`}
    <${Consumers} of=${now.consumers}/>
    ${now.node && html`<${Nodes} of=${now.node}/>`}
    ${now.mirrors && html`<${Mirrors} of=${now.mirrors}/>`}
    <section class="card"><h2>Refused and dropped since the start</h2>${Object.keys(now.refusals).length ? html`<table><tbody>${
      Object.entries(now.refusals).map(([name, n]) => html`<tr key=${name}><td>${name}</td><td class="n">${number(n)}</td></tr>`)}</tbody></table>`
      : html`<${Empty}>Nothing was refused.</${Empty}>`}</section></div>`;
}
