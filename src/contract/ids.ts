/** Keys and workflow ids. Every id Segue uses is made here, so that one job can have only one. */
import { isWellFormed } from '../api/scope';

const GIVEN_KEY = /^[A-Za-z0-9._-]{1,120}$/;

export const KEY_FORM = '1 to 120 letters, digits, dots, underscores or hyphens';

/** Whether a key has the form that a person may choose. Derived keys (`spring~banner`, `k+2`) are made by Segue. */
export function isGivenKey(key: string): boolean {
  return GIVEN_KEY.test(key);
}

/**
 * The longest key that Segue makes or takes: two given ones and what joins them (`spring~banner+2`), and still what a
 * list entry holds, so that no two look the same there.
 */
export const LONGEST_KEY = 255;

const KEY = new RegExp(`^[A-Za-z0-9._~+%!'()*-]{1,${LONGEST_KEY}}$`);

export const ANY_KEY_FORM = `1 to ${LONGEST_KEY} letters, digits or any of . _ ~ + -`;

/** Whether a run may have this key, given or derived: it is part of ids and headers, and none of them is cut. */
export function isKey(key: string): boolean {
  return KEY.test(key);
}

/** The server takes no longer one; it counts bytes. */
export const LONGEST_WORKFLOW_ID = 1_000;

/** Whether a run can be signalled by this id. A run that tries it with any other fails its task for ever. */
export function isWorkflowId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    isWellFormed(value) &&
    new TextEncoder().encode(value).length <= LONGEST_WORKFLOW_ID
  );
}

/** What the longest workflow id of a run (`transcript/…`) and the longest purpose (`#cancelled-0a1b2c3d`) need. */
export const LONGEST_CHANGE_ID = 300;

export function mediaWorkflowId(key: string): string {
  return `media/${key}`;
}

export function transcriptWorkflowId(key: string): string {
  return `transcript/${key}`;
}

/** What makes it the same wait: the record itself, and the campaign that waits with rules of its own, if one does. */
export function recordKey(kind: string, id: string, campaign?: string | null): string {
  return `${kind}~${encoded(id)}${campaign ? `~for~${campaign}` : ''}`;
}

export function recordWorkflowId(key: string): string {
  return `record/${key}`;
}

export function campaignWorkflowId(key: string): string {
  return `campaign/${key}`;
}

/** The key of a campaign's job; made again by a person, it has a key of its own each time. */
export function campaignJobKey(campaign: string, name: string, repeats = 0): string {
  return `${campaign}~${name}${repeats > 0 ? `+${repeats + 1}` : ''}`;
}

export function batchWorkflowId(key: string): string {
  return `batch/${key}`;
}

export function batchPartWorkflowId(key: string, n: number): string {
  return `${batchPartPrefix(key)}${n}`;
}

/** What the ids of all its partitions begin with, and of no other run. */
export function batchPartPrefix(key: string): string {
  return `batch-part/${key}~`;
}

/** The key of a batch's item, by its number in the batch, from 1. No campaign's job may be called like that. */
export function batchItemKey(batch: string, number: number): string {
  return `${batchItemPrefix(batch)}${number}`;
}

/** What the keys of all its items begin with. */
export function batchItemPrefix(batch: string): string {
  return `${batch}~i`;
}

/** Whether a name would make a campaign's job look like an item of a batch with the same key. */
export function isItemName(name: string): boolean {
  return /^i\d+$/.test(name);
}

export function outlookWorkflowId(key: string): string {
  return `outlook/${key}`;
}

/** What a nudge is about, as a name: `approval`, `board launch-board`. */
export function nudgeSubject(nudge: { about: 'approval' } | { about: 'board'; board: string }): string {
  return nudge.about === 'approval' ? 'approval' : `board ${nudge.board}`;
}

