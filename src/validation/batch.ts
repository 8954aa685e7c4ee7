/** Rules of batches, their partitions, and orders to them. Part of the workflow bundle. */
import { isRecord } from '../api/json';
import { type JobSettings, MOST_BATCH_CONCURRENCY, MOST_PARTITION_ITEMS, MOST_PARTITIONS } from '../contract';
import {
  anyObject,
  by,
  comment,
  count,
  givenKey,
  id,
  isCount,
  notify,
  order,
  scope,
  text,
  write,
} from './fields';
import {
  also,
  isLeftOut,
  listOf,
  matching,
  object,
  openObject,
  required,
  validate,
  wholeNumber,
} from './rules';
import { validateJobTimes } from './times';

/** Given or derived; the keys of its items are longer. */
const key = matching(/^[A-Za-z0-9._~+-]{1,200}$/, '1 to 200 letters, digits or any of . _ ~ + -');
export const concurrency = wholeNumber(MOST_BATCH_CONCURRENCY);

const item = openObject({
  ...{ key: required(text), tool: required(text), request: required(anyObject) },
  ...{ scope, write, notify, taskId: id },
});

const partition = openObject({
  ...{ batch: required(key), n: required(count), first: required(count) },
  ...{ poll: anyObject, submit: anyObject },
  items: required(listOf(item, { least: 1, most: MOST_PARTITION_ITEMS })),
});

const manifest = also(
  openObject({
    digest: required(text),
    items: required(count),
    partitions: required(listOf(openObject({ items: required(count) }), { least: 1, most: MOST_PARTITIONS })),
  }),
  ({ items, partitions }, path) => {
    const counts = (Array.isArray(partitions) ? partitions : []).map((one) => isRecord(one) && one.items);
    if (!isCount(items) || counts.length === 0 || !counts.every(isCount)) return [];
    return counts.reduce((a, b) => a + b) === items
      ? []
      : [{ path: [...path, 'items'], words: 'must be the number of items in its partitions' }];
  },
);

const settings = { source: text, concurrency, poll: anyObject, submit: anyObject, scope, notify };
const batchInput = openObject({ key: required(key), manifest: required(manifest), ...settings });
const givenBatch = openObject({ key: required(givenKey), ...settings, manifest });
const concurrencyOrder = object({ by, reason: comment, concurrency: required(concurrency) });

export const validatePartitionInput = (input: unknown): string[] => validate(partition, input);
export const validateBatchOrder = (asked: unknown): string[] => validate(order, asked);
export const validateConcurrencyOrder = (asked: unknown): string[] => validate(concurrencyOrder, asked);

export function validateBatchInput(input: unknown): string[] {
  return [...validate(batchInput, input), ...validateTimes(input)];
}

/** A spec from a caller; without `manifest` before that is read. */
export function validateGivenBatch(spec: unknown): string[] {
  return [...validate(givenBatch, spec), ...validateTimes(spec)];
}

/** Its partitions would fail, each by itself. */
function validateTimes(given: unknown): string[] {
  const { poll, submit } = isRecord(given) ? given : {};
  const areObjects = [poll, submit].every((one) => isLeftOut(one) || isRecord(one));
  return areObjects ? validateJobTimes({ poll, submit } as JobSettings) : [];
}
