/** What a campaign asks of activities, and what it finds out about its workspace before it produces anything. */
import { type Scope } from '../../api/scope';
import { type ProjectRef } from '../targets';
import { type CampaignMedia, type ResearchSpec } from './spec';

/** The clock of a workspace, for reminders and weeks. */
export interface WorkspaceClock {
  timezone: string;
  /** 1 is Monday, 7 Sunday. */
  startOfWeek: number;
  /** What was missing or unknown, and what stands for it. */
  remarks: string[];
}

/** A list that was read to its end and condensed. */
export interface ListSummary {
  count: number;
  /** The first few, each cut to a bounded text. */
  excerpt: string[];
  /** Whether there was more than is read. */
  more: boolean;
}

export interface ResearchSummary {
  at: string;
  drafts: ListSummary | null;
  /** By task id, with how often each verb occurs. */
  activity: Record<string, ListSummary & { verbs: Record<string, number> }>;
  boards: Record<string, { excerpt: string }>;
  /** What could not be read, and why. */
  remarks: string[];
}

export interface PrepareOrder {
  scope?: Scope;
  /** Whose tools and requests are looked at: only the service's side knows the tools. */
  media: Record<string, CampaignMedia>;
  voices: string[];
  boards: string[];
}

export interface PlaceOrder {
  scope?: Scope;
  project: ProjectRef;
  /** JSON pointer to the campaign in the project's data. */
  at: string;
  key: string;
}

/** What was found before any paid work. Problems end the campaign, all at once; remarks do not. */
export interface Preparation {
  problems: string[];
  remarks: string[];
  clock: WorkspaceClock;
}

export interface ResearchOrder extends ResearchSpec {
  scope?: Scope;
}

export interface ReadEndOrder {
  workflowId: string;
  /** It said that it ends, and is waited for a little. */
  isEnding?: boolean;
  /** What others need of its result, as JSON pointers. */
  pointers?: string[];
}

/** How a run ended, read from the run itself. `gone`: the server does not know it (any more). */
export type JobEnd =
  | { is: 'open' | 'gone' }
  | {
      is: 'succeeded';
      taskId: string | null;
      links: string[];
      /** By pointer; one that leads to nothing, or to something too large, has a problem instead. */
      values: Record<string, { value: unknown } | { problem: string }>;
    }
  | { is: 'failed' | 'abandoned' | 'cancelled' | 'terminated'; taskId: string | null; error: string };

export interface WorkingTimeOrder {
  /** ISO 8601. */
  notBefore: string;
  timezone: string;
}

export interface WorkingHoursOrder {
  /** ISO 8601. */
  at: string;
  timezone: string;
}

/** ISO 8601. In working hours `opensAt` is the moment that was asked about. */
export interface WorkingHours {
  opensAt: string;
  closesAt: string;
  /** Their day, `2026-03-02`, by the clock of the place. */
  date: string;
}

export interface CampaignActivities {
  /** What is wrong with media that somebody adds: only the service's side knows the tools. */
  checkMedia: (media: Pick<CampaignMedia, 'tool' | 'request'>) => Promise<string[]>;
  /** Whether everything that a campaign needs is there. */
  prepareCampaign: (order: PrepareOrder) => Promise<Preparation>;
  /** The key of another campaign that keeps its state at that place and still runs; null where there is none. */
  readPlace: (order: PlaceOrder) => Promise<string | null>;
  research: (order: ResearchOrder) => Promise<ResearchSummary>;
  readEnd: (order: ReadEndOrder) => Promise<JobEnd>;
  /** The same for a list of runs, in its order. */
  readEnds: (orders: ReadEndOrder[]) => Promise<JobEnd[]>;
  /** Tells runs to stop, by their workflow ids. */
  cancelRuns: (workflowIds: string[]) => Promise<void>;
  /** The first moment from then on in the working hours of a place: 09:00 to 18:00, Monday to Friday. ISO 8601. */
  workingTime: (order: WorkingTimeOrder) => Promise<string>;
  /** The working hours that it is in, or else the next ones. */
  workingHours: (order: WorkingHoursOrder) => Promise<WorkingHours>;
}
