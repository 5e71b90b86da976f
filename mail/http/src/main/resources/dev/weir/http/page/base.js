// What all pages share: requests with the session's token, numbers, times, small components.
import { html, useState, useEffect, useRef } from './htm-preact.js';

export const session = { access: 'none', token: '', by_password: false, version: '' };
let onLost = () => {};
export const whenLost = then => { onLost = then; };

export async function api(path, query = {}, options = {}) {
  const text = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== '' && v != null)).toString();
  let reply;
  try {
    reply = await fetch(path + (text ? '?' + text : ''), {
      ...options, headers: { ...options.headers, ...(options.method === 'POST' ? { 'X-Weir-Token': session.token } : {}) },
    });
  } catch {
    throw new Error('The storage does not answer. It may be restarting; this page tries again.');
  }
  const json = await reply.json().catch(() => ({}));
  if (reply.status === 401) onLost();
  if (!reply.ok) throw Object.assign(new Error(json.error || reply.statusText || 'error ' + reply.status), { json });
  return json;
}
export const post = (path, query, body, headers) => api(path, query, { method: 'POST', body, headers });

const whole = new Intl.NumberFormat();
export const number = n => whole.format(Math.round(n));
export const short = n => new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(n);
export const count = (n, one) => number(n) + ' ' + one + (n === 1 ? '' : one.endsWith('h') ? 'es' : 's');
export const micros = n => n >= 1e6 ? (n / 1e6).toFixed(n < 1e7 ? 1 : 0) + ' ms' : (n / 1e3).toFixed(0) + ' µs';
const clock = (dated, yeared) => new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit',
  ...(dated && { month: 'short', day: 'numeric' }), ...(yeared && { year: 'numeric' }) });
const precise = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const clocks = [clock(), clock(true), clock(true, true)];
// A day of today and a year of now go without saying, so that columns stay narrow; the exact time is on hover.
const brief = (at, now) => clocks[at.getFullYear() !== now.getFullYear() ? 2 : at.toDateString() !== now.toDateString() ? 1 : 0].format(at);
// The same for a time in seconds on the axis of a chart whose marks are so many seconds apart.
export const mark = (seconds, apart) => (apart < 60 ? precise : apart < 86400 ? clocks[0] : day).format(new Date(seconds * 1000));
export const dated = seconds => clocks[2].format(new Date(seconds * 1000));
export const Time = ({ at }) => at ? html`<time datetime=${new Date(at).toISOString()}
  title=${new Date(at).toISOString()}>${brief(new Date(at), new Date())}</time>` : '–';
export const Digest = ({ hex }) => html`<code class="digest" title=${hex}>${hex.slice(0, 16)}…</code>`;
export const Sample = ({ of }) => of ? html`<div class="sample" title=${of.words}><b>${of.subject}</b> ${of.words}</div>` : null;
export const Problem = ({ error }) => error ? html`<p role="alert" class="bad">${error.message}</p>` : null;
export const Empty = ({ children }) => html`<p class="note">${children}</p>`;

export function useData(load, inputs, every) {
  const [state, set] = useState({});
  useEffect(() => {
    let live = true;
    const run = () => load().then(data => live && set({ data }), error => live && set(old => ({ ...old, error })));
    run();
    const timer = every && setInterval(run, every);
    return () => { live = false; clearInterval(timer); };
  }, inputs);
  return [state, set];
}

export const Spark = ({ values }) => {
  const most = Math.max(1, ...values);
  const path = values.map((v, i) => `${i ? 'L' : 'M'}${(i / Math.max(1, values.length - 1) * 158 + 1).toFixed(1)} ${
    (30 - v / most * 28).toFixed(1)}`).join('');
  return html`<svg class="spark" viewBox="0 0 160 32" preserveAspectRatio="none" role="img" aria-label=${'curve, at most ' + number(most)}><path d=${path}/></svg>`;
};

export function Drop({ label, onFiles, multiple }) {
  const [over, set] = useState(false);
  const input = useRef();
  return html`<div class=${'drop' + (over ? ' over' : '')} onDragOver=${e => { e.preventDefault(); set(true); }}
    onDragLeave=${() => set(false)} onDrop=${e => { e.preventDefault(); set(false); onFiles([...e.dataTransfer.files]); }}>
    <label>${label}<input ref=${input} type="file" multiple=${multiple} onChange=${e => onFiles([...e.target.files])}/></label></div>`;
}

export const Changes = ({ list }) => list.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Changes"><table>
  <thead><tr><th>When</th><th>Change</th><th class="n">Flag</th><th class="n">Weight</th><th>From</th><th>User</th><th>Mail</th></tr></thead>
  <tbody>${list.map(c => html`<tr key=${c.revision}><td><${Time} at=${c.time}/></td><td>${c.change}</td><td class="n">${c.flag}</td>
    <td class="n">${c.weight}</td><td>${c.client || c.from}${c.key ? html`<br/><code>${c.key}</code>` : ''}</td><td>${c.user}</td><td>${c.message_id}</td></tr>`)}
  </tbody></table></div>` : html`<${Empty}>The audit trail has no change of this hash. It may have been imported.</${Empty}>`;
