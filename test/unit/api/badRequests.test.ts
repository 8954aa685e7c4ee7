/** Bad input: refused before anything is sent, with all its problems at once. */
import { type Api } from '../../../src/api/client';
import { InvalidRequestError } from '../../../src/api/errors';
import { ASK } from '../../support/service/api';
import { useScriptedService } from '../../support/service/scriptedService';

const service = useScriptedService();

describe('what is refused before anything is sent, all problems at once', () => {
  const long = 'x'.repeat(9 << 20);
  test.each<[string, (api: Api) => Promise<unknown>, string[]]>([
    ['a voice that is no UUID', (a) => a.getVoice({ voice_id: '7' }, ASK), ['voice_id']],
    ['a transcription that is no UUID', (a) => a.getTranscription({ id: 'x' }, ASK), ['id']],
    [
      'subtitles of a made-up format',
      (a) => a.getSubtitles({ id: 'x', requested_format: 'ass' as never }, ASK),
      ['id', 'requested_format'],
    ],
    ['an empty task id', (a) => a.getTask({ id: ' ' }, ASK), ['id']],
    ['half a character', (a) => a.getTask({ id: '\ud800' }, ASK), ['id']],
    ['an id that climbs', (a) => a.getProject({ resourcetype: '..', id: '' }, ASK), ['resourcetype', 'id']],
    ['no account', (a) => a.getDrafts({ account_ids: [] }, ASK), ['account_ids']],
    [
      'an empty account, page 0, a made-up order',
      (a) => a.getDrafts({ account_ids: ['1', ''], page: 0, per_page: 1.5, order: 'up' as never }, ASK),
      ['account_ids.1', 'page', 'per_page', 'order'],
    ],
    [
      'a made-up expansion',
      (a) => a.getBoard({ board_id: '', expand: ['all' as never] }, ASK),
      ['board_id', 'expand.0'],
    ],
    [
      'an unknown field',
      (a) => a.updateProject({ resourcetype: 'c', id: '7', changes: { tite: 'x' } as never }, ASK),
      ['changes.tite'],
    ],
    [
      'data that is a list',
      (a) => a.updateProject({ resourcetype: 'c', id: '7', changes: { data: [] as never } }, ASK),
      ['changes.data'],
    ],
    [
      'too much',
      (a) => a.updateProject({ resourcetype: 'c', id: '7', changes: { data: { long } } }, ASK),
      ['request'],
    ],
  ])('%s', async (_case, call, fields) => {
    const error: unknown = await call(service.api()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequestError);
    const [, problems = ''] = (error as Error).message.split('not sent, the request is wrong: ');
    expect(problems.split('; ').map((problem) => problem.split(':')[0])).toEqual(fields);
    expect(service.received()).toHaveLength(0);
  });

  const good = {
    userId: 'u',
    workspaceId: 'w',
    title: 'Your banner',
    message: 'It is there',
    category: 'agentNudge' as const,
  };
  test.each<[string, Record<string, unknown>, string[]]>([
    ['nothing', {}, ['userId', 'workspaceId', 'title', 'message', 'category']],
    ['three lines', { ...good, message: 'a\nb\r\nc' }, ['message']],
    ['a title in the message', { ...good, message: 'look: YOUR   banner!' }, ['message']],
    ['a title in the body, blanks aside', { ...good, body: 'Dear you,\nyour\nbanner' }, ['body']],
    [
      'a title repeated, and more',
      { ...good, message: 'your banner', category: 'x', link: '' },
      ['category', 'link', 'message'],
    ],
    ['an unknown field', { ...good, urgent: true }, ['urgent']],
    ['extra that is a list', { ...good, _extra: [] }, ['_extra']],
  ])('a notification with %s', async (_case, notification, fields) => {
    const outcome = await service.api().notify(notification as never, ASK);
    expect(outcome).toMatchObject({ outcome: 'refused' });
    expect(outcome).not.toHaveProperty('status');
    const reason = 'reason' in outcome ? outcome.reason.replace('not sent, the request is wrong: ', '') : '';
    expect(reason.split('; ').map((problem) => problem.split(':')[0])).toEqual(fields);
    expect(service.received()).toHaveLength(0);
  });
});
