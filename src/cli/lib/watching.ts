import { type TemporalConfig } from '../../config';
import { isLoopback } from '../../platform/loopback';

/** The dev server's UI listens a thousand ports above the server, unless told otherwise. */
const UI_PORT_OFFSET = 1_000;

/** How a person can watch a job, one way a line. */
export function describeWatching(
  config: TemporalConfig,
  job: { workflowId: string },
  follow: string,
): string[] {
  const lines = [`follow it:  ${follow}`];
  const ui = localUiUrl(config);
  if (ui) lines.push(`look at it: ${workflowUrl(ui, config.namespace, job.workflowId)}`);
  return lines;
}

export function workflowUrl(uiUrl: string, namespace: string, workflowId: string): string {
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

function localUiUrl({ address }: TemporalConfig): string | undefined {
  const server = URL.canParse(`http://${address}`) ? new URL(`http://${address}`) : undefined;
  if (!server || !isLoopback(server.hostname)) return undefined;
  return `http://${server.hostname}:${Number(server.port || 80) + UI_PORT_OFFSET}`;
}
