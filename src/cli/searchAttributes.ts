import { type Client } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { allSearchAttributes } from '../searchAttributes';

const { IndexedValueType } = proto.api.enums.v1;

const TYPES: Partial<Record<string, proto.api.enums.v1.IndexedValueType>> = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
};

/** The names of Segue's search attributes that the namespace does not have, or has with another type. */
export async function missingSearchAttributes(
  temporal: Client,
): Promise<{ missing: string[]; clashing: string[] }> {
  const { customAttributes } = await temporal.connection.operatorService.listSearchAttributes({
    namespace: temporal.options.namespace,
  });
  const missing = allSearchAttributes.filter(({ name }) => customAttributes[name] === undefined);
  const clashing = allSearchAttributes.filter(
    ({ name, type }) => customAttributes[name] !== undefined && customAttributes[name] !== TYPES[type],
  );
  return { missing: missing.map(({ name }) => name), clashing: clashing.map(({ name }) => name) };
}

export async function registerSearchAttributes(temporal: Client, names: string[]): Promise<void> {
  const wanted = allSearchAttributes.filter(({ name }) => names.includes(name));
  await temporal.connection.operatorService.addSearchAttributes({
    namespace: temporal.options.namespace,
    searchAttributes: Object.fromEntries(wanted.map(({ name, type }) => [name, TYPES[type]])) as never,
  });
}
