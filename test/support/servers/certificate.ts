import { execFileSync } from 'node:child_process';

/** A self-signed one for `localhost`: clients trust it only if it is given to them as an authority. */
export function selfSigned(): { key: string; cert: string } {
  const pem = execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      '-',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const cert = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'));
  return { key: pem.slice(0, pem.indexOf('-----BEGIN CERTIFICATE')), cert };
}
