import { type z } from 'zod';

/** Every problem that a schema found, a line each: where, and what is expected there. */
export function problemsOf(error: z.ZodError, whole = 'request'): string[] {
  return error.issues.map((issue) => `${issue.path.join('.') || whole}: ${issue.message}`);
}
