// The frame: session, navigation by the part of the address behind #, themes.
import { html, render, useState, useEffect, useRef } from './htm-preact.js';
import { api, session, whenLost } from './base.js';
import { Now } from './now.js';
import { Waves } from './waves.js';
import { Campaigns } from './campaigns.js';
import { Why } from './why.js';
import { Undo } from './undo.js';
import { Access } from './access.js';
import { Learn } from './learn.js';

const PAGES = { now: ['Now', Now], waves: ['Waves', Waves], campaigns: ['Campaigns', Campaigns], why: ['Why?', Why], undo: ['Undo', Undo],
  access: ['Access', Access], learn: ['Learn', Learn] };

const decode = text => { try { return decodeURIComponent(text); } catch { return text; } };
const place = () => {
  const [page, argument = ''] = location.hash.slice(1).split('?');
  return { page: Object.hasOwn(PAGES, page) ? page : 'now', argument: decode(argument) };
};

function Login({ done, ended }) {
  const [error, set] = useState('');
  const enter = async e => {
    e.preventDefault();
    const reply = await fetch('/api/login', { method: 'POST', headers: { Password: e.target.password.value } }).catch(() => null);
    if (!reply) return set('The storage does not answer.');
    const json = await reply.json().catch(() => ({}));
    if (!reply.ok) return set(reply.status === 401 ? 'This password is wrong.' : json.error || reply.statusText);
    Object.assign(session, json);
    done();
  };
  return html`<main><form class="card login" onSubmit=${enter}><h1>Weir</h1><p>${ended ? 'The session has ended. Sign in again.' : 'Sign in with password or enable_password of the configuration.'}</p>
    <div class="row"><input name="username" value="weir" autocomplete="username" hidden/><label class="grow">Password<input name="password" type="password" autocomplete="current-password" required autofocus/></label><button class="main">Sign in</button></div>
    ${error && html`<p role="alert" class="bad">${error}</p>`}</form></main>`;
}

function App() {
  const [state, set] = useState('wait');
  const [at, setAt] = useState(place);
  const [theme, setTheme] = useState(localStorage.getItem('theme') || 'system');
  const ask = () => api('/api/session').then(json => { Object.assign(session, json); set(json.access === 'none' ? 'login' : 'open'); }, () => setTimeout(ask, 3000));
  useEffect(() => { ask(); whenLost(() => set('ended')); const move = () => setAt(place()); addEventListener('hashchange', move); return () => removeEventListener('hashchange', move); }, []);
  useEffect(() => { localStorage.setItem('theme', theme); document.documentElement.dataset.theme = theme; }, [theme]);
  const turned = useRef(false);
  useEffect(() => {
    document.title = PAGES[at.page][0] + ' – Weir';
    // The keyboard and a screen reader go on at the new page, not at the end of the navigation.
    const heading = turned.current && document.querySelector('main h1');
    if (heading) { heading.tabIndex = -1; heading.focus(); }
    turned.current = true;
  }, [at.page]);
  if (state === 'wait') return html`<main><p role="status">Connecting to the storage…</p></main>`;
  if (state !== 'open') return html`<${Login} done=${() => set('open')} ended=${state === 'ended'}/>`;
  const Page = PAGES[at.page][1];
  const leave = () => fetch('/api/logout', { method: 'POST' }).finally(() => set('login'));
  return html`<header><span class="brand"><img src="/page/icon.svg" alt=""/>Weir</span>
    <nav aria-label="Pages">${Object.entries(PAGES).map(([id, [name]]) => html`<a key=${id} href=${'#' + id} aria-current=${at.page === id ? 'page' : undefined}>${name}</a>`)}</nav>
    <label class="row">Theme<select value=${theme} onChange=${e => setTheme(e.target.value)}>${['system', 'light', 'dark'].map(t => html`<option key=${t} value=${t}>${t}</option>`)}</select></label>
    ${session.by_password && html`<button onClick=${leave}>Sign out</button>`}</header><main><${Page} key=${at.page} argument=${at.argument}/></main>`;
}

document.getElementById('app').replaceChildren();
render(html`<${App}/>`, document.getElementById('app'));
