/** The page's only style sheet; its hash is in the page's policy. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f7f7f5; --card: #fff; --ink: #1d1f24; --soft: #62676f; --line: #e0e1dd; --link: #1756a9;
  --good: #17693a; --good-ground: #dff3e6; --bad: #a51d24; --bad-ground: #fce4e4;
  --busy: #7a4b00; --busy-ground: #fdefd2; --plain-ground: #ecedea;
  --check: #e4e5e1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15171a; --card: #1e2125; --ink: #e9eaec; --soft: #9ba1aa; --line: #32363c; --link: #8dbaff;
    --good: #84dba5; --good-ground: #163a25; --bad: #ff9c9c; --bad-ground: #4a1d20;
    --busy: #ffd48a; --busy-ground: #43310f; --plain-ground: #2c3036;
    --check: #2c3036;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
body > header, main { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
body > header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding-block: 1.25rem .25rem; }
h1 { font-size: 1.35rem; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 1.05rem; margin: 2.25rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
small, .none, dt, figcaption, #state { color: var(--soft); font-size: .85rem; font-weight: 400; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; flex: 1 1 16rem; }
nav a { white-space: nowrap; }
a { color: var(--link); text-underline-offset: .15em; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
button { font: inherit; font-size: .85rem; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: .3rem .8rem; cursor: pointer; }
button:hover { border-color: var(--soft); }
code, pre { font: .85em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: .5rem 0 0; padding: .75rem; background: var(--ground); border-radius: 6px; white-space: pre-wrap;
  max-height: 24rem; overflow: auto; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem;
  margin-bottom: .6rem; }
article > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; }
article > p { margin: .35rem 0; overflow-wrap: anywhere; }
.written { white-space: pre-wrap; }
.badge { font-size: .75rem; font-weight: 600; padding: .1rem .55rem; border-radius: 99px;
  background: var(--plain-ground); overflow-wrap: anywhere; }
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.busy { color: var(--busy); background: var(--busy-ground); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; margin: .5rem 0 0;
  align-items: baseline; align-content: start; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem; margin: 0; }
.figure { display: flex; flex-direction: column-reverse; justify-content: flex-end; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; padding: .6rem .9rem; }
.figure dt { line-height: 1.3; }
.figure dd { margin: 0; font-size: 1.6rem; font-weight: 600; line-height: 1.25; font-variant-numeric: tabular-nums; }
.figure em { display: block; font-style: normal; font-weight: 600; }
.alarm { color: var(--bad); background: var(--bad-ground); border-color: currentColor; }
.alarm dt { color: inherit; }
.pictures { display: flex; flex-wrap: wrap; gap: .75rem; align-items: flex-start; margin-top: .6rem; }
figure { margin: 0; max-width: 100%; }
figure img { display: block; height: 6rem; min-width: 4rem; max-width: 100%; object-fit: contain; border-radius: 6px;
  border: 1px solid var(--line);
  background: repeating-conic-gradient(var(--check) 0 25%, var(--card) 0 50%) 0 0 / 16px 16px; }
.problems { margin: .35rem 0; padding-left: 1.2rem; color: var(--bad); overflow-wrap: anywhere; }
details { margin-top: .5rem; }
summary { cursor: pointer; width: max-content; max-width: 100%; }
main { padding-bottom: 3rem; }
@media (min-width: 56rem) {
  #tasks article { display: grid; grid-template-columns: minmax(24rem, 2fr) 3fr; column-gap: 1.5rem; }
  #tasks article > header { grid-column: 1 / -1; }
  :is(#notifications, #projects, #transcriptions, #faults) > .items { display: grid; grid-template-columns: 1fr 1fr;
    column-gap: .6rem; align-items: start; }
}
`;
