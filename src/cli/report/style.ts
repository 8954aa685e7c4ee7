export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --card: #f6f7f9; --text: #1c2330; --dim: #5d6675; --line: #dde1e8;
  --run: #3b74d6; --wait: #9aa4b5; --hold: #c77700; --good: #2a8a4a; --bad: #c33a3a; --work: #7a5cc7; --tick: #1c2330; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171d; --card: #1d222b; --text: #e6e9ef; --dim: #9aa4b5; --line: #323a47;
    --run: #6c9cf0; --wait: #667083; --hold: #f0a840; --good: #58bd7b; --bad: #ef7676; --work: #ab92ee; --tick: #e6e9ef; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
a { color: var(--run); } p { margin: .4rem 0; } .dim, figcaption, dt { color: var(--dim); font-size: .85rem; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1rem 0; } dd { margin: 0; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0;
  border-bottom: 1px solid var(--line); } th { color: var(--dim); font-weight: normal; font-size: .85rem; }
pre { background: var(--card); padding: .8rem; border-radius: 6px; max-height: 20rem; overflow: auto; white-space: pre-wrap; }
.badge { border-radius: 1rem; padding: .1rem .7rem; color: var(--back); font-size: .9rem; }
.run { background: var(--run); } .wait { background: var(--wait); } .hold { background: var(--hold); }
.good { background: var(--good); } .bad { background: var(--bad); }
.row { display: grid; grid-template-columns: minmax(6rem, 14rem) 1fr; gap: .8rem; align-items: center; padding: .2rem 0;
  border-bottom: 1px solid var(--line); } .row > span { font-size: .85rem; }
.track { position: relative; height: 34px; } .track i { position: absolute; min-width: 2px; border-radius: 2px; }
.stage { top: 6px; height: 14px; } .work { top: 22px; height: 5px; background: var(--work); }
.work.bad { background: var(--bad); } .poll { top: 28px; height: 6px; width: 1px; background: var(--tick); opacity: .6; }
.mark { top: 0; width: 4px; height: 24px; margin-left: -2px; outline: 1px solid var(--back); }
.mark.decision { background: var(--good); }
.axis { display: flex; justify-content: space-between; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border-radius: 6px; padding: .6rem; } figure img { max-width: 100%; max-height: 16rem;
  display: block; margin: auto; background: repeating-conic-gradient(#bbb 0 25%, #eee 0 50%) 0 0 / 16px 16px; }
svg { width: 100%; max-width: 44rem; height: auto; } svg rect { fill: var(--run); } svg text { fill: var(--dim); font-size: 11px; }
svg line { stroke: var(--line); }
@media print { body { max-width: none; } pre { max-height: none; } }
`;
