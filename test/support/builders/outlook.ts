/** Outlooks for tests, with records of the sandbox that only one test uses. */
import { randomUUID } from 'node:crypto';
import { type Outlook, type ProjectRef } from '../../../src/contract';
import { type SentNotification } from '../../../sandbox/src/state';
import { seed } from '../service/records';
import { ask, readLedger } from '../service/sandbox';
import { readProject } from './writing';

export const newLook = (): string => `look-${randomUUID()}`;

export interface TestOutlooks {
  outlookIn: (project: ProjectRef, place?: string) => Promise<Outlook | undefined>;
  /** The counts of the ledger. */
  sideEffects: () => Promise<{ patches: number; notifications: number; duplicates: number; lost: number }>;
  lastNotification: () => Promise<SentNotification | undefined>;
  /** Records of the sandbox that only one test uses. */
  somethingToLookAt: () => Promise<{
    account: string;
    task: string;
    board: string;
    put: (drafts: number, verbs: string[], board: string) => Promise<void>;
  }>;
}

export function outlooksOf(sandbox: { url: string }): TestOutlooks {
  return { outlookIn, sideEffects, lastNotification, somethingToLookAt };

  async function outlookIn(project: ProjectRef, place = 'campaign'): Promise<Outlook | undefined> {
    const { data } = await readProject(sandbox.url, project);
    return (data[place] as { outlook?: Outlook } | undefined)?.outlook;
  }

  async function sideEffects() {
    const { summary } = await readLedger(sandbox.url);
    const { patches, notifications, duplicateNotifications: duplicates, lostKeys: lost } = summary;
    return { patches, notifications, duplicates, lost };
  }

  async function lastNotification(): Promise<SentNotification | undefined> {
    const { json } = await ask(sandbox.url, 'GET /_sandbox/notifications');
    return (json.notifications as SentNotification[]).at(-1);
  }

  async function somethingToLookAt() {
    const id = randomUUID();
    const names = { account: `a-${id}`, task: `t-${id}`, board: `b-${id}` };
    const boardId = randomUUID();
    const put = (drafts: number, verbs: string[], board: string): Promise<void> =>
      seed(sandbox.url, {
        drafts: Array.from({ length: drafts }, (_, n) => ({
          ...{ id: `${id}-${n}`, workspace: 1, account_id: names.account, content: 'Spring' },
          ...{ created_at: '2026-03-01T09:00:00Z', updated_at: '2026-03-01T09:00:00Z' },
        })),
        boardTasks: [
          {
            ...{ id: names.task, workspace: 1 },
            activity: verbs.map((verb, n) => ({ verb, actor: 1, timestamp: `2026-03-01T09:00:0${n}Z` })),
          },
        ],
        boards: [{ id: boardId, slug: names.board, workspace: 1, name: board, creator: 1, modifier: 1 }],
      });
    await put(12, ['created'], 'Launch');
    return { ...names, put };
  }
}
