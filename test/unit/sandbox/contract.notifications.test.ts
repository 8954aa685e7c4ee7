/** Notifications of the sandbox. */
import { ask, useSandboxEach } from '../../support/service/sandbox';
import { NOTICE } from '../../support/service/seeded';

const sandbox = useSandboxEach();

describe('notifications', () => {
  const send = (more: Record<string, unknown>, requestId?: string) =>
    ask(sandbox.url, 'POST /service/agent/notify', {
      body: { ...NOTICE, ...more },
      headers: requestId === undefined ? {} : { 'x-request-id': requestId },
    });
  const kept = async () => (await ask(sandbox.url, 'GET /_sandbox/notifications')).json.notifications;

  test.each([
    ['agentTaskCompleted', ['in-app', 'websocket', 'email']],
    ['agentNeedsInput', ['in-app', 'websocket', 'email']],
    ['agentError', ['in-app', 'websocket', 'team-chat #agent-alerts']],
    ['agentProgress', ['websocket']],
    ['agentNudge', ['in-app', 'websocket', 'email']],
  ])('%s goes to its channels and is kept', async (category, channels) => {
    expect((await send({ category, _extra: { event_type: 'x', more: [1] } })).json).toEqual({
      status: 'sent',
    });
    expect(await kept()).toMatchObject([{ channels, request: { category, _extra: { more: [1] } } }]);
  });

  test('fall back to the message, the thread and a label of their own', async () => {
    await send({ threadId: 't/9' });
    await send({ body: '# Hello', link: '/here', ctaLabel: 'Look' });
    expect(await kept()).toMatchObject([
      { delivered: { body: NOTICE.message, link: '/threads/t%2F9', ctaLabel: 'Continue the conversation' } },
      { delivered: { body: '# Hello', link: '/here', ctaLabel: 'Look' } },
    ]);
  });

  test('that repeat their title are remarked on', async () => {
    await send({ title: 'The banner' });
    expect(await kept()).toMatchObject([{ remarks: ['the title is repeated in the text'] }]);
  });

  test('every wrong field is named, and nothing is sent', async () => {
    const wrong = { userId: 1, title: '', category: 'agentShout', colour: 'red' };
    const { status, json } = await send(wrong);
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(4);
    expect(await kept()).toEqual([]);
  });

  test('P4: the ledger counts those that were sent twice', async () => {
    const summary = async (): Promise<unknown> =>
      (await ask(sandbox.url, 'GET /_sandbox/ledger')).json.summary;
    await send({}, 'a.notify.done');
    await send({}, 'b.notify.done');
    await send({});
    expect(await summary()).toMatchObject({ notifications: 3, duplicateNotifications: 0 });
    await send({ message: 'In other words.' }, 'a.notify.done');
    await send({});
    expect(await summary()).toMatchObject({ notifications: 5, duplicateNotifications: 2 });
  });
});
