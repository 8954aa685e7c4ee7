/** Keys and workflow ids. Every id Segue uses is made here, so that one job can have only one. */
import { isWellFormed } from '../api/scope';

/** What a person may choose. Segue makes others: `spring~banner`, `k+2`. */
export const GIVEN_KEY = /^[A-Za-z0-9._-]{1,120}$/;

export const KEY_FORM = '1 to 120 letters, digits, dots, underscores or hyphens';

export const isGivenKey = (key: string): boolean => GIVEN_KEY.test(key);

/** Two given keys and what joins them (`spring~banner+2`); also the longest value of a search attribute. */
export const LONGEST_KEY = 255;

export const ANY_KEY = new RegExp(`^[A-Za-z0-9._~+%!'()*-]{1,${LONGEST_KEY}}$`);

export const ANY_KEY_FORM = `1 to ${LONGEST_KEY} letters, digits or any of . _ ~ + -`;

/** Given or derived. It is a part of ids and headers. */
export const isKey = (key: string): boolean => ANY_KEY.test(key);

/** In bytes; the server refuses longer ones. */
export const LONGEST_WORKFLOW_ID = 1_000;

/** A run that signals any other id fails its workflow task for ever. */
export function isWorkflowId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    isWellFormed(value) &&
    new TextEncoder().encode(value).length <= LONGEST_WORKFLOW_ID
  );
}

/** The longest workflow id with a key (`transcript/…`) and the longest purpose (`#cancelled-0a1b2c3d`) fit. */
export const LONGEST_CHANGE_ID = 300;

function idOfKind(kind: string): (key: string) => string {
  return (key) => `${kind}/${key}`;
}

export const mediaWorkflowId = idOfKind('media');
export const transcriptWorkflowId = idOfKind('transcript');
export const recordWorkflowId = idOfKind('record');
export const campaignWorkflowId = idOfKind('campaign');
export const batchWorkflowId = idOfKind('batch');
export const outlookWorkflowId = idOfKind('outlook');
export const workspaceClockWorkflowId = idOfKind('clock');
/** Temporal appends the time of each firing. */
export const firingWorkflowId = idOfKind('firing');

/** A campaign has its own wait for a record, with its own rules. */
export function recordKey(kind: string, id: string, campaign?: string | null): string {
  return `${kind}~${encoded(id)}${campaign ? `~for~${campaign}` : ''}`;
}

/** A job that a person has made again gets a new key. */
export function campaignJobKey(campaign: string, name: string, repeats = 0): string {
  return `${campaign}~${name}${repeats > 0 ? `+${repeats + 1}` : ''}`;
}

export const batchPartPrefix = (key: string): string => `batch-part/${key}~`;

export const batchPartWorkflowId = (key: string, n: number): string => `${batchPartPrefix(key)}${n}`;

export const batchItemPrefix = (batch: string): string => `${batch}~i`;

/** Numbers begin at 1. No job of a campaign may have such a key: see {@link isItemName}. */
export const batchItemKey = (batch: string, n: number): string => `${batchItemPrefix(batch)}${n}`;

/** A job of a campaign with this name would have the key of an item of a batch. */
export const isItemName = (name: string): boolean => /^i\d+$/.test(name);

/** `approval`, `board launch-board` */
export function nudgeSubject(nudge: { about: 'approval' } | { about: 'board'; board: string }): string {
  return nudge.about === 'approval' ? 'approval' : `board ${nudge.board}`;
}

/** One id for all who could nudge about a subject in a week, so that it happens once. */
export function nudgeWorkflowId(nudge: {
  organization: string;
  project: { resourcetype: string; id: string };
  at: string;
  week: string;
  subject: string;
}): string {
  const { organization, project, at, week, subject } = nudge;
  const parts = [organization, project.resourcetype, project.id, at, week, subject];
  const id = `nudge/${parts.map(encoded).join('~')}`;
  return isWorkflowId(id) ? id : `nudge/${week}~${shortDigest(id)}`;
}

/** Leaves room for the time in the key of a firing. */
const SCHEDULE_NAME = /^[A-Za-z0-9._-]{1,100}$/;

export const SCHEDULE_NAME_FORM = '1 to 100 letters, digits, dots, underscores or hyphens';

export const isScheduleName = (name: string): boolean => SCHEDULE_NAME.test(name);

const SCHEDULE_PREFIX = 'segue/';

export const scheduleId = (name: string): string => `${SCHEDULE_PREFIX}${name}`;

/** Undefined for a schedule that is not Segue's. */
export function scheduleNameIn(id: string): string | undefined {
  return id.startsWith(SCHEDULE_PREFIX) ? id.slice(SCHEDULE_PREFIX.length) : undefined;
}

