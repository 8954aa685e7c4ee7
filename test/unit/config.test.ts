import { inspect } from 'node:util';
import {
  ConfigError,
  type Environment,
  loadLocalTemporalConfig,
  loadStarterConfig,
  loadTemporalConfig,
  loadWorkerConfig,
  unknownSettings,
} from '../../src/config';

const SECRET = 'a-very-secret-value';
const GOOD: Environment = { SEGUE_API_URL: 'https://api.example.com', SEGUE_API_KEY: SECRET };

function problemsOf(env: Environment): string[] {
  try {
    loadWorkerConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('configuration', () => {
  test('needs only the address of the service and a credential', () => {
    const config = loadWorkerConfig(GOOD);
    expect(config.taskQueue).toBe('segue');
    expect(config.poll).toEqual({ min: '15s', max: '20s', deadline: '1h', giveUp: '7d' });
    expect(config.submit).toEqual({ timeout: '60s', authGrace: '1h' });
    expect(config.api.credential.reveal()).toBe(`Api-Key ${SECRET}`);
  });

  test('limits of sending: the default is a hundred at once', () => {
    expect(loadWorkerConfig(GOOD).limits).toEqual({ maxSubmits: 100 });
    const limits = {
      SEGUE_MAX_SUBMITS: '7',
      SEGUE_MAX_SUBMIT_RPS: '0.5',
      SEGUE_HOLD_SUBMITS_BEFORE: '2026-01-31T14:00:00+02:00',
    };
    expect(loadWorkerConfig({ ...GOOD, ...limits }).limits).toEqual({
      maxSubmits: 7,
      maxSubmitRate: 0.5,
      holdBefore: new Date('2026-01-31T12:00:00Z'),
    });
    expect(unknownSettings(limits)).toEqual([]);
  });

  test('by default a worker has every role, and caches as many runs as its heap has room for', () => {
    expect(loadWorkerConfig(GOOD)).toMatchObject({ roles: undefined, maxCachedWorkflows: undefined });
    const settings = { SEGUE_WORKER_ROLES: 'submit, batch', SEGUE_MAX_CACHED_WORKFLOWS: '7' };
    expect(loadWorkerConfig({ ...GOOD, ...settings })).toMatchObject({
      roles: ['submit', 'batch'],
      maxCachedWorkflows: 7,
    });
    expect(unknownSettings(settings)).toEqual([]);
  });

  test('a token is sent as a bearer', () => {
    const config = loadWorkerConfig({ SEGUE_API_URL: 'https://api.example.com', SEGUE_API_TOKEN: SECRET });
    expect(config.api.credential.reveal()).toBe(`Bearer ${SECRET}`);
  });

  test('an empty value counts as not set', () => {
    expect(loadWorkerConfig({ ...GOOD, SEGUE_API_TOKEN: '', SEGUE_POLL_MIN: ' ' }).poll.min).toBe('15s');
  });

  test.each<[string, Environment, RegExp]>([
    ['no address', { SEGUE_API_KEY: 'k' }, /^SEGUE_API_URL: not set/],
    ['no address in the address', { ...GOOD, SEGUE_API_URL: 'api' }, /^SEGUE_API_URL: "api" is not an http/],
    ['another protocol', { ...GOOD, SEGUE_API_URL: 'ftp://api.example.com' }, /^SEGUE_API_URL:/],
    [
      'a password in the address',
      { ...GOOD, SEGUE_API_URL: 'https://u:p@api.example.com' },
      /^SEGUE_API_URL: holds/,
    ],
    [
      'a query in the address',
      { ...GOOD, SEGUE_API_URL: 'https://api.example.com/?a=b' },
      /^SEGUE_API_URL: has/,
    ],
    [
      'plain http elsewhere',
      { ...GOOD, SEGUE_API_URL: 'http://api.example.com' },
      /unencrypted.*SEGUE_ALLOW_HTTP=1/,
    ],
    ['http to a look-alike', { ...GOOD, SEGUE_API_URL: 'http://127.0.0.1.example.com' }, /unencrypted/],
    ['two credentials', { ...GOOD, SEGUE_API_TOKEN: 't' }, /both are set/],
    ['no credential', { SEGUE_API_URL: 'https://api.example.com' }, /neither is set/],
    ['a line break in the key', { ...GOOD, SEGUE_API_KEY: 'a\nb' }, /^SEGUE_API_KEY: holds a blank/],
    ['a bare number', { ...GOOD, SEGUE_POLL_MIN: '15' }, /^SEGUE_POLL_MIN: "15" is not a duration/],
    [
      'a poll too quick',
      { ...GOOD, SEGUE_POLL_MIN: '49ms' },
      /^SEGUE_POLL_MIN: 49ms is too short; the least is 50ms/,
    ],
    [
      'minimum over maximum',
      { ...GOOD, SEGUE_POLL_MIN: '30s' },
      /SEGUE_POLL_MIN \(30s\) is longer than SEGUE_POLL_MAX/,
    ],
    [
      'deadline over give-up',
      { ...GOOD, SEGUE_GIVE_UP: '10m' },
      /SEGUE_POLL_DEADLINE \(1h\) is longer than SEGUE_GIVE_UP/,
    ],
    ['no time to submit', { ...GOOD, SEGUE_SUBMIT_TIMEOUT: '0s' }, /^SEGUE_SUBMIT_TIMEOUT: 0s is too short/],
    ['a grace without unit', { ...GOOD, SEGUE_AUTH_GRACE: 'long' }, /^SEGUE_AUTH_GRACE:/],
    [
      'no submits at all',
      { ...GOOD, SEGUE_MAX_SUBMITS: '0' },
      /^SEGUE_MAX_SUBMITS: "0" is not a whole number/,
    ],
    ['half a submit', { ...GOOD, SEGUE_MAX_SUBMITS: '1.5' }, /^SEGUE_MAX_SUBMITS: "1.5" is not/],
    ['too many submits', { ...GOOD, SEGUE_MAX_SUBMITS: '10001' }, /^SEGUE_MAX_SUBMITS: .* from 1 to 10000/],
    ['a rate of nothing', { ...GOOD, SEGUE_MAX_SUBMIT_RPS: '0' }, /^SEGUE_MAX_SUBMIT_RPS: "0" is not/],
    ['a rate with a unit', { ...GOOD, SEGUE_MAX_SUBMIT_RPS: '5/s' }, /^SEGUE_MAX_SUBMIT_RPS:/],
    [
      'a time without its zone',
      { ...GOOD, SEGUE_HOLD_SUBMITS_BEFORE: '2026-01-31T14:00:00' },
      /^SEGUE_HOLD_SUBMITS_BEFORE: "2026-01-31T14:00:00" is not a time with its zone/,
    ],
    ['a time that is none', { ...GOOD, SEGUE_HOLD_SUBMITS_BEFORE: '2026-13-31T14:00:00Z' }, /is not a time/],
    [
      'an unknown role',
      { ...GOOD, SEGUE_WORKER_ROLES: 'workflows, postman' },
      /^SEGUE_WORKER_ROLES \(--roles\): no role is called "postman"; the roles are workflows, submit, batch$/,
    ],
    ['no role', { ...GOOD, SEGUE_WORKER_ROLES: ',' }, /^SEGUE_WORKER_ROLES .*no role is called ""/],
    [
      'an empty cache',
      { ...GOOD, SEGUE_MAX_CACHED_WORKFLOWS: '0' },
      /^SEGUE_MAX_CACHED_WORKFLOWS: "0" is not/,
    ],
    ['an unknown log level', { ...GOOD, SEGUE_LOG_LEVEL: 'loud' }, /^SEGUE_LOG_LEVEL: "loud" is not one of/],
  ])('%s is refused', (_case, env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(problem)]);
  });

  test('every problem is reported at once, by name', () => {
    const problems = problemsOf({
      SEGUE_API_URL: 'http://api.example.com',
      SEGUE_POLL_MIN: '1',
      SEGUE_GIVE_UP: 'never',
      SEGUE_SUBMIT_TIMEOUT: '1',
    });
    expect(problems.map((problem) => problem.split(/[: ]/)[0]).sort()).toEqual([
      'SEGUE_API_KEY',
      'SEGUE_API_URL',
      'SEGUE_GIVE_UP',
      'SEGUE_POLL_MIN',
      'SEGUE_SUBMIT_TIMEOUT',
    ]);
  });

  test.each(['http://127.0.0.1:4010', 'http://localhost:4010', 'http://[::1]:4010', 'http://127.9.9.9'])(
    'plain http is fine on loopback: %s',
    (url) => {
      expect(problemsOf({ ...GOOD, SEGUE_API_URL: url })).toEqual([]);
    },
  );

  test('plain http elsewhere can be allowed', () => {
    expect(problemsOf({ ...GOOD, SEGUE_API_URL: 'http://api.internal', SEGUE_ALLOW_HTTP: '1' })).toEqual([]);
  });

  test('P7: the credential shows itself nowhere', () => {
    const config = loadWorkerConfig(GOOD);
    expect(JSON.stringify(config)).not.toContain(SECRET);
    expect(inspect(config, { depth: null, showHidden: true })).not.toContain(SECRET);
    expect(String(config.api.credential)).not.toContain(SECRET);
    expect(() => loadWorkerConfig({ ...GOOD, SEGUE_API_KEY: `${SECRET} with blank` })).not.toThrow(SECRET);
  });

  test('a starter needs neither address nor credential', () => {
    expect(loadStarterConfig({ SEGUE_POLL_MIN: '1s', SEGUE_POLL_MAX: '2s' }).poll).toMatchObject({
      min: '1s',
      max: '2s',
    });
  });

  test('names that are no setting are pointed out', () => {
    expect(unknownSettings({ SEGUE_POL_MIN: '1s', SEGUE_POLL_MIN: '1s', PATH: '' })).toEqual([
      'SEGUE_POL_MIN',
    ]);
  });

  test('the Temporal side is read as every Temporal tool reads it', () => {
    const config = loadTemporalConfig({
      TEMPORAL_ADDRESS: 'cluster.example.com:7233',
      TEMPORAL_NAMESPACE: 'media',
      TEMPORAL_API_KEY: 'k',
      TEMPORAL_CONFIG_FILE: '/does/not/exist',
    });
    expect(config).toMatchObject({ address: 'cluster.example.com:7233', namespace: 'media' });
    expect(config.connection).toMatchObject({ apiKey: 'k', tls: true });
  });

  test('a dev server is looked for unless TEMPORAL_ADDRESS names a cluster', () => {
    expect(loadLocalTemporalConfig({ TEMPORAL_NAMESPACE: 'media' }).existing).toBeUndefined();
    expect(loadLocalTemporalConfig({ TEMPORAL_ADDRESS: 'a:1' }).existing).toMatchObject({ address: 'a:1' });
    expect(loadLocalTemporalConfig({ XDG_CACHE_HOME: '/c' }).cacheFolder).toBe('/c/segue');
  });
});
