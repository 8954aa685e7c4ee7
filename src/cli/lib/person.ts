/** Who types. */
import { userInfo } from 'node:os';

/** A user without a name, as in many containers, has a number. */
export function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
