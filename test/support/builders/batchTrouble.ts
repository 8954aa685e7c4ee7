/** Faults for the items of a batch, and the notifications about them. */
import { notificationsOf } from './campaign';
import { addFault, ask } from '../service/sandbox';

export const OPERATOR = { userId: 'on-call', workspaceId: '1' };

/** Titles of the operator's notifications. */
export async function toldToOperator(sandboxUrl: string): Promise<string[]> {
  const told = await notificationsOf(sandboxUrl);
  return told.filter(({ request }) => request.userId === OPERATOR.userId).map(({ request }) => request.title);
}

/** A fault for a single request; by default for a submit, before the service applies it. */
export function befall(
  sandboxUrl: string,
  requestId: string,
  fault: Partial<Parameters<typeof addFault>[1]>,
): Promise<void> {
  const rule = { operation: 'remove-background', match: { requestId }, when: 'before' as const };
  return addFault(sandboxUrl, { ...rule, fault: 'status', ...fault });
}

/** A task that exists at the service before the batch starts. */
export async function newTask(sandboxUrl: string, body: unknown): Promise<string> {
  const { json } = await ask(sandboxUrl, 'POST /tools/remove-background', { body });
  return String(json.task_id);
}
