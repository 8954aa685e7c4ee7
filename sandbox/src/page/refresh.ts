/**
 * The page's only script; its hash is in the page's policy. It loads the page again and changes only what
 * changed: pictures stay loaded, and what is open, focused, selected or scrolled to stays so.
 */
export const REFRESH_SCRIPT = `
'use strict';
const EVERY_MS = 2000;
const button = document.getElementById('pause');
const state = document.getElementById('state');
let paused = false;
let last = '';

function become(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    // Whether details are open is the reader's.
    if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  becomeChildren(old, fresh);
}

function becomeChildren(old, fresh) {
  const named = new Map([...old.children].filter(({ id }) => id).map((child) => [child.id, child]));
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const unnamed = at && !at.id && !next.id && at.nodeName === next.nodeName ? at : undefined;
    const kept = next.id ? named.get(next.id) : unnamed;
    if (!kept) {
      old.insertBefore(next, at);
      continue;
    }
    if (kept === at) at = at.nextSibling;
    else old.insertBefore(kept, at);
    become(kept, next);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

async function refresh() {
  if (!paused && !document.hidden) {
    try {
      const text = await (await fetch(location.pathname)).text();
      if (!paused && text !== last) {
        const fresh = new DOMParser().parseFromString(text, 'text/html');
        become(document.querySelector('main'), fresh.querySelector('main'));
        last = text;
      }
      showState('');
    } catch {
      showState('The sandbox does not answer.');
    }
  }
  setTimeout(refresh, EVERY_MS);
}

function showState(text) {
  const shown = paused ? 'Paused.' : text;
  if (state.textContent !== shown) state.textContent = shown;
}

button.addEventListener('click', () => {
  paused = !paused;
  button.textContent = paused ? 'Resume' : 'Pause';
  showState('');
});
button.hidden = false;
refresh();
`;
