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

interface HistoryEvent extends Record<string, unknown> {
  eventType: string;
}

export interface HistoryJson {
  events: HistoryEvent[];
}

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

export function writeHistory(scenario: string, history: HistoryJson): void {
  mkdirSync(path.join(FOLDER, UNRELEASED), { recursive: true });
  const file = path.join(FOLDER, UNRELEASED, `${scenario}${EXTENSION}`);
  writeFileSync(file, gzipSync(JSON.stringify(history), { level: 9 }));
}

const LAST =
  /^EVENT_TYPE_WORKFLOW_EXECUTION_(COMPLETED|FAILED|CANCELED|TERMINATED|TIMED_OUT|CONTINUED_AS_NEW)$/;

/**
 * What a run does, as a sorted list without repeats: its workflow, the activities and children that it starts, the signals that
 * it sends and gets, and how it ends. How often and in which order things happen differs between two runs of one scenario.
 */
export function outlineOf({ events }: HistoryJson): string[] {
  const outline = events.flatMap((event) => {
    const name = nameIn(event);
    if (name === undefined && !LAST.test(event.eventType)) return [];
    return [[event.eventType.replace('EVENT_TYPE_', ''), name ?? ''].join(' ').trim()];
  });
  return [...new Set(outline)].sort();
}

interface Named {
  activityType?: { name: string };
  workflowType?: { name: string };
  signalName?: string;
}

function nameIn(event: HistoryEvent): string | undefined {
  const [, attributes] = Object.entries(event).find(([key]) => key.endsWith('EventAttributes')) ?? [];
  const { activityType, workflowType, signalName } = (attributes ?? {}) as Named;
  return activityType?.name ?? workflowType?.name ?? signalName;
}
