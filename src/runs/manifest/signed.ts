/** Addresses that are signed for a while: the same file has another one tomorrow. */
import { isRecord } from '../../validation/inputs';

const SIGNATURE =
  /^https?:\/\/[^#]*[?&](x-amz-signature|x-amz-credential|x-goog-signature|signature|sig|token|expires|se)=/i;

/** Whether any address in it looks signed. */
export function looksSigned(value: unknown): boolean {
  if (typeof value === 'string') return SIGNATURE.test(value);
  if (Array.isArray(value)) return value.some(looksSigned);
  return isRecord(value) && Object.values(value).some(looksSigned);
}
