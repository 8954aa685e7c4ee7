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

/** Paid: a second one must be noticed, so each stays in the outline. */
const PAID = /^(ACTIVITY_TASK_SCHEDULED submit|ITEM .+)$/;

/**
 * What a run does, as a sorted list: its workflow, the activities and children that it starts, the signals that it sends and
 * gets, and how it ends. The order of things differs between two runs of one scenario, and so does how often most happen.
 */
export function outlineOf({ events }: HistoryJson): string[] {
  const outline = events.flatMap((event) => {
    const name = nameIn(event);
    if (name === undefined && !LAST.test(event.eventType)) return sentItems(event);
    return [[event.eventType.replace('EVENT_TYPE_', ''), name ?? ''].join(' ').trim()];
  });
  return outline.filter((line, index) => PAID.test(line) || outline.indexOf(line) === index).sort();
}

/** The items of a chunk that were, or may have been, taken. How many chunks it takes to send all differs between two runs. */
function sentItems(event: HistoryEvent): string[] {
  const { result } = (event.activityTaskCompletedEventAttributes ?? {}) as Completed;
  const text = Buffer.from(result?.payloads[0]?.data ?? '', 'base64').toString();
  const items = text.startsWith('[') ? (JSON.parse(text) as ({ outcome?: string } | null)[]) : [];
  return items.flatMap((item) =>
    ['accepted', 'sent', 'unknown'].includes(item?.outcome ?? '') ? [`ITEM ${item?.outcome}`] : [],
  );
}

interface Completed {
  result?: { payloads: { data?: string }[] };
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
