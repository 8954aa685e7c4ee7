import { type State } from '../state';
import { clipped } from './clipped';
import { html, type Html } from './html';
import { badge, section } from './section';
import { workspaceName } from './workspaces';

const TONES: Record<string, 'good' | 'bad'> = { DONE: 'good', FAILED: 'bad' };

const heading = { name: 'transcriptions', title: 'Transcriptions', none: 'There is no transcription.' };

export function transcriptions(state: State): Html {
  return section(heading, [...state.transcriptions.values()], ({ id, task_id, workspace, cues }) => {
    return html`<article id="transcription-${id}">
      <header>
        <h3><code>${id}</code></h3>
        ${status(id, state)}
      </header>
      <dl class="facts">
        <dt>task of its submission</dt>
        <dd><code>${task_id}</code></dd>
        <dt>workspace</dt>
        <dd>${workspaceName(workspace, state)}</dd>
      </dl>
      <details>
        <summary>cues <small>${cues.length}</small></summary>
        <pre>${clipped(cues.map(({ start, end, text }) => `${start} – ${end} s\n${text}`).join('\n\n'))}</pre>
      </details>
    </article>`;
  });
}

/** The status that a read would get. It is not counted as a read. */
function status(id: string, { jobsOver, reads }: State): Html {
  const over = jobsOver.get(`transcription ${id}`);
  if (over !== undefined) return badge(over, TONES[over] ?? 'busy');
  return badge((reads.get(`transcription ${id}`) ?? 0) < 2 ? 'PENDING' : 'PROCESSING', 'busy');
}
