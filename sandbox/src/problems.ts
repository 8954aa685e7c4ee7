import { type z } from 'zod';

/** Every problem that a schema found, in words: where, and what. */
export function problemsOf(error: z.ZodError, prefix?: string): string[] {
  return error.issues.map((issue) => {
    const place = [...(prefix === undefined ? [] : [prefix]), ...issue.path.map(String)].join('.');
    return `${place || 'body'}: ${issue.message}`;
  });
}
