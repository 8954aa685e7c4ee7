/** What a page that is passed on must not have: addresses with signatures, and other credentials. */
import { isRecord } from '../../api/json';

const ADDRESS = /(https?:\/\/)([^\s/"<>]*@)?([^\s"<>?#]*)([?#][^\s"<>]*)?/gi;
const DATA = /data:[^,\s"']{0,100},[^\s"']{100,}/gi;
const HEADER = /\b(Api-Key|Bearer)\s+[^\s"',;]{6,}/gi;
const SECRET =
  /^(x[_-]?)?(authorization|cookie|password|passwd|(client[_-]?)?secret|token|signature|credentials?|(api|access|private)[_-]?(key|token))$/i;

export function redact<Value>(value: Value): Value;
export function redact(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replace(DATA, 'data:…')
      .replace(ADDRESS, (_all, scheme: string, _user, rest: string, query?: string) =>
        query === undefined ? scheme + rest : `${scheme}${rest}?…`,
      )
      .replace(HEADER, '$1 [credential]');
  if (Array.isArray(value)) return value.map((item) => redact<unknown>(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET.test(name) && !isPlain(member) ? '[credential]' : redact<unknown>(member),
    ]),
  );
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}