/** The same for everybody who could nudge somebody of a week: it is done once, whoever comes first. */
export function nudgeWorkflowId(nudge: {
  /** As it is resolved for a project's writer: two ways to name a workspace are one. */
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

/** With room for the time that a firing's key has behind it. */
const SCHEDULE_NAME = /^[A-Za-z0-9._-]{1,100}$/;

export const SCHEDULE_NAME_FORM = '1 to 100 letters, digits, dots, underscores or hyphens';

export function isScheduleName(name: string): boolean {
  return SCHEDULE_NAME.test(name);
}

const SCHEDULE_PREFIX = 'segue/';

export function scheduleId(name: string): string {
  return `${SCHEDULE_PREFIX}${name}`;
}

/** The name in the id of a schedule; nothing where it is not one of Segue's. */
export function scheduleNameIn(id: string): string | undefined {
  return id.startsWith(SCHEDULE_PREFIX) ? id.slice(SCHEDULE_PREFIX.length) : undefined;
}

/** Every question is a run of its own. */
export function workspaceClockWorkflowId(question: string): string {
  return `clock/${question}`;
}

/** Temporal writes the time of each firing behind it. */
export function firingWorkflowId(schedule: string): string {
  return `firing/${schedule}`;
}

/** Which schedule a firing is of, and the time it fires for, both from its own id. */
export function firingIn(workflowId: string): { schedule: string; time: string } | undefined {
  const [, schedule, time] =
    /^firing\/(.+)-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/.exec(workflowId) ?? [];
  return schedule && time && isScheduleName(schedule) ? { schedule, time } : undefined;
}

/** `nightly-20260101T020000Z`: the key of what a firing starts. The same time has the same key. */
export function firedKey(schedule: string, time: string): string {
  return `${schedule}-${time.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`;
}

/** The key in a workflow id: what comes after its kind. */
export function keyIn(workflowId: string): string {
  return workflowId.slice(workflowId.indexOf('/') + 1);
}

/** The key that a person means by `media/<key>` or by the key alone; nothing where it is another kind of run. */
export function mediaKeyOf(text: string): string | undefined {
  return keyOfKind('media', text);
}

/** The same of a transcript. */
export function transcriptKeyOf(text: string): string | undefined {
  return keyOfKind('transcript', text);
}

/** The same of a campaign. */
export function campaignKeyOf(text: string): string | undefined {
  return keyOfKind('campaign', text);
}

/** The same of a batch. */
export function batchKeyOf(text: string): string | undefined {
  return keyOfKind('batch', text);
}

function keyOfKind(kind: string, text: string): string | undefined {
  const key = text.startsWith(`${kind}/`) ? text.slice(kind.length + 1) : text;
  return key === '' || key.includes('/') ? undefined : key;
}

const REPEAT = /^(.+)\+([1-9]\d{0,8})$/;

/** `k`, then `k+2`, then `k+3`: made from the run that is repeated, so that asking twice gives one run. */
export function againKey(key: string): string {
  const [, first = key, times = '1'] = REPEAT.exec(key) ?? [];
  return `${first}+${Number(times) + 1}`;
}

/** The way back: what `k+3` repeats is `k+2`; undefined for what repeats nothing. */
export function repeatedKey(key: string): string | undefined {
  const [, first = '', times = '1'] = REPEAT.exec(key) ?? [];
  if (Number(times) < 2) return undefined;
  return times === '2' ? first : `${first}+${Number(times) - 1}`;
}

/** How many writers a workspace has. It never changes: a project whose shard changed would have two writers. */
export const SHARDS = 32;

/** Names a project: its type and its id, each percent-encoded. */
export function projectName({ resourcetype, id }: { resourcetype: string; id: string }): string {
  return `${encoded(resourcetype)}/${encoded(id)}`;
}

/** The shard of a project: the FNV-1a digest of its name, modulo {@link SHARDS}. */
export function shardOf(project: { resourcetype: string; id: string }): number {
  return Number(BigInt(`0x${shortDigest(projectName(project))}`) % BigInt(SHARDS));
}

/** `organization` is the workspace's id as the service gives it: two spellings would give a project two writers. */
export function projectWriterId(organization: string, shard: number): string {
  return `project-writer/${encoded(organization)}~${shard}`;
}

/** FNV-1a with 64 bits: workflows cannot use `node:crypto`. */
export function shortDigest(text: string): string {
  let digest = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    digest = BigInt.asUintN(64, (digest ^ BigInt(byte)) * 0x100000001b3n);
  return digest.toString(16).padStart(16, '0');
}

function encoded(part: string): string {
  return encodeURIComponent(part).replaceAll('~', '%7E');
}

/**
 * The id of a change that a workflow asks for. Its purpose has something random in it: what a run asked for before the
 * point that it was reset to is the same change afterwards, and not applied a second time; what it asks for anew is not.
 */
export function changeIdOf(workflowId: string, purpose: string): string {
  return `${workflowId}#${purpose}`;
}

/** Writes of projects have slots of their own, so that projects that hang delay nothing else. */
export function writeTaskQueue(taskQueue: string): string {
  return `${taskQueue}-write`;
}

/** Single submits wait apart from everything else, so that their rate and number have limits of their own. */
export function submitTaskQueue(taskQueue: string): string {
  return `${taskQueue}-submit`;
}

/** Polls have slots of their own: a service whose answers hang must not keep decisions and writes waiting. */
export function pollTaskQueue(taskQueue: string): string {
  return `${taskQueue}-poll`;
}

/** Chunks have their own queue: a batch must not take the slots of interactive work. */
export function batchTaskQueue(taskQueue: string): string {
  return `${taskQueue}-batch`;
}

/** Sent as `X-Request-Id`: it names the job and which of its POSTs this is. */
export function submitRequestId(key: string, attempt: number): string {
  return `${key}.submit.${attempt}`;
}

/** The question that a held run asks: which of its submissions is meant. */
export function holdName(runId: string, submission: number): string {
  return `${runId}/${submission}`;
}

/** The read by which a submission finds out whether the service is well. */
export function submitReadRequestId(key: string, attempt: number): string {
  return `${submitRequestId(key, attempt)}.read`;
}

/** The same for the same event, so that one that was sent twice is seen. */
export function notifyRequestId(key: string, event: string): string {
  return `${key}.notify.${event}`;
}

export function downloadRequestId(key: string, poll: number): string {
  return `${key}.download.${poll}`;
}

export function pollRequestId(key: string, poll: number): string {
  return `${key}.poll.${poll}`;
}

/** Names the run and the step of any other call; a header carries only so much, and only ASCII. */
export function stepRequestId(workflowId: string, step: string): string {
  return `${workflowId.slice(0, 180)}.${step.slice(0, 60)}`.replace(/[^\x21-\x7e]/g, '_');
}
