import { type Rule } from '../faults/rules';
import { html, type Html } from './html';
import { section } from './section';

const heading = { name: 'faults', title: 'Faults', none: 'No fault is active: the service behaves.' };

export function faultRules(rules: Rule[]): Html {
  return section(heading, rules, (rule) => {
    const { id, operation, fault, when, seen, hits } = rule;
    return html`<article id="fault-${id}">
      <header>
        <h3>${fault} ${when} <code>${operation === '*' ? 'every operation' : operation}</code></h3>
        <small>${id}</small>
      </header>
      <dl class="facts">
        <dt>befalls</dt>
        <dd>${chosen(rule.match)}${details(rule)}</dd>
        <dt>so far</dt>
        <dd>${hits} of ${seen} requests</dd>
      </dl>
    </article>`;
  });
}

function chosen(match: Rule['match']): string {
  if ('nth' in match) return `request number ${match.nth}`;
  if ('every' in match) return match.every === 1 ? 'every request' : `every ${match.every}th request`;
  if ('share' in match) return `${match.share * 100} % of the requests, drawn with seed ${match.seed}`;
  if ('path' in match) return `requests of ${match.path}`;
  return `the request ${match.requestId}`;
}

function details({ ms, status }: Rule): string {
  return [
    ms === undefined ? '' : `, for ${ms} ms`,
    status === undefined ? '' : `, with status ${status}`,
  ].join('');
}
