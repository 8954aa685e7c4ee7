import { projectKey, type State } from '../state';
import { clipped } from './clipped';
import { html, type Html } from './html';
import { section } from './section';
import { workspaceName } from './workspaces';

const heading = { name: 'projects', title: 'Projects', none: 'There is no project.' };

export function projects(state: State): Html {
  return section(heading, [...state.projects.values()], (project) => {
    const { resourcetype, id, title, description, version, workspace, data } = project;
    return html`<article id="project-${projectKey(project)}">
      <header>
        <h3>${title || 'Without a title'}</h3>
        <small>version ${version}</small>
      </header>
      ${description ? html`<p>${clipped(description)}</p>` : undefined}
      <dl class="facts">
        <dt>type and id</dt>
        <dd><code>${resourcetype}/${id}</code></dd>
        <dt>workspace</dt>
        <dd>${workspaceName(workspace, state)}</dd>
      </dl>
      ${data === undefined ? html`<p class="none">It has no data.</p>` : dataOf(data)}
    </article>`;
  });
}

function dataOf(data: Record<string, unknown>): Html {
  const members = Object.keys(data).length;
  return html`<details>
    <summary>data <small>${members === 1 ? '1 member' : `${members} members`}</small></summary>
    <pre>${clipped(JSON.stringify(data, null, 2))}</pre>
  </details>`;
}
