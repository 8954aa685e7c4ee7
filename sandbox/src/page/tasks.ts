import { type Outcome } from '../images/pictures';
import { type Ledger } from '../ledger';
import { type State, type Task } from '../state';
import { picture, thumbnail } from './address';
import { html, type Html } from './html';
import { badge, section, time } from './section';
import { workspaceName } from './workspaces';

const heading = { name: 'tasks', title: 'Tasks', none: 'No job was submitted yet.' };

/** The input images of a tool, by field name. */
const SOURCES = { image_url: 'source', mask_url: 'mask' };

export function tasks(state: State, ledger: Ledger): Html {
  return section(heading, [...state.tasks.values()], (task) => {
    const outcome = state.tasksOver.get(task.id);
    return html`<article id="task-${task.id}">
      <header>
        <h3>${task.tool}</h3>
        ${status(task, outcome, state)}
      </header>
      <dl class="facts">
        <dt>task</dt>
        <dd><code>${task.id}</code></dd>
        <dt>request</dt>
        <dd>${requestId(ledger.requestOf(task.id))}</dd>
        <dt>workspace</dt>
        <dd>${workspaceName(task.workspace, state)}</dd>
        <dt>submitted</dt>
        <dd>${time(task.submittedAt)}</dd>
      </dl>
      <div class="pictures">${sources(task)} ${results(task, outcome)}</div>
    </article>`;
  });
}

function requestId(id: string | undefined): Html {
  return id === undefined ? html`<span class="none">without an id</span>` : html`<code>${id}</code>`;
}

/** The status that a poll would get. It is not counted as a poll, which could end the task. */
function status({ id }: Task, outcome: Outcome | undefined, { reads }: State): Html {
  if (outcome) return outcome.ok ? badge('SUCCESS', 'good') : badge('FAILURE', 'bad');
  const polls = reads.get(`task ${id}`) ?? 0;
  return html`${badge(polls < 2 ? 'PENDING' : 'STARTED', 'busy')}
    <small>${polls === 0 ? 'not polled yet' : `polls: ${polls}`}</small>`;
}

function sources({ request }: Task): Html[] {
  return Object.entries(SOURCES).flatMap(([field, what]) => {
    const address = request[field];
    if (typeof address !== 'string') return [];
    return [
      html`<figure>
        ${thumbnail(address, what)}
        <figcaption>${what}</figcaption>
      </figure>`,
    ];
  });
}

/** Pictures are drawn on request, so the page shows only those that certainly exist. */
function results({ id }: Task, outcome: Outcome | undefined): Html | Html[] | undefined {
  if (!outcome) return undefined;
  if (!outcome.ok) {
    return html`<ul class="problems">
      ${outcome.errors.map((error) => html`<li>${error}</li>`)}
    </ul>`;
  }
  return Array.from({ length: outcome.pictures }, (_unused, index) => {
    const what = outcome.pictures === 1 ? 'result' : `result ${index + 1}`;
    return html`<figure class="result">
      ${picture(`/results/${id}/${index}`, what)}
      <figcaption>${what}</figcaption>
    </figure>`;
  });
}
