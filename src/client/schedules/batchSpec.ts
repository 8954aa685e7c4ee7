/** A batch as a schedule has it, and everything that can be wrong with it. */
import { problemsOfScope } from '../../api/scope';
import { type ScheduledBatch } from '../../contract';
import { problemsOfConcurrency } from '../../validation/batch';
import { isRecord, problemsOfObjects, problemsOfTargets } from '../../validation/inputs';
import { addressName, problemOfAddress } from '../batches/manifest/addressForm';

/** All problems at once. None repeats the address: it may be signed. */
export function problemsOfScheduledBatch(spec: unknown): string[] {
  if (!isRecord(spec)) return ['the batch: must be an object'];
  const { key: _ofEachFiring, manifest, concurrency, scope, notify, skipBad, ...unknown } = spec;
  return [
    ...Object.keys(unknown).map((name) => `${name}: is no part of a batch`),
    ...problemsOfManifestAddress(manifest),
    ...problemsOfConcurrency(concurrency),
    ...problemsOfObjects({ scope }),
    ...(isRecord(scope) ? problemsOfScope(scope) : []),
    ...problemsOfTargets({ notify }),
    ...(skipBad === undefined || skipBad === null || typeof skipBad === 'boolean'
      ? []
      : ['skipBad: must be true or false']),
  ];
}

const LONGEST_ADDRESS = 8_000;

function problemsOfManifestAddress(manifest: unknown): string[] {
  if (typeof manifest !== 'string' || manifest.length > LONGEST_ADDRESS)
    return [`manifest: must be an https address of at most ${LONGEST_ADDRESS} characters`];
  const problem = problemOfAddress(manifest);
  return problem === undefined ? [] : [`manifest: ${problem}`];
}

/** For those who look at it: what is signed or secret in the address stays out. */
export function withoutSecrets(spec: ScheduledBatch): ScheduledBatch {
  const name = addressName(spec.manifest);
  return { ...spec, manifest: name === spec.manifest ? name : `${name}?...` };
}
