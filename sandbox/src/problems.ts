import { type z } from 'zod';

/** The problems that a schema found, as texts: path and message. */
export function problemsOf(error: z.ZodError, prefix?: string): string[] {
  return error.issues.map((issue) => {
    const path = [...(prefix === undefined ? [] : [prefix]), ...issue.path.map(String)].join('.');
    return `${path || 'body'}: ${issue.message}`;
  });
}
