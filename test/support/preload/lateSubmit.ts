/** Starts a submit and stops itself before the connection is open, like a frozen machine. */
import { writeSync } from 'node:fs';
import { createApi } from '../../../src/api/client';
import { Credential } from '../../../src/api/credential';

const sendBefore = Date.now() + 300;
const api = createApi({
  baseUrl: process.argv[2] ?? '',
  credential: Credential.apiKey('k'),
  userAgent: 'segue/test',
  layout: { projectPath: '', projectDataAt: '' },
});
const submitted = api.submit(
  'remove-background',
  { image_url: 'https://example.com/a.png' },
  { requestId: 'k.submit.1', timeoutMs: 5_000, sendBefore },
);
writeSync(1, `${sendBefore}\n`);
process.kill(process.pid, 'SIGSTOP');
void submitted.then((outcome) => writeSync(1, `${JSON.stringify(outcome)}\n`)).then(() => api.close());
