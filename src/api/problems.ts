import { type z } from 'zod';

/** Every problem that a schema found, a line each: where, and what is expected there. */
export function problemsOf(error: z.ZodError, whole = 'request'): string[] {
  return error.issues.map(({ path, message }) => {
    const words = message.endsWith('received undefined') ? 'is required' : message;
    return `${path.join('.') || whole}: ${words}`;
  });
}
