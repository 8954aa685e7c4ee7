import { type Scope } from '../../api/scope';
import { type ProjectRef } from '../targets';
import { type CampaignMedia, type ResearchSpec } from './spec';

export interface WorkspaceClock {
  timezone: string;
  /** 1 is Monday, 7 Sunday. */
  startOfWeek: number;
  /** Which settings are missing or unknown, and their defaults. */
  remarks: string[];
}

export interface ListSummary {
  count: number;
  excerpt: string[];
  more: boolean;
}

export interface ResearchSummary {
  at: string;
  drafts: ListSummary | null;
  /** By task id, with the number of each verb. */
  activity: Record<string, ListSummary & { verbs: Record<string, number> }>;
  boards: Record<string, { excerpt: string }>;
  remarks: string[];
}

export interface PrepareOrder {
  scope?: Scope;
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

/** Made before any paid work. A problem ends the campaign. */
export interface Preparation {
  problems: string[];
  clock: WorkspaceClock;
}

export type ResearchOrder = ResearchSpec & { scope?: Scope };

export interface ReadEndOrder {
  workflowId: string;
  /** It signalled its end, so the activity waits a little for it. */
  isEnding?: boolean;
  pointers?: string[];
}

/** `gone`: the server does not have the run. */
export type JobEnd =
  | { is: 'open' | 'gone' }
  | {
      is: 'succeeded';
      taskId: string | null;
      links: string[];
      /** By pointer. A missing or too large value is a problem. */
      values: Record<string, { value: unknown } | { problem: string }>;
    }
  | { is: 'failed' | 'abandoned' | 'cancelled' | 'terminated'; taskId: string | null; error: string };

/** In working hours `opensAt` is the given moment. */
export interface WorkingHours {
  opensAt: string;
  closesAt: string;
  /** `2026-03-02`, in the given time zone. */
  date: string;
}

export interface CampaignActivities {
  /** All problems of a tool and its request: the bundle does not contain the tools. */
  checkMedia: (media: Pick<CampaignMedia, 'tool' | 'request'>) => Promise<string[]>;
  prepareCampaign: (order: PrepareOrder) => Promise<Preparation>;
  /** The key of another running campaign at that path. */
  readPlace: (order: PlaceOrder) => Promise<string | null>;
  research: (order: ResearchOrder) => Promise<ResearchSummary>;
  readEnd: (order: ReadEndOrder) => Promise<JobEnd>;
  readEnds: (orders: ReadEndOrder[]) => Promise<JobEnd[]>;
  cancelRuns: (workflowIds: string[]) => Promise<void>;
  /** The current working hours, 09:00 to 18:00 from Monday to Friday, or else the next ones. */
  workingHours: (order: { at: string; timezone: string }) => Promise<WorkingHours>;
}