export function firingIn(workflowId: string): { schedule: string; time: string } | undefined {
  const [, schedule, time] =
    /^firing\/(.+)-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/.exec(workflowId) ?? [];
  return schedule && time && isScheduleName(schedule) ? { schedule, time } : undefined;
}

/** `nightly-20260101T020000Z`: what is started at a time has the key of that time. */
export function firedKey(schedule: string, time: string): string {
  return `${schedule}-${time.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`;
}

export function keyIn(workflowId: string): string {
  return workflowId.slice(workflowId.indexOf('/') + 1);
}

/** People write `media/<key>` or the key alone. Undefined for another kind of run. */
function keyOfKind(kind: string): (text: string) => string | undefined {
  return (text) => {
    const key = text.startsWith(`${kind}/`) ? text.slice(kind.length + 1) : text;
    return key === '' || key.includes('/') ? undefined : key;
  };
}

export const mediaKeyOf = keyOfKind('media');
export const transcriptKeyOf = keyOfKind('transcript');
export const campaignKeyOf = keyOfKind('campaign');
export const batchKeyOf = keyOfKind('batch');

const REPEAT = /^(.+)\+([1-9]\d{0,8})$/;

/** `k`, then `k+2`, then `k+3`: derived from the repeated run, so that a second request gives the same run. */
export function againKey(key: string): string {
  const [, first = key, times = '1'] = REPEAT.exec(key) ?? [];
  return `${first}+${Number(times) + 1}`;
}

/** How many writers a workspace has. It never changes: a project whose shard changed would have two writers. */
const SHARDS = 32;

/** A project's type and id, percent-encoded. */
export function projectName({ resourcetype, id }: { resourcetype: string; id: string }): string {
  return `${encoded(resourcetype)}/${encoded(id)}`;
}

/** The FNV-1a digest of the project's name, modulo {@link SHARDS}. */
export function shardOf(project: { resourcetype: string; id: string }): number {
  return parseInt(shortDigest(projectName(project)).slice(-4), 16) % SHARDS;
}

/** `organization` is the workspace's id as the service gives it: two spellings would give a project two writers. */
export function projectWriterId(organization: string, shard: number): string {
  return `project-writer/${encoded(organization)}~${shard}`;
}

/** `~` too, because it separates the parts of ids. */
function encoded(part: string): string {
  return encodeURIComponent(part).replaceAll('~', '%7E');
}

/**
 * The purpose contains a random part. A reset run asks again for the changes before the reset point under the same ids,
 * and for later ones under new ids.
 */
export function changeIdOf(workflowId: string, purpose: string): string {
  return `${workflowId}#${purpose}`;
}

function queueOf(work: string): (taskQueue: string) => string {
  return (taskQueue) => `${taskQueue}-${work}`;
}

/** Projects that hang delay nothing else. */
export const writeTaskQueue = queueOf('write');
/** The rate and number of single submits have limits. */
export const submitTaskQueue = queueOf('submit');
/** A service that hangs must not delay decisions and writes. */
export const pollTaskQueue = queueOf('poll');
/** A batch must not take the slots of interactive work. */
export const batchTaskQueue = queueOf('batch');

export function holdName(runId: string, submission: number): string {
  return `${runId}/${submission}`;
}

/** NaN for anything else. A reset or a continue-as-new changes the run id in a hold's name, not its number. */
export function holdNumber(hold: unknown): number {
  return typeof hold === 'string' ? Number(hold.split('/').at(-1)) : NaN;
}

/** Sent as `X-Request-Id`. */
function requestIdOf(call: string): (key: string, step: string | number) => string {
  return (key, step) => `${key}.${call}.${step}`;
}

export const submitRequestId = requestIdOf('submit');
/** One id per event shows a notification that was sent twice. */
export const notifyRequestId = requestIdOf('notify');
export const downloadRequestId = requestIdOf('download');
export const pollRequestId = requestIdOf('poll');

/** Of any other call. A header has a limit, and carries only ASCII. */
export function stepRequestId(workflowId: string, step: string): string {
  return `${workflowId.slice(0, 180)}.${step.slice(0, 60)}`.replace(/[^\x21-\x7e]/g, '_');
}

/** FNV-1a with 64 bits, in two halves: workflows cannot use `node:crypto`, and big integers are slow. */
export function shortDigest(text: string): string {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  // In the sandbox of workflows, each access to a global costs as much as the rest of the loop.
  const { floor } = Math;
  for (const byte of new TextEncoder().encode(text)) {
    const mixed = (low ^ byte) >>> 0;
    // The prime is 2^40 + 0x1b3.
    const product = mixed * 0x1b3;
    high = (high * 0x1b3 + mixed * 2 ** 8 + floor(product / 2 ** 32)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}
