/**
 * What is wrong with a batch, with one of its partitions and with what people order of it, whoever asks: clients check
 * it before they start anything, and the runs themselves. Part of the workflow bundle.
 */
import { validateScope } from '../api/scope';
import { comment, must, object, orderText, person, required } from './campaign/shape';
import { type JobSettings, MOST_BATCH_CONCURRENCY, MOST_PARTITION_ITEMS, MOST_PARTITIONS } from '../contract';
import { isGivenKey, KEY_FORM } from '../contract/ids';
import { isRecord, isText, validateObjects, validateTargets, validateTaskId } from './inputs';
import { validateJobTimes } from './times';

/** What people give and what Segue makes of it; its items' keys are longer. */
const BATCH_KEY = /^[A-Za-z0-9._~+-]{1,200}$/;

export function validatePartitionInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { batch, n, first, items, poll, submit } = input;
  return [
    ...validateBatchKey(batch, 'batch'),
    ...(isCount(n) ? [] : ['n: must be the number of a partition']),
    ...(isCount(first) ? [] : ['first: must be the number of an item']),
    ...validateObjects({ poll, submit }),
    ...(Array.isArray(items) && items.length > 0 && items.length <= MOST_PARTITION_ITEMS
      ? items.flatMap((item, index) => validateItem(item).map((problem) => `items.${index}.${problem}`))
      : [`items: must be a list of 1 to ${MOST_PARTITION_ITEMS} items`]),
  ];
}

function validateItem(item: unknown): string[] {
  if (!isRecord(item)) return ['item: must be an object'];
  const { key, tool, request, scope, write, notify, taskId } = item;
  return [
    ...(isText(key) ? [] : ['key: must be a text']),
    ...(isText(tool) ? [] : ['tool: must be a text']),
    ...(isRecord(request) ? [] : ['request: must be an object']),
    ...validateScope(scope),
    ...validateTargets({ write, notify }),
    ...validateTaskId(taskId),
  ];
}

export function validateBatchInput(input: unknown): string[] {
  if (!isRecord(input)) return ['the input: must be one object'];
  const { key, manifest } = input;
  return [...validateBatchKey(key, 'key'), ...validateManifest(manifest), ...validateBatchSettings(input)];
}

/** All that is known before a manifest is read; people choose the key. */
export function validateGivenBatch(spec: Record<string, unknown>): string[] {
  return [...validateGivenKey(spec.key), ...validateBatchSettings(spec)];
}

function validateBatchSettings(given: Record<string, unknown>): string[] {
  const { source, concurrency, scope, notify, poll, submit } = given;
  return [
    ...(source === undefined || source === null || isText(source) ? [] : ['source: must be a text']),
    ...validateConcurrency(concurrency),
    ...validateObjects({ poll, submit }),
    // Its partitions would fail, each by itself.
    ...validateTimes({ poll, submit }),
    ...validateScope(scope),
    ...validateTargets({ notify }),
  ];
}

function validateTimes(given: { poll: unknown; submit: unknown }): string[] {
  return validateObjects(given).length > 0 ? [] : validateJobTimes(given as JobSettings);
}

/** Of what people choose: `products+2` is what Segue calls the retry of `products`. */
function validateGivenKey(key: unknown): string[] {
  if (key === undefined) return ['key: is required: it makes it the same batch when it is started again'];
  return typeof key === 'string' && isGivenKey(key) ? [] : [`key: ${JSON.stringify(key)} is not ${KEY_FORM}`];
}

function validateBatchKey(key: unknown, name: string): string[] {
  return typeof key === 'string' && BATCH_KEY.test(key)
    ? []
    : [`${name}: must be 1 to 200 letters, digits or any of . _ ~ + -`];
}

export function validateManifest(manifest: unknown): string[] {
  if (!isRecord(manifest)) return ['manifest: must be { digest, items, partitions }'];
  const { digest, items, partitions } = manifest;
  const isList = Array.isArray(partitions) && partitions.length > 0 && partitions.length <= MOST_PARTITIONS;
  const counted = isList ? sum(partitions.map((one: unknown) => (isRecord(one) ? one.items : undefined))) : 0;
  return [
    ...(isText(digest) ? [] : ['manifest.digest: must be a text']),
    ...(isList ? [] : [`manifest.partitions: must be a list of 1 to ${MOST_PARTITIONS} partitions`]),
    ...(!isList || (isCount(items) && counted === items)
      ? []
      : ['manifest.items: must be the number of items in its partitions']),
  ];
}

export function validateConcurrency(concurrency: unknown): string[] {
  if (concurrency === undefined || concurrency === null) return [];
  return isCount(concurrency) && concurrency <= MOST_BATCH_CONCURRENCY
    ? []
    : [`concurrency: must be a whole number from 1 to ${MOST_BATCH_CONCURRENCY}`];
}

const concurrency = must(
  (value) => validateConcurrency(value).length === 0,
  `a whole number from 1 to ${MOST_BATCH_CONCURRENCY}`,
);

const order = object({ by: required(person), reason: comment });
const concurrencyOrder = object({
  by: required(person),
  reason: comment,
  concurrency: required(concurrency),
});

/** Of an order to pause, resume or cancel. */
export function validateBatchOrder(asked: unknown): string[] {
  return order(asked, []).map(orderText);
}

export function validateConcurrencyOrder(asked: unknown): string[] {
  return concurrencyOrder(asked, []).map(orderText);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

function sum(values: unknown[]): number {
  return values.reduce<number>((total, value) => total + (isCount(value) ? value : NaN), 0);
}
