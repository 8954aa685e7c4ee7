/**
 * The committed histories: a folder for each release, and `unreleased` for what the code of today writes. A release renames
 * `unreleased`; a released folder is never written again, so that old runs are known to survive new code.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const FOLDER = path.join(__dirname, 'histories');
const UNRELEASED = 'unreleased';
const EXTENSION = '.json.gz';

export interface CommittedHistory {
  /** `unreleased/media-succeeded` */
  name: string;
  scenario: string;
  json: string;
}

export function committedHistories(release?: string): CommittedHistory[] {
  return readdirSync(FOLDER)
    .filter((folder) => release === undefined || folder === release)
    .flatMap((folder) =>
      readdirSync(path.join(FOLDER, folder)).map((file) => {
        const scenario = path.basename(file, EXTENSION);
        const json = gunzipSync(readFileSync(path.join(FOLDER, folder, file))).toString();
        return { name: `${folder}/${scenario}`, scenario, json };
      }),
    );
}

export const unreleasedHistories = (): CommittedHistory[] => committedHistories(UNRELEASED);

export function writeHistory(scenario: string, history: unknown): void {
  mkdirSync(path.join(FOLDER, UNRELEASED), { recursive: true });
  const file = path.join(FOLDER, UNRELEASED, `${scenario}${EXTENSION}`);
  writeFileSync(file, gzipSync(JSON.stringify(history), { level: 9 }));
}

interface HistoryEvent extends Record<string, unknown> {
  eventType: string;
}

/**
 * What happens in a history, as a sorted list without repeats: event types with the names of activities, signals, updates,
 * children and failures. Two runs of one scenario differ in how often and in which order things happen, not in this.
 */
export function kindsOfEvents(json: string): string[] {
  const { events } = JSON.parse(json) as { events: HistoryEvent[] };
  const kinds = events
    .filter(({ eventType }) => !eventType.includes('WORKFLOW_TASK'))
    .map((event) => [event.eventType.replace('EVENT_TYPE_', ''), nameIn(event)].join(' ').trim());
  return [...new Set(kinds)].sort();
}

function nameIn(event: HistoryEvent): string {
  const attributes = Object.entries(event).find(([key]) => key.endsWith('EventAttributes'))?.[1] as
    Record<string, unknown> | undefined;
  const { activityType, workflowType, signalName, timeoutType } = (attributes ?? {}) as {
    activityType?: { name: string };
    workflowType?: { name: string };
    signalName?: string;
    timeoutType?: string;
  };
  return activityType?.name ?? workflowType?.name ?? signalName ?? timeoutType ?? '';
}
