import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineOperation, refusal } from '../operation';
import { type SentNotification } from '../state';

const CHANNELS = {
  agentTaskCompleted: ['in-app', 'websocket', 'email'],
  agentNeedsInput: ['in-app', 'websocket', 'email'],
  agentError: ['in-app', 'websocket', 'team-chat #agent-alerts'],
  agentProgress: ['websocket'],
  agentNudge: ['in-app', 'websocket', 'email'],
} as const;

const categories = Object.keys(CHANNELS) as (keyof typeof CHANNELS)[];

const notification = z
  .strictObject({
    userId: z.string().min(1),
    workspaceId: z.string().min(1),
    title: z.string().min(1),
    message: z.string().min(1),
    category: z.enum(categories),
    threadId: z.string().optional(),
    body: z.string().optional(),
    ctaLabel: z.string().optional(),
    link: z.string().optional(),
    _extra: z
      .looseObject({
        event_type: z.string().optional(),
        agent: z.string().optional(),
        task_id: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: 'AgentNotification' });

export const notify = defineOperation({
  name: 'notify',
  kind: 'notify',
  method: 'POST',
  url: '/api/v1/service/agent/notify',
  summary: 'Send a notification, routed to channels by its category',
  body: notification,
  answers: { 200: { description: 'It is sent.', schema: z.object({ status: z.string().optional() }) } },
  handle({ body, caller }) {
    if (!caller.mayNotify) return refusal(403, 'this credential may not send notifications');
    const sent: SentNotification = {
      id: randomUUID(),
      at: new Date().toISOString(),
      request: body,
      channels: [...CHANNELS[body.category]],
      delivered: deliver(body),
      remarks: remarksOn(body),
    };
    return {
      status: 200,
      body: { status: 'sent' },
      content: createHash('sha256').update(JSON.stringify(body)).digest('base64'),
      changes: [{ type: 'notification', notification: sent }],
    };
  },
});

function deliver(request: z.infer<typeof notification>): SentNotification['delivered'] {
  const { title, message, body = message, threadId, link, ctaLabel } = request;
  return {
    heading: title,
    card: message,
    body,
    link: link ?? (threadId === undefined ? null : `/threads/${encodeURIComponent(threadId)}`),
    ctaLabel: ctaLabel ?? (threadId === undefined ? 'View details' : 'Continue the conversation'),
  };
}

/** Rules of the document for notifications that have no error status. */
function remarksOn({ title, message, body = '' }: z.infer<typeof notification>): string[] {
  const repeats = [message, body].some((text) => text.toLowerCase().includes(title.toLowerCase()));
  return [
    ...(repeats ? ['the title is repeated in the text'] : []),
    ...(message.split('\n').length > 2 ? ['the message has more than two lines'] : []),
  ];
}
