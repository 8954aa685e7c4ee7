/** What Segue is developed and tested with. `server/go.mod` and `test-server/pom.xml` pin the same versions. */

export const TEMPORAL_CLI_VERSION = '1.8.2';
export const TEST_SERVER_VERSION = '1.32.1';

/** The oldest server that has all that Segue uses. */
export const OLDEST_SERVER = { major: 1, minor: 29 };
