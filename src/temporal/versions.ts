/** What Segue is developed and tested with. `server/go.mod` pins the same version. */

export const TEMPORAL_CLI_VERSION = '1.8.2';

/** The oldest server that has all that Segue uses. */
export const OLDEST_SERVER = { major: 1, minor: 29 };

/** Whether a server with this version (`1.31.2`) has all that Segue uses. */
export function isRecentServer(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST_SERVER.major || (major === OLDEST_SERVER.major && minor >= OLDEST_SERVER.minor);
}
