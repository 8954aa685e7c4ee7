/** One media job: the tool is called once, and its task followed to the end. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type SubmitOutcome } from '../api/outcomes';
import { type Scope } from '../api/scope';
import { type DecisionTaken, type Hold, type HoldState, type PollNow } from './holds';
import { type PollSettings, type SubmitSettings } from './settings';
import { type ChangeOutcome, type NoticeOutcome, type NotifyTarget, type WriteTarget } from './targets';

export const MEDIA_WORKFLOW = 'media';
/** What other languages, the `temporal` command and the UI start. */
export const MEDIA_REQUEST_WORKFLOW = 'mediaRequest';

/**
 * Set by every start of a run with a key through Segue, which never starts a closed key again. A run without it refuses
 * to begin. The value identifies the starter.
 */
export const START_MEMO = 'segueStart';

export interface MediaInput {
  key: string;
  tool: string;
  request: Record<string, unknown>;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
  write?: WriteTarget;
  notify?: NotifyTarget;
  /** A task that already runs: it is polled and nothing is submitted. */
  taskId?: string;
  /**
   * Set by a batch that lets this job go on by itself because it needs a person: the POST of which nobody knows whether
   * the service took it, or the one that gave it its task. The operator knows of it from the batch, unless `isUntold`.
   */
  held?: { attempts: SubmitAttempt[]; isUntold?: boolean };
  /** The run that this one is for; it is told of each stage by signal `jobNews`. */
  reportTo?: string;
  /** What the run before this one knew. Only Segue itself sets it, when a long run continues as new. */
  carried?: Progress;
}

/** The same job, asked for under any workflow id. Without a key, its key is a digest of scope, tool and request. */
export type MediaRequestInput = Omit<MediaInput, 'key' | 'held' | 'reportTo' | 'carried'> & { key?: string };

/** The `media` run of a request. */
export interface RequestedRun {
  workflowId: string;
  /** The run ended before its end could be subscribed to: no signal will come. */
  isOver: boolean;
}

/** What a run has done so far; all of it is handed over when a long run continues as new. Times are ISO 8601. */
export interface Progress {
  taskId: string | null;
  submittedAt: string | null;
  /** The last number given to a POST or a hold. They share one count, so that no decision is taken for another's. */
  number: number;
  /** The last few POSTs tried. */
  attempts: SubmitAttempt[];
  /** Tasks that were known when a person last had it submitted again; one that is told later came late. */
  knownTasks: string[];
  /** Tasks of submissions that are not among the attempts: those of a run that was reset, told late. */
  otherTasks: string[];
  hold: Hold | null;
  /** The last few decisions of people. */
  decisions: DecisionTaken[];
  /** Since when the service denies access, if it does. */
  deniedSince: string | null;
  polls: number;
  pollingSince: string | null;
  /** Since when the service does not know the task, if it does not. */
  missingSince: string | null;
  /** Workflow ids of those who are told what this run is at. */
  listeners: string[];
  /**
   * Whether the run was ever reset. Then a POST or a notification may be out that it does not know of, and it sends none
   * itself.
   */
  reset: boolean;
  /** How the job ended, while its project and its user are told of it. */
  end?: RunEnd;
}

export interface RunEnd {
  /** What the run gives when all is told; a run that failed has the failure instead. */
  result?: object;
  failure?: { type: string; message: string; details: unknown[] };
  /** What is written to the project. */
  value: object;
  changeId: string;
  /** What the project's writer was asked so far. */
  change: ChangeState;
  /** The writer's answer; null where nothing was to be written. */
  written?: ChangeOutcome | null;
  /** When the first notification was tried. ISO 8601. */
  tellingSince?: string;
}

/** How far the request for a change is. Kept across continue-as-new: a run without it would ask again at once. */
export interface ChangeState {
  /** How often the change was asked for. */
  times?: number;
  /** The writer got the whole change; it is asked for again by its id alone. */
  isKnown?: boolean;
  /** How often the writer had no room for it, or did not know it. */
  rejections?: number;
  /** When it is asked for again, unless there is an answer before. ISO 8601. */
  nextAt?: string;
}

export interface MediaResult {
  key: string;
  status: 'succeeded';
  taskId: string;
  info: unknown;
  polls: number;
  submittedAt: string | null;
  finishedAt: string;
  /** Null where nothing was to be written. */
  written: ChangeOutcome | null;
  /** Null where nobody was to be told. */
  notified: NoticeOutcome | null;
}

/** Stages in which a task may be alive at the service, or may become so. */
export const OPEN_STAGES = [
  'submitting',
  'waiting',
  'held',
  'polling',
  'overdue',
  'writing',
  'notifying',
] as const;

export const END_STAGES = ['succeeded', 'failed', 'abandoned', 'cancelled'] as const;

/** Where a run is; at its end, how it ended. */
export const MEDIA_STAGES = [...OPEN_STAGES, ...END_STAGES] as const;
export type MediaStage = (typeof MEDIA_STAGES)[number];

export interface SubmitAttempt {
  n: number;
  at: string;
  outcome: SubmitOutcome['outcome'] | 'pending';
  reason?: string;
  /** What the service made of it, as soon as that is known, even where the run follows another task. */
  taskId?: string;
}

/** In the memo of a run: its POST of unknown outcome, as {@link UnknownSubmit}. */
export const UNKNOWN_MEMO = 'segueUnknown';

export interface UnknownSubmit {
  /** Its `X-Request-Id`. */
  submission: string;
  submittedAt: string;
}

/** Answer of the `state` query: what the run is doing, for programs and people. */
export interface MediaState {
  key: string;
  tool: string;
  stage: MediaStage;
  /** The open question, if a person has to decide. */
  hold: HoldState | null;
  taskId: string | null;
  submittedAt: string | null;
  /** The last few POSTs tried. */
  attempts: SubmitAttempt[];
  /** The last few decisions of people. */
  decisions: DecisionTaken[];
  polls: number;
  /** When the service is asked next; past while it is being asked, null where no poll is near. */
  nextPollAt: string | null;
  lastError: string | null;
}

export const stateQuery = defineQuery<MediaState>('state');

export const pollNowUpdate = defineUpdate<MediaState, [PollNow]>('pollNow');

/** What a worker tells a run when it learned a task id too late to give it as a result. */
export interface LateAnswer {
  /** `<runId>/<n>`, of which n tells: the run may have continued as new or been reset since. */
  hold: string;
  taskId: string;
}

export const acceptedSignal = defineSignal<[LateAnswer]>('accepted');

/** The submit, or the chunk of a batch, that may be on the wire from now on. */
export interface Sending {
  n: number;
}

export const sendingSignal = defineSignal<[Sending]>('sending');
