/** Which of Segue's search attributes a namespace has, and how it gets them. */
import { type OperatorService, ServiceError } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { NotSetUp } from '../errors';
import { allSearchAttributes } from '../contract/searchAttributes';
import { GRPC, grpcCode } from './grpc';

/** What a connection of any kind has, a client's or a worker's. */
export interface Operated {
  operatorService: OperatorService;
}

const { IndexedValueType } = proto.api.enums.v1;

const TYPES: Partial<Record<string, proto.api.enums.v1.IndexedValueType>> = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
};

export async function readRegistration(
  connection: Operated,
  namespace: string,
): Promise<{ missing: string[]; clashing: string[] }> {
  const { customAttributes: found } = await connection.operatorService.listSearchAttributes({ namespace });
  const others = allSearchAttributes.filter(({ name, type }) => found[name] !== TYPES[type]);
  const names = others.map(({ name }) => name);
  return {
    missing: names.filter((name) => found[name] === undefined),
    clashing: names.filter((name) => found[name] !== undefined),
  };
}

/** A run that cannot set its search attributes has its task retried for ever. */
export async function requireRegistration(
  connection: Operated,
  namespace: string,
  warn: (message: string) => void,
): Promise<void> {
  try {
    const { missing, clashing } = await readRegistration(connection, namespace);
    if (clashing.length > 0) throw clashingError(namespace, clashing);
    if (missing.length > 0) throw missingError(namespace, missing.join(', '));
  } catch (error) {
    const code = grpcCode(error);
    if (code === GRPC.notFound)
      throw new NotSetUp(`There is no namespace ${namespace}; is TEMPORAL_NAMESPACE right?`);
    // Some servers do not let workers list search attributes.
    if (code !== GRPC.permissionDenied && code !== GRPC.unimplemented) throw error;
    warn(
      'cannot check the search attributes of the namespace; without them every job hangs. Register them: segue setup',
    );
  }
}

/** The same error, or a clear one if a search attribute of Segue is not registered. */
export function explainUnregistered(error: unknown, namespace: string): unknown {
  const { details = '' } = (error instanceof ServiceError ? error.cause : error) as { details?: string };
  const isUnregistered = grpcCode(error) === GRPC.invalidArgument && /search attribute/i.test(details);
  if (!isUnregistered || !allSearchAttributes.some(({ name }) => details.includes(name))) return error;
  return missingError(namespace, details);
}

function missingError(namespace: string, which: string): NotSetUp {
  return new NotSetUp(
    `The namespace ${namespace} lacks search attributes that Segue needs, so no job can run or be listed in it: ${which}.\n` +
      `Register them: TEMPORAL_NAMESPACE=${namespace} segue setup`,
  );
}

export function clashingError(namespace: string, clashing: string[]): NotSetUp {
  return new NotSetUp(
    `The namespace ${namespace} has ${clashing.join(', ')} with another type; Segue needs a namespace without.`,
  );
}

/** `names`: default all. */
export async function register(connection: Operated, namespace: string, names?: string[]): Promise<void> {
  const wanted = allSearchAttributes.filter(({ name }) => names?.includes(name) ?? true);
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(wanted.map(({ name, type }) => [name, TYPES[type]])) as never,
  });
}
